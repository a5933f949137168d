import type pg from "pg";
import type { ConnectionConfig } from "@/lib/db/connection";
import { Session } from "@/lib/db/session";

const RUNNING = `
  SELECT pid FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND datname = current_database()
    AND usename = current_user
    AND state IS DISTINCT FROM 'idle' AND query_start < now() - interval '900 milliseconds'`;

/**
 * Finds our backends that have run a statement for longer than allowed, through `pool`, or else over a connection
 * of its own. The result tells by backend; undefined, for one hidden behind PgBouncer, means any.
 */
export async function findRunning(
  pool: pg.Pool | undefined,
  config: ConnectionConfig,
): Promise<(backend: number | null | undefined) => boolean> {
  const { rows } = await (pool ? pool.query<{ pid: number }>(RUNNING) : queryApart(config));
  const pids = new Set<number | null>(rows.map(({ pid }) => pid));
  return (backend) => (backend === undefined ? pids.size > 0 : pids.has(backend));
}

async function queryApart(config: ConnectionConfig): Promise<pg.QueryResult<{ pid: number }>> {
  const client = new Session(config);
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await client.query(RUNNING);
  } finally {
    await client.end();
  }
}
