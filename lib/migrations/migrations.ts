import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseError } from "pg";
import { StartError } from "@/lib/errors";
import { hasUnfinishedIndexes } from "@/lib/migrations/partitioned-indexes";
import type { Queryable } from "@/lib/migrations/patience";

/** The folder of this release's migrations. */
export const DEFAULT_FOLDER = path.join(process.cwd(), "prisma/migrations");

/**
 * The first migration. It has replaced those of 0.9.0 and of the commits after it, but kept the first one's name: 0.9.0
 * still starts on an upgraded database. A database with another checksum of it has yet to be upgraded.
 */
export const INIT = "20261125000000_init";

/** The first migration of versions before 0.9.0, which replaces them with its own. */
const EARLIER = "20261120000000_init";
const EARLIER_DATABASE =
  "This database was created by a version before 0.9.0 and cannot be upgraded. " +
  "Export its user groups with that version and " +
  "import them into a new database, or start with a new DATA_DIR or DATABASE_URL.";

const namesByFolder = new Map<string, readonly string[]>();

/** The names of this release's migrations, oldest first; read from disk once. */
export function migrationNames(folder = DEFAULT_FOLDER): readonly string[] {
  const known = namesByFolder.get(folder);
  if (known) return known;
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map((entry) => entry.name).sort();
  namesByFolder.set(folder, names);
  return names;
}

/** A migration's SQL, and its SHA-256 in hex. */
export function readMigration(folder: string, name: string): { script: string; checksum: string } {
  const script = readFileSync(path.join(folder, name, "migration.sql"), "utf8");
  return { script, checksum: createHash("sha256").update(script).digest("hex") };
}

/** The migrations that INIT has replaced, in all their versions, as lines of `sha256sum`. */
export function formerMigrations(folder: string): string[] {
  return readFileSync(path.join(folder, "former.sha256"), "utf8").split("\n");
}

/**
 * The names of the migrations that the database lacks, oldest first.
 * @throws {StartError} when a version before 0.9.0 created the database
 */
export async function pendingMigrations(db: Queryable, folder = DEFAULT_FOLDER): Promise<string[]> {
  const names = migrationNames(folder);
  const init = names.includes(INIT) ? readMigration(folder, INIT).checksum : "";
  const applied = await db
    .query<{ migration_name: string }>(
      `SELECT migration_name FROM _prisma_migrations
       WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL AND (migration_name <> $1 OR checksum = $2)`,
      [INIT, init],
    )
    .then(({ rows }) => new Set(rows.map((row) => row.migration_name)))
    .catch((error: unknown) => {
      if (error instanceof DatabaseError && error.code === "42P01") return new Set<string>();
      throw error;
    });
  if (applied.has(EARLIER)) throw new StartError(EARLIER_DATABASE);
  return names.filter((name) => !applied.has(name));
}

/** Whether no migration is pending, and none has left an index to finish. */
export async function isMigrated(db: Queryable, folder = DEFAULT_FOLDER): Promise<boolean> {
  return (await pendingMigrations(db, folder)).length === 0 && !(await hasUnfinishedIndexes(db));
}

/** Whether no newer release has migrated the database; if one has, it decides what the runtime role loses. */
export async function isNewest(db: Queryable, folder: string): Promise<boolean> {
  const former = formerMigrations(folder).map((line) => line.split("  ")[1]);
  const ours = new Set([...former, ...migrationNames(folder)]);
  const { rows } = await db.query("SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL");
  return rows.every(({ migration_name }) => ours.has(migration_name));
}
