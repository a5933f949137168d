import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { anyDue, claiming, holding, releasing } from "@/lib/db/lease";
import { queryOf, write } from "@/lib/db/pool";
import type { ImportRecord } from "@/lib/imports/service";

/** Exclusive permission to work on an import. */
export interface Lease {
  job: ImportRecord;
  worker: string;
}

/** Another process has taken the import, or it was cancelled. */
export class LeaseLost extends Error {}

const NEEDS_WORK = "state IN ('checking', 'applying')";
/** SQL: whether an import needs a worker. */
export const ANY_IMPORT_DUE = anyDue({ from: "import", where: NEEDS_WORK });
const CLAIM = claiming({
  table: "import",
  where: `${NEEDS_WORK} AND ($2::int IS NULL OR id = $2)`,
  order: "id",
  most: "1",
});
const HOLD = holding({ table: "import", where: "state = $3", set: "updated_at = now()" });
const RELEASE = releasing("import");

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
  const { rowCount } = await client.query(queryOf(HOLD, [job.id, worker, job.state]));
  if (rowCount !== 1) throw new LeaseLost();
}

/** Lets another process continue. */
export async function release({ job, worker }: Lease) {
  await write(RELEASE, [job.id, worker]);
}
