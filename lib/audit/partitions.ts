import { read, statement, write } from "@/lib/db/pool";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";

// The history has one partition per month, and a change fails when its entry has none. The database creates them
// for the next 13 months (make_audit_partitions in the migration), at each start and every ten minutes.

/** With fewer months ahead than this, an operator must act. */
const FEWEST_AHEAD = 3;

/** Creates missing partitions. */
export const MAKE_AUDIT_PARTITIONS = statement("make_audit_partitions")`SELECT make_audit_partitions()`;

const COUNT_AHEAD = statement("count_audit_partitions_ahead")`
  SELECT count(*)::int AS ahead FROM pg_inherits JOIN pg_class partition ON partition.oid = inhrelid
  WHERE inhparent = 'audit_entry'::regclass AND NOT inhdetachpending
    AND relname > 'audit_entry_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')`;

/**
 * Creates missing partitions, and alerts if too few are still ahead.
 * @throws when creating them fails: it is soon tried again
 */
export async function keepAuditPartitions() {
  const failure = await write(MAKE_AUDIT_PARTITIONS, []).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const [counted] = await read<{ ahead: number }>(COUNT_AHEAD, []);
  const ahead = counted?.ahead ?? 0;
  meter()?.partitioned(ahead);
  if (ahead < FEWEST_AHEAD) {
    const alarm =
      `history partitions exist for only ${ahead} more months, and every change fails without one: as the owner, run ` +
      "SELECT make_audit_partitions()";
    log().error({ ahead, err: failure?.error }, alarm);
  }
  if (failure) throw failure.error;
}
