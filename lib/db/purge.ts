import { setTimeout as sleep } from "node:timers/promises";
import { write } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";

interface Purge {
  table: string;
  /** what of it goes, in SQL */
  where: string;
  /** what goes along with it: a statement on the rows of `gone` */
  along?: string;
  /** how many rows a statement deletes at most */
  batch?: number;
}

let stopped = false;

/** Has each purge end with the batch it is at. */
export function stopPurging() {
  stopped = true;
}

/**
 * Deletes rows in batches, each within what a statement may take, until none is left or the service stops. It rests for as
 * long as it works, and leaves the database to requests meanwhile. A batch that takes too long is halved.
 */
export async function purge({ table, where, along, batch = 2_000 }: Purge) {
  const text = (most: number) => `
    WITH gone AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE ${where} LIMIT ${most})) RETURNING ${along ? "*" : 1}
    )${along ? `, along AS (${along})` : ""}
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

/** Whether PostgreSQL ended the statement at its limit, or we gave it up. */
function tookTooLong(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  return ("code" in cause && cause.code === "57014") || /^Query read timeout/.test(cause.message);
}
