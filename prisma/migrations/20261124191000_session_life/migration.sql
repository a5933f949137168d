-- AlterTable
ALTER TABLE "session" ADD COLUMN "signed_in_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp();

-- CreateIndex
CREATE INDEX "session_signed_in_at_idx" ON "session"("signed_in_at");

-- Below: what schema.prisma cannot say.

UPDATE "session" SET "signed_in_at" = "created_at";
