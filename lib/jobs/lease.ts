import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { perProcess } from "@/lib/config/per-process";
import { ranOutOfTime } from "@/lib/db/failures";
import { anyDue, claiming, holding, releasing } from "@/lib/db/lease";
import { queryOf, transaction, write } from "@/lib/db/pool";
import type { JobRecord } from "@/lib/jobs/stored";

/** Another process has taken the job, the job was cancelled, or this process is stopping. */
export class LeaseLost extends Error {}

const NEEDS_WORK = "state IN ('checking', 'applying')";
/** SQL: whether a job needs a worker. */
export const ANY_JOB_DUE = anyDue("job", NEEDS_WORK);
const CLAIM = claiming({
  table: "job",
  where: `${NEEDS_WORK} AND ($2::int IS NULL OR id = $2)`,
  order: "id",
  most: "1",
});
const HOLD = holding({ table: "job", where: "state = $3", set: "updated_at = now()" });
const RELEASE = releasing("job");

/** Exclusive permission to work on a job. */
export class Lease {
  constructor(
    readonly job: JobRecord,
    private readonly worker: string,
    private readonly shouldStop: () => boolean,
  ) {}

  /**
   * Does a step of the work in a transaction that renews the lease and locks the job.
   * @throws {LeaseLost}
   */
  change<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const { id, state } = this.job;
    return transaction(async (client) => {
      if (this.shouldStop()) throw new LeaseLost();
      const { rowCount } = await client.query(queryOf(HOLD, [id, this.worker, state]));
      if (rowCount !== 1) throw new LeaseLost();
      return work(client);
    });
  }

  /** @throws {LeaseLost} */
  renew(): Promise<void> {
    return this.change(async () => undefined);
  }

  /**
   * Repeats a step for up to `most` rows until it returns false; halves the rows after a step that ran out of time.
   * @throws {LeaseLost}
   */
  async repeat(most: number, step: (most: number) => Promise<boolean>) {
    for (let isLeft = true; isLeft; ) {
      try {
        isLeft = await step(most);
      } catch (error) {
        if (most === 1 || !ranOutOfTime(error)) throw error;
        most = Math.ceil(most / 2);
        await this.renew();
      }
    }
  }

  /** Lets another process continue, if the lease is still held. */
  async release() {
    await write(RELEASE, [this.job.id, this.worker]);
  }
}

/** Claims a job that needs work and has no other worker: the oldest, or the one with this id. */
export async function claimJob(
  shouldStop: () => boolean,
  id: number | null = null,
  worker: string = randomUUID(),
): Promise<Lease | undefined> {
  const [job] = await write<JobRecord>(CLAIM, [worker, id]);
  return job && new Lease(job, worker, shouldStop);
}

const workers = perProcess<{ wake: () => void }>("workers on jobs", () => ({ wake: () => undefined }));

/** Sets the function to call when a job of this process needs work. */
export function onJobDue(wake: () => void) {
  workers.wake = wake;
}

/** Begins work immediately if this process works on jobs; otherwise the watch notices within a second. */
export function wakeWorkers() {
  workers.wake();
}
