-- The replacement of an API token by a new value: a row of its own, which names its predecessor.
ALTER TABLE api_token
    ADD COLUMN replaces INTEGER CONSTRAINT api_token_replaces_key UNIQUE
        CONSTRAINT api_token_replaces_fkey REFERENCES api_token (id) ON UPDATE CASCADE ON DELETE NO ACTION,
    -- Requests refused because of allowed_networks: how many, and the last one.
    ADD COLUMN refused_count INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN refused_from TEXT,
    ADD COLUMN refused_at TIMESTAMPTZ(3),
    -- The days before the expiry of the last entry in the history that announced it.
    ADD COLUMN expiry_announced INTEGER;

CREATE INDEX api_token_expires_at_idx ON api_token (expires_at);
