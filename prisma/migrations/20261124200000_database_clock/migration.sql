-- The same time as now(), by a name that Prisma leaves to the database: it fills in now() itself, by the clock of its own machine.
-- Each table in a transaction of its own, so that no lock of one is held while another is waited for.
BEGIN; ALTER TABLE "account" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "api_token" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "audit_entry" ALTER COLUMN "at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "environment" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "idempotency_key" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "import" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "member" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "one_time_link" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "secret_key" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "session" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "user_group" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
BEGIN; ALTER TABLE "verification" ALTER COLUMN "created_at" SET DEFAULT transaction_timestamp(); COMMIT;
