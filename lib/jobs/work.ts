import { AppError, type ErrorCode } from "@/lib/errors";
import { applyRows } from "@/lib/jobs/apply";
import { checkChange } from "@/lib/jobs/change";
import { checkFile } from "@/lib/jobs/check-file";
import { claimJob, type Lease, LeaseLost } from "@/lib/jobs/lease";
import { JobError } from "@/lib/jobs/lines";
import { deletePieces } from "@/lib/jobs/service";
import { checkUndo } from "@/lib/jobs/undo";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";

const KEPT = "Rows already applied were kept. Continue to finish.";
const NO_LONGER_ALLOWED = `The API token or member that applied this job can no longer change user groups. ${KEPT}`;
/** Errors that mean that the author has lost the authority. */
const LOST: ReadonlySet<ErrorCode> = new Set(["unauthorized", "forbidden"]);

/** Works on unclaimed jobs, one after the other, until none is left. */
export async function workOnJobs(shouldStop: () => boolean) {
  while (!shouldStop()) {
    const lease = await claimJob(shouldStop);
    if (!lease) return;
    await workOn(lease);
  }
}

/**
 * Checks or applies a job until it is done or cancelled, or the process stops.
 * @throws {AppError} `unavailable` while the job cannot continue; the next attempt resumes there
 */
export async function workOn(lease: Lease) {
  try {
    if (lease.job.state === "checking") await CHECKS[lease.job.kind](lease);
    else await applyRows(lease);
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") throw error;
    if (!(error instanceof LeaseLost)) await failBy(lease, error);
  }
  await lease.release();
}

const CHECKS = { import: checkFile, change: checkChange, undo: checkUndo };

/** The problem that a job reports for an error; undefined for a fault of the service. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof AppError && LOST.has(error.code)) return NO_LONGER_ALLOWED;
  return error instanceof JobError || error instanceof AppError ? error.message : undefined;
}

async function failBy(lease: Lease, error: unknown) {
  const broken = `Internal error. ${lease.job.state === "checking" ? "Nothing was changed." : KEPT}`;
  const problem = problemOf(error) ?? broken;
  if (problem === broken) log().error({ job: lease.job.id, err: error }, "a job failed");
  await fail(lease, problem).catch(async (err: unknown) => {
    if (err instanceof LeaseLost) return;
    if (err instanceof AppError) throw err;
    log().error({ job: lease.job.id, err }, "the failure of a job could not be stored");
    await fail(lease, broken);
  });
}

async function fail(lease: Lease, problem: string) {
  const { id } = lease.job;
  await lease.change(async (client) => {
    await client.query("UPDATE job SET state = 'failed', problem = $2, ended_at = now() WHERE id = $1", [id, problem]);
    await deletePieces(client, id);
  });
  meter()?.jobEnded("failed");
}
