-- A row for each group from before, two thousand at a time: who changes or deletes one of these waits until such a step is done.
-- Each step is committed, and what has its row is passed over: done again, it goes on.
DO $$
DECLARE
    "last" INTEGER := 0;
BEGIN
    LOOP
        WITH "next" AS (
            SELECT * FROM "user_group" WHERE "team_id" > "last" ORDER BY "team_id" LIMIT 2000 FOR SHARE
        ), "made" AS (
            INSERT INTO "group_search" ("team_id", "environment_id", "provided_id", "sort_name", "search_text", "properties", "updated_at")
            SELECT "team_id", "environment_id", "provided_id", lower("name"),
                "to_search_text"("name" || E'\n' || ("provided_id" COLLATE "default")), "properties"::jsonb, "updated_at"
            FROM "next" ON CONFLICT ("team_id") DO NOTHING
        )
        SELECT max("team_id") INTO "last" FROM "next";
        EXIT WHEN "last" IS NULL;
        COMMIT;
    END LOOP;
    ANALYZE "group_search";
END $$
