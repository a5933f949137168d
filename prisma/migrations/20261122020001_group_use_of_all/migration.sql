-- A row for each group from before. By itself, as it takes a while: it locks nothing that requests want, and new groups get their
-- row by the trigger meanwhile.
INSERT INTO "group_use" ("team_id", "environment_id", "last_used_at")
SELECT "team_id", "environment_id", '-infinity' FROM "user_group" ON CONFLICT ("team_id") DO NOTHING;
