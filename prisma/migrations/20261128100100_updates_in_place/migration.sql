-- A change of properties touches no index of user_group: its new version stays on the page (HOT), which needs room for it.
DROP INDEX user_group_environment_id_updated_at_team_id_idx;
ALTER TABLE user_group SET (fillfactor = 85);
