-- Lists of groups with an end of their access.
CREATE INDEX CONCURRENTLY user_group_access_ends_at_idx ON user_group (environment_id, access_ends_at, team_id) WHERE access_ends_at IS NOT NULL;
