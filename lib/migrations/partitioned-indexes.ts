import type { ClientBase } from "pg";
import { DDL_LOCK_TIMEOUT, patiently, type Queryable } from "@/lib/migrations/patience";

// A partitioned table cannot be indexed concurrently as a whole. A migration begins with CREATE INDEX … ON ONLY, which
// creates an invalid index without parts. Each partition is then indexed by itself, and the last makes the whole index
// valid.

const INDEX = "pg_index parent JOIN pg_class c ON c.oid = parent.indexrelid";
const IS_UNFINISHED = "c.relkind = 'I' AND c.relnamespace = current_schema()::regnamespace AND NOT parent.indisvalid";

/** Names parts as PostgreSQL does. */
const MISSING = `
  SELECT parent.indexrelid::regclass::text AS index, pg_get_indexdef(parent.indexrelid) AS definition,
    one.inhrelid::regclass::text AS partition,
    quote_ident(part.relname || '_' || CASE WHEN starts_with(c.relname, whole.relname || '_')
      THEN substr(c.relname, length(whole.relname) + 2) ELSE c.relname END) AS name
  FROM ${INDEX} JOIN pg_class whole ON whole.oid = parent.indrelid
  JOIN pg_inherits one ON one.inhparent = parent.indrelid AND NOT one.inhdetachpending
  JOIN pg_class part ON part.oid = one.inhrelid
  WHERE ${IS_UNFINISHED} AND NOT EXISTS (
    SELECT FROM pg_inherits attached JOIN pg_index child ON child.indexrelid = attached.inhrelid
    WHERE attached.inhparent = parent.indexrelid AND child.indrelid = one.inhrelid
  )
  ORDER BY 1, 3`;

interface Part {
  index: string;
  /** the parent index's definition, as SQL */
  definition: string;
  partition: string;
  /** name of the index to build */
  name: string;
}

/** Whether a migration's index lacks partitions, because the migrating process ended early. */
export async function hasUnfinishedIndexes(db: Queryable): Promise<boolean> {
  return (await db.query(`SELECT FROM ${INDEX} WHERE ${IS_UNFINISHED}`)).rowCount !== 0;
}

/** Builds the missing parts of partitioned indexes while requests run; can be repeated after any step. */
export async function finishIndexes(db: ClientBase) {
  const { rows } = await db.query<Part>(MISSING);
  for (const { index, definition, partition, name } of rows) {
    // A concurrent build blocks no one while it waits, and giving up would leave half an index.
    await db.query("SET lock_timeout = 0");
    if ((await takeStock(db, name)) === "missing") {
      const [head = "", body = ""] = definition.split(/ (?=USING )/);
      const kind = head.startsWith("CREATE UNIQUE") ? "UNIQUE INDEX" : "INDEX";
      await db.query(`CREATE ${kind} CONCURRENTLY ${name} ON ${partition} ${body}`);
    }
    await db.query(`SET lock_timeout = '${DDL_LOCK_TIMEOUT}'`);
    await patiently(db, () => db.query(`ALTER INDEX ${index} ATTACH PARTITION ${name}`));
  }
}

/** Whether an index is complete; removes an incomplete one. */
export async function takeStock(db: ClientBase, index: string): Promise<"built" | "missing"> {
  const { rows } = await db.query<{ indisvalid: boolean }>(
    "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)",
    [index],
  );
  if (rows[0]?.indisvalid) return "built";
  if (rows[0]) await db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  return "missing";
}
