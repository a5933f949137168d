import { type ClientBase, DatabaseError } from "pg";
import { StartError } from "@/lib/errors";
import { takeStock } from "@/lib/migrations/partitioned-indexes";
import { ATTEMPTS, DDL_LOCK_TIMEOUT, isBlocked, patiently } from "@/lib/migrations/patience";

/**
 * Runs a migration's script and then `record`, in one transaction if possible, and repeats while others lock its
 * tables.
 * @throws {StartError} that names the migration and says what to do
 */
export async function runScript(db: ClientBase, name: string, script: string, record = ""): Promise<void> {
  const isConcurrent = /\bCONCURRENTLY\b/i.test(script);
  // Commits each step, and can be repeated after any step.
  const isStepwise = isConcurrent || /\bCOMMIT;/i.test(script);
  const [, index] = /\bCREATE (?:UNIQUE )?INDEX CONCURRENTLY (\S+)/i.exec(script) ?? [];
  try {
    // A concurrent build blocks no one while it waits, and giving up would leave half an index.
    await db.query(`SET lock_timeout = '${isConcurrent ? 0 : DDL_LOCK_TIMEOUT}'`);
    await patiently(db, async () => {
      // Without parameters pg sends the text as is, and the server runs it in one transaction.
      if (!isStepwise) return db.query(`${script}\n;${record}`);
      // PostgreSQL finishes the statement of a killed process: the index may exist by now.
      const isBuilt = index !== undefined && (await takeStock(db, index)) === "built";
      if (!isBuilt) await db.query(script);
      return db.query(record);
    });
  } catch (error) {
    // If the connection is gone, this fails with pg's own error, which is the real reason.
    await db.query("SELECT");
    // Without the server's detail, which quotes rows.
    const reason = error instanceof DatabaseError ? `${error.message} (${error.code})` : String(error);
    const advice = isBlocked(error)
      ? `Its tables stayed locked through ${ATTEMPTS} attempts. End long transactions (see pg_stat_activity), then ` +
        "start again."
      : `Fix the cause in the database, or prisma/migrations/${name}/migration.sql if it was never applied ` +
        "anywhere, then start again.";
    throw new StartError(`Migration ${name} failed and was rolled back: ${reason}. ${advice}`);
  }
}
