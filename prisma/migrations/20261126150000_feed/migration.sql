-- The feed: each environment's history in the order of epoch, transaction and id. migrate() builds the index of each month.
CREATE INDEX audit_entry_environment_id_epoch_xid_id_idx ON ONLY audit_entry (environment_id, epoch, xid, id);

-- Transaction numbers restart when a dump is restored into another cluster. Then the epoch rises, so that new entries follow the old.
CREATE TABLE feed_epoch (
    epoch INTEGER PRIMARY KEY,
    system_identifier TEXT NOT NULL,
    began_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);

-- Entries from before may come from several clusters: they are in an epoch of their own, which is over.
INSERT INTO feed_epoch (epoch, system_identifier) SELECT 1, 'unknown' UNION ALL SELECT 2, system_identifier::text FROM pg_control_system();
ALTER TABLE ONLY audit_entry ALTER epoch SET DEFAULT 2;

-- Raises the epoch if this is another cluster, or one whose transaction numbers are behind the history; returns the current one. The
-- lock on audit_entry waits for running changes, so that the epoch before is complete once this commits.
CREATE FUNCTION raise_feed_epoch() RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    current INTEGER;
    is_over BOOLEAN;
BEGIN
    FOR attempt IN 1..2 LOOP
        SELECT f.epoch, f.system_identifier <> (SELECT c.system_identifier::text FROM pg_control_system() c) OR coalesce(last.epoch = f.epoch
            AND last.xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint, false)
        INTO current, is_over
        FROM (SELECT * FROM feed_epoch ORDER BY epoch DESC LIMIT 1) f
        LEFT JOIN LATERAL (SELECT a.epoch, a.xid FROM audit_entry a ORDER BY a.id DESC LIMIT 1) last ON true;
        EXIT WHEN NOT is_over;
        IF attempt = 1 THEN
            -- One at a time: the next to get it looks again.
            LOCK TABLE feed_epoch IN EXCLUSIVE MODE;
        ELSE
            current := current + 1;
            EXECUTE format('ALTER TABLE ONLY audit_entry ALTER epoch SET DEFAULT %s', current);
            INSERT INTO feed_epoch (epoch, system_identifier) SELECT current, c.system_identifier::text FROM pg_control_system() c;
        END IF;
    END LOOP;
    RETURN current;
END $$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION raise_feed_epoch() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    ALTER FUNCTION raise_feed_epoch() SET lock_timeout = '300ms';
    REVOKE ALL ON FUNCTION raise_feed_epoch() FROM PUBLIC;
END $$;
