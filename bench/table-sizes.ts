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
