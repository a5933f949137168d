import pg from "pg";
import { transaction } from "@/lib/db/pool";

/** How long it may take, in milliseconds: some hundreds for a list that is full, on a busy machine. What it has done by then stays done. */
const PATIENCE_MS = 3_000;

/** How long it waits for a vacuum that has a list, in milliseconds: that does the same, and who waits for it longer than `deadlock_timeout` ends it. */
const LOCK_MS = 50;

// One instance at a time: another would wait for it, and find nothing left.
const CLEAN: pg.QueryConfig & Pick<pg.ClientConfig, "query_timeout"> = {
  text: "SELECT clean_pending_lists() WHERE pg_try_advisory_xact_lock(hashtext('clean pending lists'))",
  query_timeout: PATIENCE_MS + 100,
};

/**
 * Enters into the indexes of searches what changes have left in their pending lists (PostgreSQL, "GIN Fast Update Technique").
 * Otherwise the change that fills such a list does, and all wait that share its statement.
 */
export async function cleanPendingLists() {
  try {
    await transaction(async (client) => {
      await client.query(`SET LOCAL statement_timeout = ${PATIENCE_MS}; SET LOCAL lock_timeout = ${LOCK_MS}`);
      await client.query(CLEAN);
    });
  } catch (error) {
    if (!isAtWorkThere(error)) throw error;
  }
}

/** Whether it failed as a vacuum, or somebody else, has the list. */
function isAtWorkThere(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && cause.code === "55P03";
}
