-- Blanks the next entries of a deleted group's history, beyond an entry, and returns the last of them; NULL when there are none. A long
-- history takes longer than a statement may: erase_group blanks what is left. The entry of the deletion keeps its state until then,
-- by which both know that the group was deleted.
CREATE FUNCTION blank_history(environment INTEGER, team INTEGER, beyond BIGINT, most INTEGER) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    last_id BIGINT;
    last_action TEXT;
    reached BIGINT;
BEGIN
    IF NOT EXISTS (SELECT FROM deleted_group d WHERE d.environment_id = environment AND d.team_id = team)
        OR EXISTS (SELECT FROM user_group g WHERE g.team_id = team) THEN
        RAISE EXCEPTION 'no deleted user group % in this environment', team USING ERRCODE = 'no_data_found';
    END IF;
    SELECT a.id, a.action INTO last_id, last_action FROM audit_entry a
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL)
    ORDER BY a.id DESC LIMIT 1;
    IF last_action <> 'user_group.deleted' THEN
        RAISE EXCEPTION 'the history has no deletion of user group %', team USING ERRCODE = 'no_data_found';
    END IF;
    SELECT max(next.id) INTO reached FROM (
        SELECT a.id FROM audit_entry a
        WHERE a.team_id = team AND a.environment_id = environment AND a.id > beyond AND a.id < last_id
            AND (a.before IS NOT NULL OR a.after IS NOT NULL)
        ORDER BY a.id LIMIT most
    ) AS next;
    IF reached IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM set_config('user_groups.erases', 'on', true);
    UPDATE audit_entry a SET before = NULL, after = NULL
    WHERE a.team_id = team AND a.environment_id = environment AND a.id > beyond AND a.id <= reached
        AND (a.before IS NOT NULL OR a.after IS NOT NULL);
    PERFORM set_config('user_groups.erases', 'off', true);
    RETURN reached;
END $$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION blank_history(INTEGER, INTEGER, BIGINT, INTEGER) SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION blank_history(INTEGER, INTEGER, BIGINT, INTEGER) FROM PUBLIC;
END $$;
