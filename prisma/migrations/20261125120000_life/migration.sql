-- Deleted groups are kept for days: restored by id or number, listed newest first, found by token, and erased for good.
CREATE INDEX deleted_group_environment_id_deleted_at_team_id_idx ON deleted_group (environment_id, deleted_at, team_id);
CREATE INDEX deleted_group_environment_id_provided_id_deleted_at_idx ON deleted_group (environment_id, provided_id, deleted_at);
CREATE INDEX deleted_group_token_index_idx ON deleted_group (token_index);
-- An erasure removes what imports hold of the group.
CREATE INDEX import_row_provided_id_idx ON import_row (provided_id);

-- Lets erase_group through, which sets this for itself alone. The role that serves may not update the history, whatever it sets.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('user_groups.erases', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'audit_entry is append-only' USING ERRCODE = 'insufficient_privilege',
        HINT = 'To prune it as its owner, drop the partition of a month, such as audit_entry_2026_11.';
END
$$;

-- Erases a deleted group and what the history and imports hold of its content; entries stay, without their states before and after.
-- It runs as the owner and checks for itself that the group is a deleted one: its caller cannot use it on a living one's history.
CREATE FUNCTION erase_group(environment INTEGER, team INTEGER) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    erased_id TEXT;
BEGIN
    DELETE FROM deleted_group d WHERE d.environment_id = environment AND d.team_id = team RETURNING d.provided_id INTO erased_id;
    IF NOT FOUND OR EXISTS (SELECT FROM user_group g WHERE g.team_id = team) THEN
        RAISE EXCEPTION 'no deleted user group % in this environment', team USING ERRCODE = 'no_data_found';
    END IF;
    PERFORM set_config('user_groups.erases', 'on', true);
    UPDATE audit_entry a SET before = NULL, after = NULL
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL);
    PERFORM set_config('user_groups.erases', 'off', true);
    DELETE FROM import_row r USING import i
    WHERE i.id = r.import_id AND i.environment_id = environment AND r.provided_id = erased_id
        AND (r.team_id = team OR (r.team_id IS NULL AND r.outcome IN ('error', 'skipped')));
    DELETE FROM group_use u WHERE u.environment_id = environment AND u.team_id = team;
END $$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION erase_group(INTEGER, INTEGER) SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION erase_group(INTEGER, INTEGER) FROM PUBLIC;
END $$;
