-- Distinct viewers per group and month: the number is kept with the group's use, the keyed hashes that count them until the month is over.
CREATE TABLE active_viewer (
    month DATE,
    team_id INTEGER,
    viewer BYTEA,
    PRIMARY KEY (month, team_id, viewer)
);
ALTER TABLE group_use_month ADD COLUMN active_viewers INTEGER NOT NULL DEFAULT 0;

-- When an API token last asked about a viewer's token, and last polled the revocations.
ALTER TABLE api_token ADD COLUMN asked_at TIMESTAMPTZ(3), ADD COLUMN polled_at TIMESTAMPTZ(3);

-- The key of those hashes, sealed.
ALTER TABLE environment ADD COLUMN viewers_key BYTEA;

-- As it is, and with the hashes of the group's viewers: it keeps its owner and its privileges.
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('erase_group(integer,integer)'::regprocedure), '(\n *DELETE FROM group_use_month)',
        '
    DELETE FROM active_viewer v USING group_use_month u
    WHERE u.environment_id = environment AND u.team_id = team AND v.month = u.month AND v.team_id = u.team_id;\1');
END $$;
