import { statement, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";

// The use of groups has one partition per month, and is kept for 13 months. Partitions are created and dropped by
// keep_use_partitions (in the migration), at each start and every ten minutes.

/** Creates missing partitions, and drops old ones. */
export const KEEP_USE_PARTITIONS = statement("keep_use_partitions")`SELECT keep_use_partitions()`;

/** Creates missing partitions, and deletes use that has been kept long enough. */
export async function keepUseMonths() {
  await write(KEEP_USE_PARTITIONS, []);
  const where = "month < date_trunc('month', now() AT TIME ZONE 'UTC') - interval '13 months'";
  await purge({ table: "environment_use_month", where });
  await purge({ table: "api_token_use_month", where });
  // Keeps the count of viewers. A day after a month's end, no flush adds viewers to it any more.
  const running = "date_trunc('month', (now() - interval '1 day') AT TIME ZONE 'UTC')";
  await purge({ table: "active_viewer", where: `month < ${running}` });
}
