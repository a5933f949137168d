-- Lists of suspended groups.
CREATE INDEX CONCURRENTLY user_group_suspended_idx ON user_group (environment_id, team_id) WHERE state = 'suspended';
