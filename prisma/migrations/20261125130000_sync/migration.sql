-- Imports that also delete the groups that their file does not name.
ALTER TYPE import_outcome ADD VALUE 'delete';
ALTER TYPE import_outcome ADD VALUE 'deleted';

ALTER TABLE import
    ADD COLUMN mode TEXT NOT NULL DEFAULT 'upsert' CONSTRAINT import_mode_check CHECK (mode IN ('upsert', 'sync')),
    ADD COLUMN max_deletions TEXT,
    ADD COLUMN existing INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN deletes INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN unnamed INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN swept INTEGER NOT NULL DEFAULT 0;
