import type { ClientBase } from "pg";
import { write } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";
import { StartError } from "@/lib/errors";
import { ATTEMPTS, isBlocked, patiently } from "@/lib/migrations/patience";

// Another cluster starts its transaction numbers over: a dump restored there has higher numbers than the entries that
// follow. raise_feed_epoch() (in the migration) notices, and begins an epoch. Entries of earlier epochs come first, and
// all of them are settled.

const RAISE = statement("raise_feed_epoch")`SELECT raise_feed_epoch()`;

/**
 * Begins an epoch if the database has moved to another cluster, over a connection of a start, which writes no entry
 * before.
 * @throws {StartError} when the history stays locked
 */
export async function startFeedEpoch(client: ClientBase) {
  try {
    await patiently(client, () => client.query(RAISE.text));
  } catch (error) {
    if (!isBlocked(error)) throw error;
    throw new StartError(
      `This database was restored into another cluster, and its history stayed locked through ${ATTEMPTS} ` +
        "attempts to note that. End long transactions (see pg_stat_activity), then start again.",
      { cause: error },
    );
  }
}

/** As {@link startFeedEpoch}, under a running service. */
export async function raiseFeedEpoch() {
  await write(RAISE, []);
}
