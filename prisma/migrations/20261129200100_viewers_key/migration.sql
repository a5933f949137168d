ALTER TABLE viewer_revocation
    DROP CONSTRAINT viewer_revocation_pkey,
    ADD CONSTRAINT viewer_revocation_pkey PRIMARY KEY USING INDEX viewer_revocation_team_id_viewer_key;
