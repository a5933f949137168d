-- CreateEnum
CREATE TYPE "import_state" AS ENUM ('uploading', 'checking', 'checked', 'applying', 'done', 'cancelled', 'failed');

-- CreateEnum
CREATE TYPE "import_outcome" AS ENUM ('create', 'change', 'same', 'error', 'created', 'changed', 'skipped');

-- CreateTable
CREATE TABLE "import" (
    "id" SERIAL NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "file_name" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "state" "import_state" NOT NULL DEFAULT 'uploading',
    "problem" TEXT,
    "actor_type" "actor_type" NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT NOT NULL,
    "request_id" TEXT,
    "pieces_read" INTEGER NOT NULL DEFAULT 0,
    "creates" INTEGER NOT NULL DEFAULT 0,
    "changes" INTEGER NOT NULL DEFAULT 0,
    "same" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "leased_by" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "import_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "import_piece" (
    "import_id" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "import_piece_pkey" PRIMARY KEY ("import_id","n")
);

-- CreateTable
CREATE TABLE "import_row" (
    "import_id" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "outcome" "import_outcome" NOT NULL,
    "provided_id" TEXT,
    "name" TEXT,
    "mapping" TEXT,
    "properties" TEXT,
    "team_id" INTEGER,
    "version" INTEGER,
    "before" TEXT,
    "issues" TEXT,

    CONSTRAINT "import_row_pkey" PRIMARY KEY ("import_id","line")
);

-- CreateIndex
CREATE INDEX "import_environment_id_id_idx" ON "import"("environment_id", "id");

-- CreateIndex
CREATE INDEX "import_state_id_idx" ON "import"("state", "id");

-- CreateIndex
CREATE INDEX "import_row_import_id_outcome_line_idx" ON "import_row"("import_id", "outcome", "line");

-- AddForeignKey
ALTER TABLE "import_piece" ADD CONSTRAINT "import_piece_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "import"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_row" ADD CONSTRAINT "import_row_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "import"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Below: what schema.prisma cannot say.

ALTER TABLE "import_row" ALTER COLUMN "provided_id" TYPE TEXT COLLATE "C";

-- Read once, soon after they were written: not worth the time to compress them.
ALTER TABLE "import_piece" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
