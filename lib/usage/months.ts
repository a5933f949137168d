import { statement, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";

// The use of groups has one partition per month, and is kept for 13 months. The database creates and drops them
// (keep_use_partitions in the migration), at each start and once a day.

/** Creates missing partitions, and drops old ones. */
export const KEEP_USE_PARTITIONS = statement("keep_use_partitions")`SELECT keep_use_partitions()`;

/** Creates missing partitions, and deletes use that has been kept long enough. */
export async function keepUseMonths() {
  await write(KEEP_USE_PARTITIONS, []);
  const where = "month < date_trunc('month', now() AT TIME ZONE 'UTC') - interval '13 months'";
  await purge({ table: "environment_use_month", where });
  await purge({ table: "api_token_use_month", where });
  // Their number stays. A day later, no flush still has viewers of that month.
  const running = "date_trunc('month', (now() - interval '1 day') AT TIME ZONE 'UTC')";
  await purge({ table: "active_viewer", where: `month < ${running}` });
}
