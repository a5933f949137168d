-- AlterTable
ALTER TABLE "api_token" ADD COLUMN     "binding" BYTEA;
