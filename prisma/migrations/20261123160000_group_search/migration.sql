-- CreateTable
CREATE TABLE "group_search" (
    "team_id" INTEGER NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "provided_id" TEXT NOT NULL,
    "sort_name" TEXT NOT NULL,
    "search_text" TEXT NOT NULL,
    "properties" JSONB,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "group_search_pkey" PRIMARY KEY ("team_id")
);


-- Below: what schema.prisma cannot say.

ALTER TABLE "group_search"
    ALTER COLUMN "provided_id" TYPE TEXT COLLATE "C",
    ALTER COLUMN "sort_name" TYPE TEXT COLLATE "C",
    ALTER COLUMN "search_text" TYPE TEXT COLLATE "C",
    -- Whether a search reads on in order or sorts all that it finds depends on how many the planner expects.
    ALTER COLUMN "sort_name" SET STATISTICS 400;

-- What is not ASCII stands in it as octal escapes: which letters have trigrams depends on the locale of the cluster otherwise, and
-- in the locale C none has that is not ASCII.
CREATE FUNCTION "to_search_text"("said" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(decode(replace(lower("said"), '\', '\\'), 'escape'), 'escape')
$$;

-- By triggers: whatever statement writes a group, and of whatever release, lists find it as it is. Neither names nor ids hold a line feed.
CREATE FUNCTION "begin_group_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "group_search" ("team_id", "environment_id", "provided_id", "sort_name", "search_text", "properties", "updated_at")
    SELECT "team_id", "environment_id", "provided_id", lower("name"),
        "to_search_text"("name" || E'\n' || ("provided_id" COLLATE "default")), "properties"::jsonb, "updated_at"
    FROM "created";
    RETURN NULL;
END $$;

CREATE FUNCTION "change_group_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "group_search"
    SET "sort_name" = lower(NEW."name"), "search_text" = "to_search_text"(NEW."name" || E'\n' || (NEW."provided_id" COLLATE "default")),
        "properties" = NEW."properties"::jsonb, "updated_at" = NEW."updated_at"
    WHERE "environment_id" = NEW."environment_id" AND "team_id" = NEW."team_id";
    RETURN NULL;
END $$;

CREATE FUNCTION "end_group_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "group_search" s USING "deleted" d WHERE s."environment_id" = d."environment_id" AND s."team_id" = d."team_id";
    RETURN NULL;
END $$;

CREATE TRIGGER "user_group_search_insert" AFTER INSERT ON "user_group" REFERENCING NEW TABLE AS "created"
    FOR EACH STATEMENT EXECUTE FUNCTION "begin_group_search"();

CREATE TRIGGER "user_group_search_update" AFTER UPDATE OF "name", "properties", "updated_at" ON "user_group" FOR EACH ROW
    WHEN ((OLD."name", OLD."properties", OLD."updated_at") IS DISTINCT FROM (NEW."name", NEW."properties", NEW."updated_at"))
    EXECUTE FUNCTION "change_group_search"();

CREATE TRIGGER "user_group_search_delete" AFTER DELETE ON "user_group" REFERENCING OLD TABLE AS "deleted"
    FOR EACH STATEMENT EXECUTE FUNCTION "end_group_search"();
