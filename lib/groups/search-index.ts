import pg from "pg";
import { transaction } from "@/lib/db/pool";

/** Time limit in milliseconds: a full list takes a few hundred on a busy machine. Work done by then is kept. */
const PATIENCE_MS = 3_000;

/**
 * How long to wait for a vacuum of a list, in milliseconds: the vacuum does the same work, and waiting for
 * `deadlock_timeout` would cancel it.
 */
const LOCK_MS = 50;

// One instance at a time: a second one would wait, and find nothing left.
const CLEAN: pg.QueryConfig & Pick<pg.ClientConfig, "query_timeout"> = {
  text: "SELECT clean_pending_lists() WHERE pg_try_advisory_xact_lock(hashtext('clean pending lists'))",
  query_timeout: PATIENCE_MS + 100,
};

/**
 * Moves changes from the pending lists into the search indexes (PostgreSQL, "GIN Fast Update Technique").
 * Otherwise the change that fills a list does this, delaying all changes in its statement. Returns false while another
 * session does it: that session may have begun before the last change.
 */
export async function cleanPendingLists(): Promise<boolean> {
  try {
    return await transaction(async (client) => {
      await client.query(`SET LOCAL statement_timeout = ${PATIENCE_MS}; SET LOCAL lock_timeout = ${LOCK_MS}`);
      return (await client.query(CLEAN)).rowCount === 1;
    });
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    // A vacuum or another session is processing the list.
    if (cause instanceof pg.DatabaseError && cause.code === "55P03") return false;
    throw error;
  }
}
