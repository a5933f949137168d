-- AlterTable
ALTER TABLE "api_token" ADD COLUMN     "created_by_id" TEXT;

-- CreateIndex
CREATE INDEX "api_token_created_by_id_idx" ON "api_token"("created_by_id");


-- Below: what schema.prisma cannot say.

-- The history knows who made the API tokens from before.
UPDATE "api_token" t SET "created_by_id" = a."actor_id" FROM "audit_entry" a
WHERE a."action" = 'api_token.created' AND a."actor_type" = 'member' AND (a."after"::json ->> 'id')::int = t."id";
