-- The application's own table, of which each living customer becomes a user group.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    seats INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
    deleted_at TIMESTAMPTZ,
    -- whether the sync has suspended its group, so that it resumes no other
    suspended_group BOOLEAN NOT NULL DEFAULT false
);
