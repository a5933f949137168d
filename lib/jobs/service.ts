import type { PoolClient } from "pg";
import { authorOf, type Caller, requireScopes } from "@/lib/auth/caller";
import {
  AUTHOR_COLUMNS,
  type Author,
  authorFrom,
  authorValues,
  checkingGiven,
  recording,
  requireScopeOn,
  scopeValues,
} from "@/lib/authority/authority";
import type { Scope } from "@/lib/authority/scopes";
import { query, statement, transaction, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { lockEnvironment } from "@/lib/environments/service";
import { AppError, invalidFields } from "@/lib/errors";
import { claim, type Entry, keepAnswer, keptAnswer } from "@/lib/groups/idempotency";
import { refuseDeletions } from "@/lib/jobs/deletions";
import { wakeWorkers } from "@/lib/jobs/lease";
import { type JobState, KEPT_DAYS, LONGEST_NAME, PIECE_BYTES, USUAL_DELETIONS } from "@/lib/jobs/schema";
import { scopesOfJob } from "@/lib/jobs/scopes";
import { canApply, FIND, findJob, type JobRecord, lockJob, noSuchJob } from "@/lib/jobs/stored";

/** The most open jobs of an environment. */
const MAX_OPEN = 10;
/** The most open jobs of an API token, and the most concurrent requests of a caller to begin one. */
export const JOBS_AT_ONCE = 2;
/** Days after which an abandoned job is cancelled. */
const PATIENCE_DAYS = 2;
/** Pieces to delete at a time: each has up to a quarter of a megabyte. */
const PIECES_PURGED = 200;
const OPEN = "state IN ('receiving', 'checking', 'checked', 'applying')";

const COUNT_OPEN = statement("count_open_jobs")`
  SELECT count(*)::int AS all, (count(*) FILTER (WHERE actor_type = 'api_token' AND actor_id = $2))::int AS own
  FROM job WHERE environment_id = $1 AND ${OPEN}`;

const CREATE = statement("create_job")`
  WITH created AS (
    INSERT INTO job (environment_id, kind, name, mode, bytes, max_deletions, undoes, change, expected, applies,
      leased_by, leased_until, state, ${AUTHOR_COLUMNS})
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::uuid,
      CASE WHEN $11 IS NOT NULL THEN now() + interval '1 minute' END,
      CASE WHEN $5::int = 0 THEN 'checking' ELSE 'receiving' END::job_state, ${AUTHOR_COLUMNS}
    FROM ${authorFrom(12)} RETURNING *
  ), ${checkingGiven(`(SELECT environment_id FROM created) AS place CROSS JOIN ${authorFrom(12)}`, 17)}
  SELECT created.* FROM created, checked`;

const STORE_PIECES = `
  INSERT INTO job_piece (job_id, n, bytes)
  SELECT $1, n - 1, convert_to(text, 'UTF8') FROM unnest($2::text[]) WITH ORDINALITY AS p(text, n)`;

const ABANDON = statement("abandon_jobs")`
  UPDATE job SET state = 'cancelled', updated_at = now(), ended_at = now()
  WHERE state IN ('receiving', 'checked') AND updated_at < now() - interval '${PATIENCE_DAYS} days'`;

const APPLY = statement("apply_job")`
  WITH begun AS (
    UPDATE job SET state = 'applying', is_begun = true, problem = NULL, ended_at = NULL, updated_at = now(),
      (${AUTHOR_COLUMNS}) = (SELECT ${AUTHOR_COLUMNS} FROM ${authorFrom(3)})
    WHERE environment_id = $1 AND id = $2 RETURNING *
  ), ${checkingGiven(`(SELECT environment_id FROM begun) AS place CROSS JOIN ${authorFrom(3)}`, 8)}, ${recording({
    columns: "environment_id, action, after",
    values: `environment_id, 'user_groups.imported', json_strip_nulls(json_build_object('file', name,
      'creates', creates, 'changes', changes, 'deletes', CASE mode WHEN 'sync' THEN deletes END))`,
    rows: "(SELECT * FROM begun WHERE kind = 'import') AS file",
  })}
  SELECT begun.* FROM begun, checked`;

/** Like a dry run itself, its cancellation is not recorded. Ending the lease stops the work. */
const CANCEL = statement("cancel_job")`
  WITH was AS (
    SELECT id, environment_id, state FROM job WHERE environment_id = $1 AND id = $2
  ), ${checkingGiven(`was CROSS JOIN ${authorFrom(3)}`, 8)}, cancelled AS (
    UPDATE job SET state = 'cancelled', updated_at = now(), ended_at = now(), leased_by = NULL, leased_until = NULL
    FROM was WHERE job.id = was.id
    RETURNING job.*, was.state = 'applying' AS was_applying
  ), ${recording({
    columns: "environment_id, action, after",
    values: `environment_id, 'user_groups.import_cancelled', json_strip_nulls(json_build_object('file', name,
      'created', created, 'changed', changed, 'deleted', CASE mode WHEN 'sync' THEN deleted END))`,
    rows: `(SELECT environment_id, name, mode, created, changed, deleted FROM cancelled
      WHERE was_applying AND kind = 'import') AS stopped CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT cancelled.* FROM cancelled, checked`;

/** The name of a job without a file in history and lists, cut to the length of a file's name. */
export function nameOf(words: string): string {
  return [...words].slice(0, LONGEST_NAME).join("");
}

/** A job to begin. */
export interface NewRecord extends Pick<JobRecord, "kind" | "name" | "mode"> {
  /** of its file */
  bytes?: number;
  maxDeletions?: number | string | undefined;
  undoes?: number;
  change?: string;
  expected?: number | null;
  applies?: boolean;
  /** its groups, where they are named */
  pieces?: string[];
}

interface Beginning {
  author: Author;
  scope: Scope;
  /** if given, no other worker takes the job for a minute */
  worker?: string;
  /** of an Idempotency-Key */
  entry?: Entry | undefined;
}

/**
 * Creates a job; its file, if any, follows.
 * @throws {AppError} `conflict` when too many are open
 */
export async function createJob(
  environmentId: number,
  { kind, name, mode, bytes = 0, ...job }: NewRecord,
  { author, scope, worker, entry }: Beginning,
): Promise<JobRecord> {
  const most = mode === "sync" ? String(job.maxDeletions ?? USUAL_DELETIONS) : null;
  const values = [
    environmentId,
    kind,
    name,
    mode,
    bytes,
    most,
    job.undoes,
    job.change,
    job.expected,
    job.applies ?? false,
    worker,
    ...authorValues(author),
    ...scopeValues(scope),
  ];
  const created = await transaction(async (client) => {
    if (entry && !(await claim(client, entry))) {
      const { id } = await keptAnswer<{ id: number }>(client, entry);
      return (await query<JobRecord>(client, FIND, [environmentId, id]))[0] ?? noSuchJob();
    }
    // Locked, so that each creation counts the jobs created before it.
    await lockEnvironment((lock, values) => query(client, lock, values), environmentId);
    await refuseTooManyOpen(client, environmentId, author);
    const [made] = await query<JobRecord>(client, CREATE, values);
    if (!made) throw new Error("a job was not created");
    if (job.pieces) await client.query(STORE_PIECES, [made.id, job.pieces]);
    if (entry) await keepAnswer(client, entry, { id: made.id });
    return made;
  });
  wakeWorkers();
  return created;
}

async function refuseTooManyOpen(client: PoolClient, environmentId: number, { actorId }: Author) {
  const [open] = await query<{ all: number; own: number }>(client, COUNT_OPEN, [environmentId, actorId]);
  const { all = 0, own = 0 } = open ?? {};
  if (own >= JOBS_AT_ONCE) {
    throw new AppError("conflict", `${own} jobs of this API token are open. Apply or cancel one first.`);
  }
  if (all >= MAX_OPEN) {
    throw new AppError(
      "conflict",
      `${all} jobs are open in this environment. Apply or cancel one first: the Import page lists them.`,
    );
  }
}

/**
 * Applies a job for a caller of the API.
 * @throws {AppError} `forbidden` without the scopes for what it would do, or as {@link applyJob} does
 */
export async function applyJobAs(caller: Caller, id: number): Promise<JobRecord> {
  const permit = (job: JobRecord) => requireScopes(caller, scopesOfJob(job));
  // Checked first too, so that a caller that may not apply the job learns nothing of its state.
  permit(await findJob(caller.environment.id, id));
  return applyJob(caller.environment.id, id, authorOf(caller), permit);
}

/** The states in which a piece is expected, or can be sent again because its answer was lost. */
const TAKES_PIECES: readonly JobState[] = ["receiving", "checking", "checked"];

/**
 * Stores a piece of the file, once even if it is sent again; the last missing piece starts the check.
 * @throws {AppError} `invalid_fields` for a piece of the wrong size, `conflict` if another caller began the job, or if
 * the file is no longer expected
 */
export async function addPiece(
  environmentId: number,
  { id, n, content }: { id: number; n: number; content: Buffer },
  author: Author,
) {
  const stored = await transaction(async (client) => {
    const found = await lockJob(client, environmentId, id);
    const { bytes, state } = found;
    await requireScopeOn(client, author, environmentId, "groups:write");
    // The job can be applied with scopes that other callers lack.
    if (found.actor_type !== author.actorType || found.actor_id !== author.actorId) {
      throw conflict("only the caller that began it can send its file");
    }
    if (!TAKES_PIECES.includes(state)) throw conflict("its file is no longer expected");
    const size = Math.min(PIECE_BYTES, bytes - n * PIECE_BYTES);
    if (size <= 0 || content.length !== size) {
      const message = size > 0 ? `must have ${size} bytes, but has ${content.length}` : "is beyond the end of the file";
      throw invalidFields([{ path: ["content"], message }]);
    }
    if (state !== "receiving") return found;
    const piece = [id, n, content];
    await client.query("INSERT INTO job_piece (job_id, n, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", piece);
    const { rows: changed } = await client.query<JobRecord>(
      `UPDATE job SET updated_at = now(),
         state = CASE WHEN (SELECT count(*) FROM job_piece WHERE job_id = $1) < $2 THEN state ELSE 'checking' END
       WHERE id = $1 RETURNING *`,
      [id, Math.ceil(bytes / PIECE_BYTES)],
    );
    return changed[0] ?? noSuchJob();
  });
  if (stored.state === "checking") wakeWorkers();
  return stored;
}

/**
 * Applies a checked job, or the remaining rows of one that was cancelled or failed; the caller is the author of every
 * change. Its effect is judged on the locked row, by `permit` too: it is known only once the check is complete, which
 * can happen at any moment.
 * @throws {AppError} `not_found`, `too_many_deletions`, or `conflict` when it is not checked, or was already applied
 */
export async function applyJob(
  environmentId: number,
  id: number,
  author: Author,
  permit?: (job: JobRecord) => void,
): Promise<JobRecord> {
  const begun = await transaction(async (client) => {
    const job = await lockJob(client, environmentId, id);
    permit?.(job);
    if (!canApply(job)) throw conflict(`it is ${job.state}, and only a checked job can be applied`);
    refuseDeletions(job);
    const values = [environmentId, id, ...authorValues(author), ...scopeValues(scopesOfJob(job)[0])];
    return (await query<JobRecord>(client, APPLY, values))[0] ?? noSuchJob();
  });
  wakeWorkers();
  return begun;
}

/**
 * Cancels a job for a caller of the API.
 * @throws {AppError} `forbidden` without the first scope that the job needs, or as {@link cancelJob} does
 */
export async function cancelJobAs(caller: Caller, id: number): Promise<JobRecord> {
  requireScopes(caller, scopesOfJob(await findJob(caller.environment.id, id)).slice(0, 1));
  return cancelJob(caller.environment.id, id, authorOf(caller));
}

/**
 * Cancels a job and deletes its file. Applied rows stay applied.
 * @throws {AppError} `not_found`, or `conflict` when it has ended
 */
export async function cancelJob(environmentId: number, id: number, author: Author): Promise<JobRecord> {
  return transaction(async (client) => {
    const job = await lockJob(client, environmentId, id);
    if (job.ended_at !== null) throw conflict(`it is already ${job.state}`);
    const values = [environmentId, id, ...authorValues(author), ...scopeValues(scopesOfJob(job)[0])];
    const [cancelled] = await query<JobRecord>(client, CANCEL, values);
    await deletePieces(client, id);
    return cancelled ?? noSuchJob();
  });
}

/** Deletes the file of a job that no longer needs it. */
export async function deletePieces(client: PoolClient, id: number) {
  await client.query("DELETE FROM job_piece WHERE job_id = $1", [id]);
}

/** Deletes jobs that ended some days ago, in batches; cancels abandoned ones first. */
export async function purgeJobs() {
  await write(ABANDON, []);
  const old = `
    SELECT id FROM job WHERE ended_at < now() - interval '${KEPT_DAYS} days'
      OR NOT EXISTS (SELECT FROM environment e WHERE e.id = job.environment_id)`;
  await purge({ table: "job_row", where: `job_id IN (${old})` });
  await purge({ table: "job_piece", where: `job_id IN (${old} OR ended_at IS NOT NULL)`, batch: PIECES_PURGED });
  await purge({ table: "job", where: `id IN (${old})` });
}

function conflict(why: string): AppError {
  return new AppError("conflict", `The job is unchanged: ${why}.`);
}
