-- Not in the write-ahead log: a crash may empty it, and then a minute is counted anew.
CREATE UNLOGGED TABLE "rate_count" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_count_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "rate_count_expire_idx" ON "rate_count"("expire");

-- A group stays in its environment, under its id: whatever a statement says that should not.
CREATE FUNCTION "refuse_group_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a user group never changes its environment, its id or its number';
END $$;

CREATE TRIGGER "user_group_stays" BEFORE UPDATE OF "environment_id", "provided_id", "team_id" ON "user_group"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_group_move"();
