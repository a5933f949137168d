-- The first use of a group's current token, and which token that was: the one issued at first_used_of. No clock is compared.
ALTER TABLE group_use ADD COLUMN first_used_at TIMESTAMPTZ(3), ADD COLUMN first_used_of TIMESTAMPTZ(3);

-- Checks of each group per day: one row per group and month, whose days begin with the first and end with the last one counted.
-- size is the binary logarithm of the month's checks, rounded down. It is indexed to find the groups used most, and rarely changes:
-- most updates touch no index.
CREATE TABLE group_use_month (
    month DATE,
    team_id INTEGER,
    environment_id INTEGER NOT NULL,
    checks BIGINT NOT NULL,
    size SMALLINT NOT NULL,
    days INTEGER[] NOT NULL,
    PRIMARY KEY (month, team_id)
) PARTITION BY RANGE (month);
CREATE INDEX group_use_month_environment_id_size_team_id_idx ON group_use_month (environment_id, size, team_id);

-- The same for all groups of an environment, and for the calls of an API token.
CREATE TABLE environment_use_month (
    environment_id INTEGER REFERENCES environment ON DELETE CASCADE ON UPDATE CASCADE,
    month DATE,
    days BIGINT[] NOT NULL,
    PRIMARY KEY (month, environment_id)
);

CREATE TABLE api_token_use_month (
    api_token_id INTEGER REFERENCES api_token ON DELETE CASCADE ON UPDATE CASCADE,
    month DATE,
    days BIGINT[] NOT NULL,
    PRIMARY KEY (month, api_token_id)
);

-- The last flush of counts by each process: one sent again, because its answer was lost, adds nothing.
CREATE TABLE use_flush (
    process UUID PRIMARY KEY,
    number INTEGER NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);
CREATE INDEX use_flush_at_idx ON use_flush (at);

-- Makes the partitions of group_use_month for the month before, this one and the 13 to come, as make_audit_partitions does for the
-- history, and drops those that ended 13 months ago. Rows are updated in place, for which pages leave room.
CREATE FUNCTION keep_use_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    place TEXT := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'group_use_month'::regclass);
    this_month TIMESTAMP := date_trunc('month', now() AT TIME ZONE 'UTC');
    first TIMESTAMP;
    partition TEXT;
    grantee TEXT;
BEGIN
    FOR first IN SELECT this_month + make_interval(months => n) FROM generate_series(-1, 13) AS n LOOP
        partition := to_char(first, '"group_use_month_"YYYY"_"MM');
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        -- One at a time; another process that waited here finds it made.
        LOCK TABLE ONLY group_use_month IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        partition := format('%s.%I', place, partition);
        EXECUTE format('CREATE TABLE %s (LIKE group_use_month INCLUDING DEFAULTS) WITH (fillfactor = 70)', partition);
        FOR grantee IN
            SELECT DISTINCT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END
            FROM pg_class, aclexplode(relacl) AS acl WHERE oid = partition::regclass AND acl.grantee <> relowner
        LOOP
            EXECUTE format('REVOKE ALL ON %s FROM %s', partition, grantee);
        END LOOP;
        EXECUTE format(
            'ALTER TABLE group_use_month ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', partition,
            to_char(first, 'YYYY-MM-DD'), to_char(first + interval '1 month', 'YYYY-MM-DD'));
    END LOOP;
    FOR partition IN
        SELECT format('%s.%I', place, relname) FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'group_use_month'::regclass
            AND relname < to_char(this_month - interval '13 months', '"group_use_month_"YYYY"_"MM')
    LOOP
        EXECUTE format('DROP TABLE IF EXISTS %s', partition);
    END LOOP;
END $$;

-- As before, and with the group's checks. Flushes that add them hold the lock, and look for the group after they got it.
CREATE OR REPLACE FUNCTION erase_group(environment INTEGER, team INTEGER) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER AS $$
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
    PERFORM pg_advisory_xact_lock(hashtext('group_use_month'));
    DELETE FROM group_use u WHERE u.environment_id = environment AND u.team_id = team;
    DELETE FROM group_use_month u WHERE u.environment_id = environment AND u.team_id = team;
END $$;

DO $$
DECLARE
    signature TEXT;
BEGIN
    FOREACH signature IN ARRAY ARRAY['erase_group(INTEGER, INTEGER)', 'keep_use_partitions()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', signature, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
END $$;

SELECT keep_use_partitions();
