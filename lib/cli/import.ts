import { randomUUID } from "node:crypto";
import { open, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callersPath, type Ending, OPERATOR, runCommand } from "@/lib/cli/command";
import { findEnvironment } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";
import { importOf } from "@/lib/jobs/begin";
import { claimJob } from "@/lib/jobs/lease";
import { describeRow, pagesOfRows } from "@/lib/jobs/report";
import { type JobOutcome, newImport, PIECE_BYTES, readMostDeletions } from "@/lib/jobs/schema";
import { addPiece, applyJob, cancelJob, createJob } from "@/lib/jobs/service";
import { findJob, type JobRecord } from "@/lib/jobs/stored";
import { workOn } from "@/lib/jobs/work";

const USAGE = `Usage:
  ./user-groups import FILE [--environment testing] [--dry-run] [--sync [--max-deletions 5%]]
Creates and updates user groups from a CSV or JSON lines file; an omitted field stays unchanged.
state and access_ends_at of an export are ignored: new groups are active, existing ones stay as they are.
--sync also deletes the groups that the file does not name, at most --max-deletions: a number, or a percentage.
--dry-run prints what each row would do, without changing anything. Ctrl-C stops the import and keeps the applied rows.
Prints the rows that failed or were skipped, and exits with 1 if there are any.`;

const INTERRUPTED = 130;
const WAIT_MS = 200;

/** An import that this command runs. */
interface Work {
  environmentId: number;
  id: number;
  worker: string;
  isInterrupted: boolean;
}

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        environment: { type: "string", default: "testing" },
        "dry-run": { type: "boolean", default: false },
        sync: { type: "boolean", default: false },
        "max-deletions": { type: "string" },
      },
    });
    const [name, ...more] = positionals;
    if (!name) throw new StartError("Give the FILE to import.");
    if (more.length > 0) throw new StartError(`Unexpected argument "${more[0]}".`);
    const { environment, "dry-run": isDryRun, sync, "max-deletions": most } = values;
    if (most !== undefined && !sync) throw new StartError("--max-deletions needs --sync.");
    const file = callersPath(name);
    const rules = {
      mode: sync ? "sync" : "upsert",
      max_deletions: most === undefined ? most : readMostDeletions(most),
    };
    return () => importFile(file, environment, rules, isDryRun);
  },
});

async function importFile(file: string, slug: string, rules: object, isDryRun: boolean): Promise<Ending> {
  const found = await stat(file).catch(unreadable);
  if (!found.isFile()) throw new StartError(`${file} is not a regular file: folders and pipes cannot be imported.`);
  const { size } = found;
  if (size === 0) throw new StartError(`${file} is empty.`);
  const fields = newImport.safeParse({ kind: "import", file_name: path.basename(file), bytes: size, ...rules });
  if (!fields.success) {
    const problems = fields.error.issues.map(({ path: [field], message }) => `${String(field)} ${message}`);
    throw new StartError(`${file}: ${problems.join("; ")}.`);
  }
  const environment = await findEnvironment(slug);
  const worker = randomUUID();
  const { id } = await createJob(environment.id, importOf(fields.data), {
    author: OPERATOR,
    scope: "groups:write",
    worker,
  });
  const work: Work = { environmentId: environment.id, id, worker, isInterrupted: false };
  process.once("SIGINT", () => {
    // A second signal ends the process; the service then finishes the import.
    work.isInterrupted = true;
  });
  await send(work, file, size).catch(async (error: unknown) => {
    if (error instanceof StartError) await cancelJob(environment.id, id, OPERATOR);
    throw error;
  });
  const checked = await workOff(work, "checking");
  refuseEnded(file, checked);
  if (isDryRun || work.isInterrupted) return endDryRun(work, checked);
  await applyJob(environment.id, work.id, OPERATOR).catch(async (error: unknown) => {
    await cancelJob(environment.id, work.id, OPERATOR);
    throw error;
  });
  const applied = await workOff(work, "applying");
  if (applied.state === "applying") return endInterrupted(work);
  refuseEnded(file, applied);
  const { same, errors, skipped } = applied;
  const failures = (await linesOf(work, "error")) + (await linesOf(work, "skipped"));
  const summary = `${slug}: ${doneBy(applied)}, ${same} unchanged, ${skipped} skipped, ${errors} with errors.\n`;
  return { text: failures + summary, code: errors + skipped > 0 ? 1 : 0 };
}

/** @throws {StartError} for an import that failed, or was cancelled in the dashboard */
function refuseEnded(file: string, job: JobRecord) {
  if (job.state === "failed") throw new StartError(`${file}: ${job.problem}`);
  if (job.state === "cancelled") throw new StartError(`${file}: the import was cancelled after ${doneBy(job)}.`);
}

function doneBy({ created, changed, deleted }: JobRecord): string {
  return `${created} created, ${changed} changed, ${deleted} deleted`;
}

async function send({ environmentId, id }: Work, file: string, size: number) {
  const handle = await open(file).catch(unreadable);
  try {
    for (let n = 0; n * PIECE_BYTES < size; n++) {
      const content = Buffer.alloc(Math.min(PIECE_BYTES, size - n * PIECE_BYTES));
      const { bytesRead } = await handle.read(content, 0, content.length, n * PIECE_BYTES).catch(unreadable);
      if (bytesRead < content.length) throw new StartError(`${file} was truncated while it was read.`);
      if (n === 0) noteIgnored(content.toString());
      await addPiece(environmentId, { id, n, content }, OPERATOR);
    }
  } finally {
    await handle.close();
  }
}

/** Warns on stderr if a file has the column of an export that an import does not set. */
function noteIgnored(beginning: string) {
  const [head = ""] = beginning.split(/[\r\n]/, 1);
  if (!/\baccess_ends_at\b/.test(head)) return;
  process.stderr.write(
    "state and access_ends_at are not imported: new groups are active, existing ones stay as they are.\n",
  );
}

function unreadable(error: Error): never {
  throw new StartError(`Cannot read the file: ${error.message}.`);
}

/** Waits until the import leaves this state, doing its work unless another process does. */
async function workOff(work: Work, state: "checking" | "applying"): Promise<JobRecord> {
  const timer = setInterval(() => void findJob(work.environmentId, work.id).then(printJob, () => undefined), 1_000);
  try {
    for (;;) {
      const lease = work.isInterrupted ? undefined : await claimJob(() => work.isInterrupted, work.id, work.worker);
      if (lease) await workOn(lease);
      const found = await findJob(work.environmentId, work.id);
      printJob(found);
      if (found.state !== state || work.isInterrupted) return found;
      if (!lease) await sleep(WAIT_MS);
    }
  } finally {
    clearInterval(timer);
    if (process.stderr.isTTY) process.stderr.write("\n");
  }
}

/** Prints the progress: rewrites one line on a terminal, and adds a line elsewhere. */
function printJob({ state, creates, changes, deletes, same, errors, created, changed, deleted, skipped }: JobRecord) {
  const text =
    state === "checking" || state === "checked"
      ? `Checked ${creates + changes + same + errors} rows`
      : `Done ${created + changed + deleted + skipped} of ${creates + changes + deletes}`;
  process.stderr.write(process.stderr.isTTY ? `\r${text}` : `${text}\n`);
}

async function endDryRun(work: Work, { creates, changes, deletes, same, errors }: JobRecord): Promise<Ending> {
  const rows = work.isInterrupted ? "" : await linesOf(work, undefined);
  await cancelJob(work.environmentId, work.id, OPERATOR);
  const planned = `${creates} to create, ${changes} to change, ${deletes} to delete`;
  const summary = `${planned}, ${same} unchanged, ${errors} with errors. Nothing was changed.\n`;
  return { text: rows + summary, code: work.isInterrupted ? INTERRUPTED : errors > 0 ? 1 : 0 };
}

async function endInterrupted(work: Work): Promise<Ending> {
  const stopped = await cancelJob(work.environmentId, work.id, OPERATOR);
  const { created, changed, deleted, creates, changes, deletes } = stopped;
  const left = creates + changes + deletes - created - changed - deleted;
  return { text: `Stopped after ${doneBy(stopped)}; ${left} not done.\n`, code: INTERRUPTED };
}

/** A line for each row with this outcome; without an outcome, for each row that differs. */
async function linesOf({ environmentId, id }: Work, outcome: JobOutcome | undefined): Promise<string> {
  let text = "";
  for await (const rows of pagesOfRows(environmentId, id, outcome)) text += rows.map(describeRow).join("");
  return text;
}
