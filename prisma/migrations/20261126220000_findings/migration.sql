-- What definitions find in the groups: the numbers of the groups with a finding, one list for each 4,096 numbers. A member of '' means
-- the group as a whole. `resembles` is the name that a near duplicate is taken for.
CREATE TABLE group_finding (
    environment_id INTEGER NOT NULL REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind TEXT NOT NULL,
    member TEXT NOT NULL,
    name TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    resembles TEXT,
    team_ids INTEGER[] NOT NULL,
    CONSTRAINT group_finding_pkey PRIMARY KEY (environment_id, kind, member, name, chunk)
);
CREATE INDEX group_finding_environment_id_chunk_idx ON group_finding (environment_id, chunk);

-- How far the findings of an environment go: the place in its feed up to which changes are in them, and the checked definitions.
-- `keys` counts names of properties in a sample, as JSON text. Without a row, or before the first pass, nothing was checked.
CREATE TABLE finding_state (
    id INTEGER PRIMARY KEY REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    epoch INTEGER,
    xid BIGINT,
    entry_id BIGINT,
    entry_at TIMESTAMPTZ(3),
    definitions_version INTEGER,
    keys TEXT,
    groups INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    passed_at TIMESTAMPTZ(3),
    compared_at TIMESTAMPTZ(3),
    checked_at TIMESTAMPTZ(3),
    next_at TIMESTAMPTZ(3),
    leased_by UUID,
    leased_until TIMESTAMPTZ(3)
);

-- Groups that a program asks for with other values than are stored.
CREATE TABLE group_drift (
    team_id INTEGER PRIMARY KEY REFERENCES user_group (team_id) ON DELETE CASCADE ON UPDATE CASCADE,
    environment_id INTEGER NOT NULL,
    members TEXT[] NOT NULL,
    caller TEXT NOT NULL,
    seen_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX group_drift_environment_id_team_id_idx ON group_drift (environment_id, team_id);
CREATE INDEX group_drift_seen_at_idx ON group_drift (seen_at);

-- As before, and with the group's findings.
CREATE OR REPLACE FUNCTION erase_group(environment INTEGER, team INTEGER) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    erased_id TEXT;
    last_action TEXT;
BEGIN
    DELETE FROM deleted_group d WHERE d.environment_id = environment AND d.team_id = team RETURNING d.provided_id INTO erased_id;
    IF NOT FOUND OR EXISTS (SELECT FROM user_group g WHERE g.team_id = team) THEN
        RAISE EXCEPTION 'no deleted user group % in this environment', team USING ERRCODE = 'no_data_found';
    END IF;
    SELECT a.action INTO last_action FROM audit_entry a
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL)
    ORDER BY a.id DESC LIMIT 1;
    -- Without any state there is nothing to erase from the history: its partitions were dropped.
    IF last_action <> 'user_group.deleted' THEN
        RAISE EXCEPTION 'the history has no deletion of user group %', team USING ERRCODE = 'no_data_found';
    END IF;
    PERFORM set_config('user_groups.erases', 'on', true);
    UPDATE audit_entry a SET before = NULL, after = NULL
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL);
    PERFORM set_config('user_groups.erases', 'off', true);
    -- While an import is open, its rows say which groups its file names: a sync would delete a living group that it no longer finds.
    UPDATE import_row r SET name = NULL, mapping = NULL, properties = NULL, before = NULL, issues = NULL FROM import i
    WHERE i.id = r.import_id AND i.environment_id = environment AND i.ended_at IS NULL AND r.provided_id = erased_id
        AND (r.team_id = team OR (r.team_id IS NULL AND r.outcome IN ('error', 'skipped')));
    DELETE FROM import_row r USING import i
    WHERE i.id = r.import_id AND i.environment_id = environment AND i.ended_at IS NOT NULL AND r.provided_id = erased_id
        AND (r.team_id = team OR r.team_id IS NULL);
    -- The lease's row orders this with the work on findings, which writes their lists only while it locks it.
    PERFORM FROM finding_state s WHERE s.id = environment FOR UPDATE;
    DELETE FROM group_finding f WHERE f.environment_id = environment AND f.chunk = team >> 12 AND f.team_ids = ARRAY[team];
    UPDATE group_finding f SET team_ids = array_remove(f.team_ids, team)
    WHERE f.environment_id = environment AND f.chunk = team >> 12 AND team = ANY (f.team_ids);
    PERFORM pg_advisory_xact_lock(hashtext('group_use_month'));
    DELETE FROM group_use_month u WHERE u.environment_id = environment AND u.team_id = team;
    DELETE FROM group_use u WHERE u.environment_id = environment AND u.team_id = team;
    DELETE FROM webhook_delivery d WHERE d.team_id = team;
END $$;

-- CREATE OR REPLACE keeps the owner and the privileges, but not this.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION erase_group(INTEGER, INTEGER) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
