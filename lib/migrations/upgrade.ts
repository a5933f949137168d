import { readFileSync } from "node:fs";
import path from "node:path";
import type { ClientBase } from "pg";
import { StartError } from "@/lib/errors";
import { formerMigrations, INIT, migrationNames, readMigration } from "@/lib/migrations/migrations";
import { runScript } from "@/lib/migrations/run-script";

const EXPORT =
  "Export its user groups with the version that migrated it, and import them into a new database, or restore a " +
  "backup from before that migration.";

interface Applied {
  name: string;
  /** as in former.sha256 */
  line: string;
  isFinished: boolean;
}

/**
 * Brings a database with another INIT than this release's, from 0.9.0 or a commit after it, to this INIT's schema, and
 * marks it. Returns INIT if it did. Can be repeated after any interruption.
 * @throws {StartError} when one of the database's migrations is unknown or unfinished
 */
export async function upgrade(db: ClientBase, folder: string): Promise<string[]> {
  const { rows } = await db.query<Applied>(
    `SELECT migration_name AS name, checksum || '  ' || migration_name AS line, finished_at IS NOT NULL AS "isFinished"
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  // Prisma may have begun INIT and failed.
  if (!rows.some(({ isFinished }) => isFinished)) return [];
  const names = migrationNames(folder);
  const known = formerMigrations(folder);
  for (const { name, line, isFinished } of rows.filter((row) => row.name === INIT || !names.includes(row.name))) {
    if (!isFinished) throw new StartError(`${unfit(name, "did not finish")} Finish it with the version that began it.`);
    if (!known.includes(line)) throw new StartError(`${unfit(name, "is unknown to this release")} ${EXPORT}`);
  }
  const { script, checksum } = readMigration(folder, INIT);
  const [basics = "", ...tables] = partsOf(script);
  const changes = partsOf(readFileSync(path.join(folder, "upgrade.sql"), "utf8"));
  for (const part of [basics, ...changes, ...tables]) await runScript(db, INIT, part);
  await db.query("UPDATE _prisma_migrations SET checksum = $2 WHERE migration_name = $1", [INIT, checksum]);
  return [INIT];
}

const partsOf = (script: string) => script.split("\n\n\n");
const unfit = (name: string, problem: string) => `This database cannot be upgraded: its migration ${name} ${problem}.`;
