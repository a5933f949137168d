import type { PoolClient } from "pg";
import type { Author } from "@/lib/authority/authority";
import { query, read, statement } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";
import type { Job, JobOutcome, JobRowsQuery, JobState } from "@/lib/jobs/schema";

/** A stored job; the counts are of rows. */
export interface JobRecord {
  id: number;
  environment_id: number;
  kind: Job["kind"];
  name: string;
  bytes: number;
  mode: Job["mode"];
  /** of a sync: a number, or a percentage */
  max_deletions: string | null;
  state: JobState;
  problem: string | null;
  actor_type: Author["actorType"];
  actor_id: string | null;
  actor_name: string;
  request_id: string | null;
  pieces_read: number;
  creates: number;
  changes: number;
  same: number;
  errors: number;
  created: number;
  changed: number;
  skipped: number;
  /** groups of the environment that a sync compared with the rows */
  existing: number;
  deletes: number;
  deleted: number;
  /** rows without a valid id */
  unnamed: number;
  restores: number;
  restored: number;
  /** the job that it undoes */
  undoes: number | null;
  /** what a change sets, and the filter that selects its groups, or that an import merges; as JSON text */
  change: string | null;
  /** without a file: the rows to expect */
  expected: number | null;
  /** whether it is applied as soon as it is checked */
  applies: boolean;
  /** whether it was ever applied */
  is_begun: boolean;
  created_at: Date;
  ended_at: Date | null;
}

/** A stored row of a job. */
export interface JobRowRecord {
  line: number;
  outcome: JobOutcome;
  provided_id: string | null;
  name: string | null;
  mapping: string | null;
  /** JSON text: `null` clears them, null leaves them unchanged */
  properties: string | null;
  /** null leaves it unchanged */
  state: "active" | "suspended" | null;
  team_id: number | null;
  version: number | null;
  /** JSON text of the group before */
  before: string | null;
  /** JSON text: its errors, why it was skipped, or what the definitions report */
  issues: string | null;
}

const LISTED = 20;
/** The most bytes of texts on a page of rows. */
const MAX_PAGE_BYTES = 4_194_304;

export const FIND = statement("find_job")`SELECT * FROM job WHERE environment_id = $1 AND id = $2`;

const LOCK = statement("lock_job")`${FIND.text} FOR UPDATE`;

const LIST = statement("list_jobs")`
  SELECT * FROM job WHERE environment_id = $1 ORDER BY (ended_at IS NULL) DESC, id DESC LIMIT ${LISTED}`;

/** The bytes of a row's texts. `before` counts twice: an answer can repeat its texts in the group afterwards. */
const ROW_BYTES = ["name", "mapping", "properties", "before", "before", "issues"]
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(" + ");
const LIST_ROWS = statement("list_job_rows")`
  SELECT * FROM (
    SELECT page.*, sum(${ROW_BYTES}) OVER (ORDER BY line) AS bytes, row_number() OVER (ORDER BY line) AS n,
      (count(*) OVER ())::int AS found
    FROM (
      SELECT r.* FROM job_row r JOIN job j ON j.id = r.job_id
      WHERE j.environment_id = $1 AND j.id = $2 AND r.line > $3 AND ($4::job_outcome IS NULL OR r.outcome = $4)
      ORDER BY r.line LIMIT $5
    ) AS page
  ) AS sized WHERE bytes <= ${MAX_PAGE_BYTES} OR n = 1 ORDER BY line`;

/**
 * A job of the environment.
 * @throws {AppError} `not_found`
 */
export async function findJob(environmentId: number, id: number): Promise<JobRecord> {
  const [found] = await read<JobRecord>(FIND, [environmentId, id]);
  return found ?? noSuchJob();
}

/** The open jobs of an environment, then the newest others. */
export async function listJobs(environmentId: number): Promise<JobRecord[]> {
  return read<JobRecord>(LIST, [environmentId]);
}

/**
 * Rows of a job in order, and the line after which there are more. A page ends early at 4 MiB of texts.
 * @throws {AppError} `not_found`
 */
export async function listJobRows(environmentId: number, { id, outcome, after, limit }: JobRowsQuery) {
  await findJob(environmentId, id);
  const values = [environmentId, id, after, outcome ?? null, limit + 1];
  const rows = await read<JobRowRecord & { found: number }>(LIST_ROWS, values);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: last && last.found > shown.length ? last.line : null };
}

/** How many planned rows were not done. */
export function rowsLeft(job: JobRecord): number {
  const { creates, changes, deletes, restores, created, changed, deleted, restored, skipped } = job;
  return creates + changes + deletes + restores - created - changed - deleted - restored - skipped;
}

/** Whether a job can be applied, or continued with the remaining rows. */
export function canApply(job: JobRecord): boolean {
  const isStopped = job.state === "cancelled" || job.state === "failed";
  return job.state === "checked" || (isStopped && job.is_begun && rowsLeft(job) > 0);
}

/**
 * Locks a job in the transaction.
 * @throws {AppError} `not_found`
 */
export async function lockJob(client: PoolClient, environmentId: number, id: number): Promise<JobRecord> {
  return (await query<JobRecord>(client, LOCK, [environmentId, id]))[0] ?? noSuchJob();
}

/** @throws {AppError} `not_found` */
export function noSuchJob(): never {
  throw new AppError("not_found", "No such job in this environment. It may have been deleted.");
}
