-- How far AUDIT_LOG has been written, in the order of the feed: one row from when it was first set, and the instance that writes.
CREATE TABLE audit_log_reader (
    id INTEGER PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    epoch INTEGER NOT NULL,
    xid BIGINT NOT NULL,
    entry_id BIGINT NOT NULL,
    leased_by UUID,
    leased_until TIMESTAMPTZ(3)
);
