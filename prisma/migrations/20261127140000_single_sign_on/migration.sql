-- AlterTable
ALTER TABLE "account" ADD COLUMN     "issuer" TEXT,
ADD COLUMN     "second_factor_at" TIMESTAMPTZ(3);
