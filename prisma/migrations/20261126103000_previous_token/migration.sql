-- The token that a group's current one replaced, while both are valid. No foreign key: a deleted group keeps it for its restoration.
-- replaced_at is the group's rotated_at of then: a later rotation ends the overlap, also one by an earlier release, which does not know
-- this table.
CREATE TABLE previous_token (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    provided_id TEXT COLLATE "C" NOT NULL,
    token_index BYTEA NOT NULL,
    token_sealed BYTEA NOT NULL,
    replaced_at TIMESTAMPTZ(3) NOT NULL,
    valid_until TIMESTAMPTZ(3) NOT NULL,
    last_used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX previous_token_token_index_key ON previous_token (token_index);
CREATE INDEX previous_token_valid_until_idx ON previous_token (valid_until);
