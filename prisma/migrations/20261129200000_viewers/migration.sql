-- Ends the views of one person: revokes a group's tokens that have this viewer_key and were issued until `before`.
-- An empty viewer_key revokes the whole group's by their gen.
ALTER TABLE viewer_revocation
    ADD COLUMN viewer_key BYTEA NOT NULL DEFAULT '',
    ADD COLUMN before TIMESTAMPTZ(3),
    ADD COLUMN blocked_until TIMESTAMPTZ(3);

-- The old primary key goes in a migration of its own: a trigger that is running needs one of the two.
CREATE UNIQUE INDEX viewer_revocation_team_id_viewer_key ON viewer_revocation (team_id, viewer_key);

CREATE OR REPLACE FUNCTION note_viewer_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO viewer_revocation AS r (team_id, environment_id, gen) VALUES (NEW.team_id, NEW.environment_id, NEW.gen)
    ON CONFLICT (team_id, viewer_key)
    DO UPDATE SET gen = greatest(r.gen, excluded.gen), at = excluded.at, xid = excluded.xid;
    RETURN NULL;
END $$;

-- The key of viewers' hashes. It is random and a rekey keeps it: with another one all blocks would be lifted.
ALTER TABLE secret_key ADD COLUMN viewers_sealed BYTEA;
