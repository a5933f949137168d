-- CreateEnum
CREATE TYPE "environment_tag" AS ENUM ('Customer', 'Testing');

-- CreateEnum
CREATE TYPE "access" AS ENUM ('read', 'write');

-- CreateEnum
CREATE TYPE "actor_type" AS ENUM ('api_token', 'member', 'operator');

-- CreateTable
CREATE TABLE "environment" (
    "id" SERIAL NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tag" "environment_tag" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_group" (
    "team_id" SERIAL NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "provided_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "mapping" TEXT NOT NULL DEFAULT '{}',
    "properties" TEXT,
    "token_index" BYTEA NOT NULL,
    "token_sealed" BYTEA NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rotated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_group_pkey" PRIMARY KEY ("team_id")
);

-- CreateTable
CREATE TABLE "api_token" (
    "id" SERIAL NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "access" "access" NOT NULL DEFAULT 'write',
    "token_index" BYTEA NOT NULL,
    "digest_sealed" BYTEA NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "environment_id" INTEGER,
    "team_id" INTEGER,
    "action" TEXT NOT NULL,
    "actor_type" "actor_type" NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT NOT NULL,
    "request_id" TEXT,
    "before" TEXT,
    "after" TEXT,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "actor" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_digest" BYTEA NOT NULL,
    "answer_sealed" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("actor","key")
);

-- CreateTable
CREATE TABLE "secret_key" (
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secret_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "environment_slug_key" ON "environment"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "user_group_token_index_key" ON "user_group"("token_index");

-- CreateIndex
CREATE UNIQUE INDEX "user_group_environment_id_provided_id_key" ON "user_group"("environment_id", "provided_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_token_token_index_key" ON "api_token"("token_index");

-- CreateIndex
CREATE INDEX "api_token_environment_id_idx" ON "api_token"("environment_id");

-- CreateIndex
CREATE INDEX "audit_entry_environment_id_id_idx" ON "audit_entry"("environment_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_team_id_id_idx" ON "audit_entry"("team_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- AddForeignKey
ALTER TABLE "user_group" ADD CONSTRAINT "user_group_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Below: what schema.prisma cannot say.

-- Ids sort bytewise, and their index does not depend on the locale of the cluster.
ALTER TABLE "user_group" ALTER COLUMN "provided_id" TYPE TEXT COLLATE "C";

-- The length is tested first: a cast to json of what is too long would cost for nothing.
ALTER TABLE "user_group"
    ADD CONSTRAINT "user_group_provided_id_check" CHECK (char_length("provided_id") BETWEEN 1 AND 255),
    ADD CONSTRAINT "user_group_name_check" CHECK (char_length("name") BETWEEN 1 AND 255),
    ADD CONSTRAINT "user_group_mapping_check" CHECK (
        CASE WHEN octet_length("mapping") <= 65536 THEN json_typeof("mapping"::json) = 'object' ELSE false END
    ),
    ADD CONSTRAINT "user_group_properties_check" CHECK (
        CASE WHEN octet_length("properties") <= 65536 THEN json_typeof("properties"::json) = 'object' ELSE "properties" IS NULL END
    ),
    ADD CONSTRAINT "user_group_token_index_check" CHECK (octet_length("token_index") = 32);

ALTER TABLE "api_token"
    ADD CONSTRAINT "api_token_token_index_check" CHECK (octet_length("token_index") = 32);

-- History is only added to. At depth 1 it is the foreign key, which empties environment_id when an environment goes.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_entry is append-only' USING ERRCODE = 'insufficient_privilege',
        HINT = 'To prune it as its owner: ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_append_only.';
END
$$;

CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry"
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_audit_change"();

INSERT INTO "environment" ("slug", "name", "tag") VALUES
    ('production', 'Production', 'Customer'),
    ('testing', 'Testing', 'Testing');
