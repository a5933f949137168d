-- Storage of the tables that grow with the groups (docs/decisions/042). None of these locks keeps a request waiting.

-- By default a vacuum waits for a fifth of the rows: of 10 million groups, 2 million dead versions, each with an entry in every index.
-- No update of user_group or group_use leaves its indexes alone, so that room on their pages would save nothing.
ALTER TABLE user_group SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE group_use SET (autovacuum_vacuum_scale_factor = 0.05);
-- A change of a mapping, state or end of access touches none of its indexes: with room on the page it stays there.
ALTER TABLE group_search SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Entries never change: the first vacuum freezes them, and no later one has to write a whole month again.
DO $$
DECLARE
    partition REGCLASS;
BEGIN
    FOR partition IN SELECT relid FROM pg_partition_tree('audit_entry') WHERE isleaf LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_freeze_min_age = 0)', partition);
    END LOOP;
    -- The same for partitions to come.
    EXECUTE replace(
        pg_get_functiondef('make_audit_partitions()'::regprocedure),
        '(LIKE audit_entry INCLUDING DEFAULTS)', '(LIKE audit_entry INCLUDING DEFAULTS) WITH (autovacuum_freeze_min_age = 0)');
END $$;
