import { transaction } from "@/lib/db/pool";
import { AppError, type ErrorCode } from "@/lib/errors";
import { applyRows } from "@/lib/imports/apply";
import { checkFile } from "@/lib/imports/check";
import { checkFix } from "@/lib/imports/fix";
import { claimImport, type Lease, LeaseLost, release } from "@/lib/imports/lease";
import { FileError } from "@/lib/imports/lines";
import { deletePieces } from "@/lib/imports/service";
import { checkUndo } from "@/lib/imports/undo";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

const BROKEN = "Internal error. Rows already applied were kept. Begin again to finish.";
const NOT_ANY_MORE =
  "The API token or member that applied this import can no longer change user groups. Rows already applied were kept. Begin again to finish.";
/** Errors that mean the author has lost the authority. */
const LOST: ReadonlySet<ErrorCode> = new Set(["unauthorized", "forbidden"]);

/** Works on unclaimed imports, one after the other, until none is left. */
export async function workOnImports(isToStop: () => boolean) {
  while (!isToStop()) {
    const lease = await claimImport();
    if (!lease) return;
    await workOn(lease, isToStop);
  }
}

/**
 * Checks or applies an import until that is complete, it is cancelled, or the process stops.
 * @throws {AppError} `unavailable` while it cannot continue; the next attempt resumes there
 */
export async function workOn(lease: Lease, isToStop: () => boolean) {
  try {
    if (lease.job.state === "checking") await check(lease, isToStop);
    else await applyRows(lease, isToStop);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (error instanceof AppError && error.code === "unavailable") throw error;
    const problem = problemOf(error);
    if (problem === BROKEN) log().error({ import: lease.job.id, err: error }, "an import failed");
    await fail(lease, problem).catch(async (err: unknown) => {
      if (err instanceof AppError) throw err;
      log().error({ import: lease.job.id, err }, "the failure of an import could not be stored");
      await fail(lease, BROKEN);
    });
  }
  await release(lease);
}

function check(lease: Lease, isToStop: () => boolean) {
  const { undoes, fix } = lease.job;
  if (undoes !== null) return checkUndo(lease, undoes, isToStop);
  return fix === null ? checkFile(lease, isToStop) : checkFix(lease, fix, isToStop);
}

function problemOf(error: unknown): string {
  if (error instanceof AppError && LOST.has(error.code)) return NOT_ANY_MORE;
  return error instanceof FileError || error instanceof AppError ? error.message : BROKEN;
}

async function fail({ job, worker }: Lease, problem: string) {
  const text = `
    UPDATE import SET state = 'failed', problem = $3, ended_at = now(), updated_at = now()
    WHERE id = $1 AND leased_by = $2 AND state IN ('checking', 'applying')`;
  const hasFailed = await transaction(async (client) => {
    const { rowCount } = await client.query(text, [job.id, worker, problem]);
    if (rowCount === 1) await deletePieces(client, job.id);
    return rowCount === 1;
  });
  if (hasFailed) meter()?.imported("failed");
}
