-- Search by a part of a name or id. A contrib extension that any owner of a database may create.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";

-- CreateEnum
CREATE TYPE "link_purpose" AS ENUM ('setup', 'invite', 'reset_password');

-- DropForeignKey
ALTER TABLE "audit_entry" DROP CONSTRAINT "audit_entry_environment_id_fkey";

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "ended_token" BYTEA;

-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "embed_template" TEXT;

-- AlterTable
ALTER TABLE "member" ADD COLUMN     "two_factor_enabled" BOOLEAN DEFAULT false;

-- CreateTable
CREATE TABLE "deleted_group" (
    "team_id" INTEGER NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "provided_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "mapping" TEXT NOT NULL,
    "properties" TEXT,
    "token_index" BYTEA NOT NULL,
    "token_sealed" BYTEA NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "rotated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_group_pkey" PRIMARY KEY ("team_id")
);

-- CreateTable
CREATE TABLE "two_factor" (
    "id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "backup_codes" TEXT NOT NULL,
    "verified" BOOLEAN DEFAULT true,
    "failed_verification_count" INTEGER DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "two_factor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "one_time_link" (
    "id" SERIAL NOT NULL,
    "digest" BYTEA NOT NULL,
    "purpose" "link_purpose" NOT NULL,
    "email" TEXT,
    "role" "role",
    "member_id" TEXT,
    "created_by" TEXT NOT NULL,
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "one_time_link_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "deleted_group_deleted_at_idx" ON "deleted_group"("deleted_at");

-- CreateIndex
CREATE INDEX "two_factor_member_id_idx" ON "two_factor"("member_id");

-- CreateIndex
CREATE UNIQUE INDEX "one_time_link_digest_key" ON "one_time_link"("digest");

-- CreateIndex
CREATE INDEX "one_time_link_member_id_idx" ON "one_time_link"("member_id");

-- CreateIndex
CREATE INDEX "one_time_link_created_by_id_idx" ON "one_time_link"("created_by_id");

-- CreateIndex
CREATE INDEX "one_time_link_expires_at_idx" ON "one_time_link"("expires_at");

-- CreateIndex
CREATE INDEX "audit_entry_actor_type_actor_id_id_idx" ON "audit_entry"("actor_type", "actor_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_action_id_idx" ON "audit_entry"("action", "id");

-- CreateIndex
CREATE INDEX "audit_entry_at_idx" ON "audit_entry"("at");

-- CreateIndex
CREATE INDEX "user_group_environment_id_team_id_idx" ON "user_group"("environment_id", "team_id");

-- CreateIndex
CREATE INDEX "user_group_environment_id_updated_at_team_id_idx" ON "user_group"("environment_id", "updated_at", "team_id");

-- AddForeignKey
ALTER TABLE "two_factor" ADD CONSTRAINT "two_factor_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "member"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "one_time_link" ADD CONSTRAINT "one_time_link_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "member"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Below: what schema.prisma cannot say.

ALTER TABLE "deleted_group" ALTER COLUMN "provided_id" TYPE TEXT COLLATE "C";

-- Names sort without regard to case, and bytewise beyond that: no update of a locale library reorders them under the index.
CREATE INDEX "user_group_sort_name_idx" ON "user_group" ("environment_id", (lower("name") COLLATE "C"), "team_id");

-- Parts of a name or an id. What is not ASCII stands in it as octal escapes: which letters have trigrams depends on the locale
-- of the cluster otherwise, and in the locale C none has that is not ASCII. Neither names nor ids hold a line feed.
-- The lists of entries that wait to be sorted in are short, as every search reads them and one insert clears them.
CREATE INDEX "user_group_search_idx" ON "user_group" USING GIN (
    encode(decode(replace(lower("name" || E'\n' || ("provided_id" COLLATE "default")), '\', '\\'), 'escape'), 'escape') gin_trgm_ops
) WITH (gin_pending_list_limit = 512);

-- Groups that have a property of some value.
CREATE INDEX "user_group_properties_idx" ON "user_group" USING GIN (("properties"::jsonb) jsonb_path_ops)
    WITH (gin_pending_list_limit = 512);

-- Whose token this was, and when it stopped.
CREATE INDEX "audit_entry_ended_token_idx" ON "audit_entry" ("ended_token", "id") WHERE "ended_token" IS NOT NULL;

-- No foreign key empties environment_id any more when an environment goes: history stays as it was written.
DROP TRIGGER "audit_entry_append_only" ON "audit_entry";

UPDATE "audit_entry" SET "ended_token" = decode("before"::json ->> 'token_fingerprint', 'hex')
WHERE "action" = 'user_group.token_rotated';

CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

ALTER TABLE "environment"
    ADD CONSTRAINT "environment_slug_check" CHECK ("slug" ~ '^[a-z][a-z0-9-]{0,39}$'),
    ADD CONSTRAINT "environment_embed_template_check" CHECK (octet_length("embed_template") <= 16384);

ALTER TABLE "one_time_link" ADD CONSTRAINT "one_time_link_digest_check" CHECK (octet_length("digest") = 32);
