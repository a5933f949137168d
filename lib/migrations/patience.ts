import { setTimeout as sleep } from "node:timers/promises";
import { type ClientBase, DatabaseError } from "pg";

/**
 * While DDL waits for a table, every request for that table queues behind it, and times out after 800 ms
 * (lib/db/pool.ts). So DDL gives up sooner, lets them pass, and tries again.
 */
export const DDL_LOCK_TIMEOUT = "300ms";
export const ATTEMPTS = 30;
const PAUSE_MS = 700;
/** An autovacuum yields to a lock that has waited `deadlock_timeout` (1 s by default), longer than DDL waits. */
const VACUUM_LOCK_TIMEOUT = "3s";
const BLOCKED = new Set(["55P03", "40P01"]);

/** A pg client or pool. */
export type Queryable = Pick<ClientBase, "query">;

/** Does work that takes locks, and repeats it while others hold them. */
export async function patiently(db: Queryable, work: () => Promise<unknown>) {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      await db.query("ROLLBACK").catch(() => {}); // For a script with its own BEGIN.
      if (attempt === ATTEMPTS || !isBlocked(error)) throw error;
      await endVacuums(db);
      await sleep(PAUSE_MS);
    }
  }
}

/** Ends autovacuums, which take minutes on large tables, by waiting for a lock that blocks no request. */
async function endVacuums(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT relation::regclass::text AS name FROM pg_locks JOIN pg_class c ON c.oid = relation
     WHERE mode = 'ShareUpdateExclusiveLock' AND granted AND pid <> pg_backend_pid() AND relkind = 'r'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND pg_has_role(relowner, 'USAGE')`,
  );
  for (const { name } of rows) {
    const waiting =
      `BEGIN; SET LOCAL lock_timeout = '${VACUUM_LOCK_TIMEOUT}'; LOCK TABLE ONLY ${name} IN SHARE UPDATE EXCLUSIVE ` +
      "MODE; COMMIT";
    await db.query(waiting).catch(async (error: unknown) => {
      await db.query("ROLLBACK");
      // Another session's DDL, or a vacuum that prevents wraparound.
      if (!isBlocked(error)) throw error;
    });
  }
}

/** Whether an error means that others hold a lock. */
export function isBlocked(error: unknown): boolean {
  return error instanceof DatabaseError && BLOCKED.has(error.code ?? "");
}
