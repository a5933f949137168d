-- Lists by change: group_search is written with each change anyway.
CREATE INDEX CONCURRENTLY group_search_environment_id_updated_at_team_id_idx ON group_search (environment_id, updated_at, team_id);
