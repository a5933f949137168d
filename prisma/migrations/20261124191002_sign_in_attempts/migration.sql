-- CreateTable
CREATE TABLE "sign_in_attempt" (
    "account" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 1,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_attempt_pkey" PRIMARY KEY ("account")
);

-- CreateTable
CREATE TABLE "sign_in_failure" (
    "member_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "addresses" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "sign_in_failure_pkey" PRIMARY KEY ("member_id","reason","minute")
);

-- CreateIndex
CREATE INDEX "sign_in_attempt_last_at_idx" ON "sign_in_attempt"("last_at");
