-- CreateTable
CREATE TABLE "group_use" (
    "team_id" INTEGER NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "group_use_pkey" PRIMARY KEY ("team_id")
);

-- CreateIndex
CREATE INDEX "group_use_environment_id_last_used_at_team_id_idx" ON "group_use"("environment_id", "last_used_at", "team_id");

-- Every group has its row from the first, so that those which were never used are a range of an index as well; whatever
-- statement makes the group, and of whatever release. A group that is restored still has the one it had.
CREATE FUNCTION "begin_group_use"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "group_use" ("team_id", "environment_id", "last_used_at")
    SELECT "team_id", "environment_id", '-infinity' FROM "created" ON CONFLICT ("team_id") DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER "user_group_use" AFTER INSERT ON "user_group" REFERENCING NEW TABLE AS "created"
    FOR EACH STATEMENT EXECUTE FUNCTION "begin_group_use"();
