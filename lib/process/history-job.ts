import { dropOldMonths, overdueMonths } from "@/lib/audit/retention";
import { env } from "@/lib/config/env";
import { leadsToPgBouncer } from "@/lib/config/pgbouncer";
import { read } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";
import { runningSuperuserUrl } from "@/lib/embedded/postgres";
import { unavailable } from "@/lib/errors";
import { log } from "@/lib/telemetry/log";

const OWNS = statement("owns_history")`
  SELECT pg_has_role(relowner, 'USAGE') AS owns FROM pg_class WHERE oid = 'audit_entry'::regclass`;

/** Drops the months that HISTORY_KEPT ends, if this service can, and otherwise says that an operator must. */
export async function dropOldHistory() {
  const { HISTORY_KEPT: months } = env();
  if (months === undefined) return;
  const url = await ownersUrl();
  if (url === undefined) {
    const overdue = await overdueMonths(months);
    if (overdue > 0)
      log().warn(
        { overdue },
        "months of the history are older than HISTORY_KEPT: run ./user-groups prune-history daily",
      );
    return;
  }
  const dropped = await dropOldMonths(url, months);
  // The task is repeated soon.
  if (!dropped) throw unavailable("another process is changing the schema");
  if (dropped.length > 0) log().info({ dropped }, "months of the history were dropped, as HISTORY_KEPT says");
}

/** A URL of the role that owns the history, if this process has one: PgBouncer keeps no lock for a session. */
async function ownersUrl(): Promise<string | undefined> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (!DATABASE_URL) return runningSuperuserUrl(DATA_DIR);
  if (leadsToPgBouncer(DATABASE_URL)) return undefined;
  const [role] = await read<{ owns: boolean }>(OWNS, []);
  return role?.owns ? DATABASE_URL : undefined;
}
