-- An erasure leaves the rows of open imports their ids, and removes also what cancelled ones would have created.
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
    DELETE FROM group_use u WHERE u.environment_id = environment AND u.team_id = team;
END $$;

-- CREATE OR REPLACE keeps the owner and the privileges, but not this.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION erase_group(INTEGER, INTEGER) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
