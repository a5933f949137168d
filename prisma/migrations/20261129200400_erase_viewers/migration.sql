-- As it is, and with the ends of views of the group's people: its deletion has revoked all of its viewer tokens. It keeps its owner and its
-- privileges.
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('erase_group(integer,integer)'::regprocedure), '(\n *DELETE FROM active_viewer)',
        '
    DELETE FROM viewer_revocation r WHERE r.team_id = team AND r.viewer_key <> '''';\1');
END $$;
