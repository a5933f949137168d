import { type Statement, statement } from "@/lib/db/pool";

// Leases let one process at a time work on a row of a table with the columns id, leased_by and leased_until. Another
// process takes the row over if the first is silent for longer than the term.

/** How long a process may be silent: several times a statement's limit. */
const TERM = "interval '5 seconds'";
/** A lease that ends later than this dates from before the clock was set back. */
const LONGEST = "interval '1 minute'";

interface Claim {
  table: "job" | "webhook";
  /** SQL condition of the rows that need work; $1 is the worker */
  where: string;
  order: string;
  /** a number, or a parameter */
  most: string;
}

/** SQL condition: no process works on the row. */
const isFree = (row: string) => `(${row}.leased_until BETWEEN now() AND now() + ${LONGEST}) IS NOT TRUE`;

/** SQL: whether any row of a table needs work and has no worker. */
export const anyDue = (table: string, where: string) =>
  `EXISTS (SELECT FROM ${table} WHERE (${where}) AND ${isFree(table)})`;

/** Claims rows that need work and have no other worker. */
export function claiming({ table, where, order, most }: Claim): Statement {
  return statement(`claim_${table}`)`
    UPDATE ${table} SET leased_by = $1, leased_until = now() + ${TERM}
    WHERE id = ANY (ARRAY (
      SELECT id FROM ${table} WHERE ${where} AND (leased_by = $1 OR ${isFree(table)})
      ORDER BY ${order} LIMIT ${most} FOR UPDATE SKIP LOCKED
    )) RETURNING *`;
}

/** Renews the leases on rows that still match `where`; $1 are their ids, $2 their workers. Returns the ids. */
export function renewing({ table, where }: Pick<Claim, "table" | "where">): Statement {
  return statement(`renew_${table}`)`
    UPDATE ${table} SET leased_until = now() + ${TERM} FROM unnest($1::int[], $2::uuid[]) AS held(held_id, held_by)
    WHERE id = held_id AND leased_by = held_by AND ${where} RETURNING id`;
}

/**
 * Renews the lease on one row, makes the changes in `set`, and locks the row until the transaction ends; $1 is its id,
 * $2 the worker.
 */
export function holding({ table, where, set }: Pick<Claim, "table" | "where"> & { set: string }): Statement {
  return statement(`hold_${table}`)`
    UPDATE ${table} SET leased_until = now() + ${TERM}, ${set}
    WHERE id = $1 AND leased_by = $2 AND ${where} RETURNING *`;
}

/** Lets another process continue with a row; $1 is its id, $2 the worker. */
export function releasing(table: Claim["table"]): Statement {
  return statement(`release_${table}`)`
    UPDATE ${table} SET leased_by = NULL, leased_until = NULL WHERE id = $1 AND leased_by = $2`;
}
