-- Imports without a file: what they undo or fix, and how many rows to expect.
ALTER TABLE import
    ADD COLUMN undoes INTEGER,
    ADD COLUMN fix TEXT,
    ADD COLUMN expected INTEGER;
