-- The last place in each environment's feed that was dropped with a month of its history: a consumer that had read this far continues.
-- Environment 0 is for entries without one.
CREATE TABLE history_dropped (
    environment_id INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    xid BIGINT NOT NULL,
    id BIGINT NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL
);
