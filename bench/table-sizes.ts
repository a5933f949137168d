import type pg from "pg";
import { GROWING, PARTS } from "../e2e/fixtures/fill";

/** What a table takes for each group, in bytes. */
export interface TableSize {
  table: string;
  heap: number;
  indexes: number;
}

const SIZES = `
  SELECT t::text AS table, sum(pg_table_size(part))::float / $2 AS heap, sum(pg_indexes_size(part))::float / $2 AS indexes
  FROM ${PARTS} GROUP BY t ORDER BY 2 DESC`;

/** Each growing table's bytes per group. */
export async function sizesOf(database: pg.Client, groups: number): Promise<TableSize[]> {
  const { rows } = await database.query<TableSize>(SIZES, [GROWING, groups]);
  return rows.map(({ table, heap, indexes }) => ({ table, heap: Math.round(heap), indexes: Math.round(indexes) }));
}

/** What updates did to a table. */
export interface Updates {
  table: string;
  updated: number;
  /** of these the ones that touched no index */
  hot: number;
  /** row versions that a vacuum has to remove, as counted by PostgreSQL */
  dead: number;
}

const COUNTERS = `
  SELECT t::text AS table, sum(n_tup_upd)::int AS updated, sum(n_tup_hot_upd)::int AS hot, sum(n_dead_tup)::int AS dead
  FROM ${PARTS} JOIN pg_stat_user_tables s ON s.relid = part GROUP BY t`;

/** Sessions report at most once a second, and at the latest a minute after. */
const REPORTED_MS = 1_500;

/** What a load updates in each growing table. */
export async function updatesDuring(database: pg.Client, load: () => Promise<unknown>): Promise<Updates[]> {
  const before = await countersOf(database);
  await load();
  const after = await countersOf(database);
  return after.map(({ table, updated, hot, dead }) => {
    const was = before.find((one) => one.table === table);
    const more = updated - (was?.updated ?? 0);
    return {
      table,
      updated: more,
      hot: hot - (was?.hot ?? 0),
      dead: dead - (was?.dead ?? 0),
    };
  });
}

async function countersOf(database: pg.Client): Promise<Updates[]> {
  await new Promise((resolve) => setTimeout(resolve, REPORTED_MS));
  await database.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await database.query<Updates>(COUNTERS, [GROWING]);
  return rows;
}
