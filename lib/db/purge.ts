import { setTimeout as sleep } from "node:timers/promises";
import { write } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";

interface Purge {
  table: string;
  /** SQL condition of the rows to delete */
  where: string;
  /** further deletions in the same statement; they can read the deleted rows as `gone` */
  along?: string[];
  /** maximum rows per statement */
  batch?: number;
}

let stopped = false;

/** Makes each purge end after its current batch. */
export function stopPurging() {
  stopped = true;
}

/**
 * Deletes rows in batches, each within a statement's time limit, until none is left or the service stops. Pauses as
 * long as it works, leaving the database to requests. A batch that takes too long is halved.
 */
export async function purge({ table, where, along, batch = 2_000 }: Purge) {
  const text = (most: number) => `
    WITH gone AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE ${where} LIMIT ${most}))
        RETURNING ${along ? "*" : 1}
    )${along?.map((statement, n) => `, along_${n} AS (${statement})`).join("") ?? ""}
    SELECT count(*)::int AS rows FROM gone`;
  for (let most = batch; !stopped; ) {
    const start = performance.now();
    const rows = await write<{ rows: number }>({ name: `purge_${table}_${most}`, text: text(most) }, []).then(
      ([gone]) => gone?.rows ?? 0,
      (error: unknown) => {
        if (most === 1 || !tookTooLong(error)) throw error;
        return undefined;
      },
    );
    if (rows === undefined) most = Math.ceil(most / 2);
    else if (rows < most) return;
    await sleep(performance.now() - start);
  }
}

/** Whether PostgreSQL cancelled the statement at its limit, or we gave up. */
function tookTooLong(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  return ("code" in cause && cause.code === "57014") || /^Query read timeout/.test(cause.message);
}
