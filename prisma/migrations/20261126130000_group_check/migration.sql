-- The nightly checks of all groups: the instance that notes a night makes its check.
CREATE TABLE group_check (
    night DATE PRIMARY KEY,
    began_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    ended_at TIMESTAMPTZ(3),
    groups INTEGER,
    faults INTEGER
);
