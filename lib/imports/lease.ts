import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { type Statement, write } from "@/lib/db/pool";
import type { ImportRecord } from "@/lib/imports/service";

/** Exclusive permission to work on an import. */
export interface Lease {
  job: ImportRecord;
  worker: string;
}

/** Another process has taken the import, or it was cancelled. */
export class LeaseLost extends Error {}

/** How long a process may be silent before another takes over: several times a statement's limit. */
const TERM = "5 seconds";

const CLAIM: Statement = {
  name: "claim_import",
  text: `
    UPDATE import SET leased_by = $1, leased_until = now() + interval '${TERM}'
    WHERE id = (
      SELECT id FROM import WHERE state IN ('checking', 'applying') AND ($2::int IS NULL OR id = $2)
        AND (leased_until IS NULL OR leased_until < now() OR leased_by = $1)
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *`,
};

const RELEASE: Statement = {
  name: "release_import",
  text: "UPDATE import SET leased_by = NULL, leased_until = NULL WHERE id = $1 AND leased_by = $2",
};

/** Claims an import that needs work and has no worker: the oldest, or this one, which may already be ours. */
export async function claimImport(id: number | null = null, worker: string = randomUUID()): Promise<Lease | undefined> {
  const [job] = await write<ImportRecord>(CLAIM, [worker, id]);
  return job && { job, worker };
}

/**
 * Renews the lease, and locks the import until the transaction ends: each step of the work starts with this.
 * @throws {LeaseLost}
 */
export async function hold(client: PoolClient, { job, worker }: Lease) {
  const { rowCount } = await client.query(
    `UPDATE import SET leased_until = now() + interval '${TERM}', updated_at = now()
     WHERE id = $1 AND leased_by = $2 AND state = $3`,
    [job.id, worker, job.state],
  );
  if (rowCount !== 1) throw new LeaseLost();
}

/** Lets another process continue. */
export async function release({ job, worker }: Lease) {
  await write(RELEASE, [job.id, worker]);
}
