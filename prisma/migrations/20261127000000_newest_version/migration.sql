-- The newest version that has served this database, in one row. 0.9.0 left no record: a database in use without one is taken for its.
CREATE TABLE newest_version (
    id INTEGER NOT NULL DEFAULT 1 CONSTRAINT newest_version_id_check CHECK (id = 1),
    version TEXT NOT NULL,
    since TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    CONSTRAINT newest_version_pkey PRIMARY KEY (id)
);

INSERT INTO newest_version (version)
SELECT '0.9.0' WHERE EXISTS (SELECT FROM api_token) OR EXISTS (SELECT FROM member) OR EXISTS (SELECT FROM user_group);
