import type pg from "pg";
import { environmentsIn } from "@/lib/audit/entries";
import { Connection } from "@/lib/db/connection";
import { read, statement } from "@/lib/db/pool";
import { tryLock } from "@/lib/migrations/migrate";
import { DDL_LOCK_TIMEOUT, patiently } from "@/lib/migrations/patience";

// HISTORY_KEPT: the owner of the tables drops whole months of the history. A month is first detached concurrently,
// which waits for the queries that may read it and blocks no others; then nothing uses the month, and it is dropped.

/** Marks a month that is being dropped, so that months that an operator has detached to keep are left alone. */
const MARK = "dropped by HISTORY_KEPT";

/** SQL: when the month of a partition ended; null for other tables. */
const END = "to_date(substring(relname FROM '^audit_entry_(\\d{4}_\\d\\d)$'), 'YYYY_MM') + interval '1 month'";

/** The months that ended $1 months ago, the oldest first. */
const OLD = `
  SELECT relname AS name, c.oid::regclass::text AS table,
    CASE WHEN i.inhdetachpending THEN 'detaching' WHEN i.inhrelid IS NULL THEN 'detached' ELSE 'attached' END AS state
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'audit_entry'::regclass
  WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'audit_entry'::regclass)
    AND (i.inhrelid IS NOT NULL OR obj_description(c.oid, 'pg_class') = '${MARK}')
    AND ${END} <= (now() AT TIME ZONE 'UTC') - make_interval(months => $1)
  ORDER BY relname`;

interface Month {
  name: string;
  /** as SQL */
  table: string;
  state: "attached" | "detaching" | "detached";
}

const CONNECT_MS = 10_000;

/**
 * Drops months that ended this many months ago, as the owner of the tables, and returns the dropped tables; undefined
 * while another process does this or migrates. Continues where an interrupted call stopped.
 * @throws when others hold a lock for too long
 */
export async function dropOldMonths(ownerUrl: string, months: number): Promise<string[] | undefined> {
  const client = new Connection({
    connectionString: ownerUrl,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: "user-group-service history",
    settings: { lock_timeout: DDL_LOCK_TIMEOUT },
  });
  await client.connect();
  try {
    if (!(await tryLock(client))) return undefined;
    const find = async () => (await client.query<Month>(OLD, [months])).rows;
    const old = await find();
    for (const { name } of old) {
      await patiently(client, async () => {
        const month = (await find()).find((one) => one.name === name);
        if (month) await dropMonth(client, month);
      });
    }
    return old.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function dropMonth(client: pg.Client, { table, state }: Month) {
  if (state === "attached") {
    await client.query(`BEGIN; ${noting(table)}; COMMENT ON TABLE ${table} IS '${MARK}'; COMMIT`);
    await client.query(`ALTER TABLE audit_entry DETACH PARTITION ${table} CONCURRENTLY`);
  }
  if (state === "detaching") await client.query(`ALTER TABLE audit_entry DETACH PARTITION ${table} FINALIZE`);
  await client.query(`DROP TABLE ${table}`);
}

/** SQL that stores each environment's last place in a month. */
function noting(table: string): string {
  const last = (condition: string) =>
    `(SELECT epoch, xid, id, at FROM ${table} WHERE ${condition} ORDER BY epoch DESC, xid DESC, id DESC LIMIT 1)`;
  return `
    WITH RECURSIVE ${environmentsIn(table)}
    INSERT INTO history_dropped AS d (environment_id, epoch, xid, id, at)
    SELECT known.environment_id, last.* FROM known
      CROSS JOIN LATERAL ${last("environment_id = known.environment_id")} AS last
    UNION ALL
    SELECT 0, last.* FROM ${last("environment_id IS NULL")} AS last
    ON CONFLICT (environment_id) DO UPDATE SET (epoch, xid, id, at) = (excluded.epoch, excluded.xid, excluded.id,
      excluded.at)
    WHERE (excluded.epoch, excluded.xid, excluded.id) > (d.epoch, d.xid, d.id)`;
}

const OVERDUE = statement("overdue_months")`
  SELECT count(*)::int AS months FROM pg_inherits JOIN pg_class ON oid = inhrelid
  WHERE inhparent = 'audit_entry'::regclass
    AND ${END} + interval '2 days' <= (now() AT TIME ZONE 'UTC') - make_interval(months => $1)`;

/** How many months should have been dropped two days ago. */
export async function overdueMonths(months: number): Promise<number> {
  return (await read<{ months: number }>(OVERDUE, [months]))[0]?.months ?? 0;
}
