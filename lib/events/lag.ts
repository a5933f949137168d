import { read, statement } from "@/lib/db/pool";
import { meter } from "@/lib/telemetry/current";

// The feed shows nothing beyond the oldest open transaction that writes, in any database of the cluster.

const OLDEST = statement("oldest_writer")`
  SELECT now.xid::text, locks.pid, prepared.gid AS prepared,
    extract(epoch FROM clock_timestamp() - coalesce(activity.xact_start, prepared.prepared))::float8 AS seconds
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) AS now
  JOIN pg_locks locks ON locks.locktype = 'transactionid' AND locks.transactionid = now.xid::xid
    AND locks.mode = 'ExclusiveLock' AND locks.granted
  LEFT JOIN pg_stat_activity activity ON activity.pid = locks.pid
  LEFT JOIN pg_prepared_xacts prepared ON prepared.transaction = now.xid::xid`;

interface Oldest {
  xid: string;
  /** null for a prepared transaction */
  pid: number | null;
  /** the name of a prepared transaction */
  prepared: string | null;
  /** null for a session of another role, whose activity is hidden */
  seconds: number | null;
}

let seen: { xid: string; at: number } | undefined;

/** How long the feed has waited, and for which session; since we first saw the transaction if its start is hidden. */
export async function feedLag(): Promise<Pick<Oldest, "pid" | "prepared"> & { seconds: number }> {
  const [oldest] = await read<Oldest>(OLDEST, []);
  if (!oldest) return { seconds: 0, pid: null, prepared: null };
  const { xid, pid, prepared } = oldest;
  if (seen?.xid !== xid) seen = { xid, at: performance.now() };
  return { seconds: oldest.seconds ?? (performance.now() - seen.at) / 1_000, pid, prepared };
}

/** Records the lag in the metrics. */
export async function watchFeedLag() {
  const { seconds, pid, prepared } = await feedLag();
  meter()?.feedLags(seconds, pid === null ? (prepared ?? "") : String(pid));
}
