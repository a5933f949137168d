import { setTimeout as sleep } from "node:timers/promises";
import { announceExpiries } from "@/lib/api-tokens/expiry";
import { keepAuditPartitions } from "@/lib/audit/partitions";
import { dropOldMonths, overdueMonths } from "@/lib/audit/retention";
import { recordLastUse } from "@/lib/auth/api-token-caller";
import { recordFurtherFailures } from "@/lib/auth/failed-sign-in";
import { leadsToPgBouncer } from "@/lib/config/database-url";
import { env } from "@/lib/config/env";
import { Semaphore } from "@/lib/config/semaphore";
import { read, statement } from "@/lib/db/pool";
import { workOnFindings } from "@/lib/definitions/findings-pass";
import { takeBackup } from "@/lib/embedded/backup";
import { isDue, lastPast, listBackups, pruneBackups } from "@/lib/embedded/backup-folder";
import { runningSuperuserUrl } from "@/lib/embedded/postgres";
import { unavailable } from "@/lib/errors";
import { watchFeedLag } from "@/lib/events/lag";
import { purgeDeletedGroups } from "@/lib/groups/deletion";
import { forgetIdempotencyKeys } from "@/lib/groups/idempotency";
import { forgetPreviousTokens } from "@/lib/groups/rotation";
import { cleanPendingLists } from "@/lib/groups/search-index";
import { recordGroupUse } from "@/lib/groups/use";
import { isDraining } from "@/lib/http/connections";
import { onJobDue } from "@/lib/jobs/lease";
import { purgeJobs } from "@/lib/jobs/service";
import { workOnJobs } from "@/lib/jobs/work";
import { forgetCounts, shareCounts } from "@/lib/limits/limits";
import { purgeExpired } from "@/lib/members/link";
import type { Work } from "@/lib/process/database-watch";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";
import { keepUseMonths } from "@/lib/usage/months";
import { forgetRevocations } from "@/lib/viewer-tokens/revocations";
import { forgetPreviousSecrets, purgeDeliveries } from "@/lib/webhooks/service";
import { watchWebhookLag } from "@/lib/webhooks/stored";
import { renewWebhookLeases, workOnWebhooks } from "@/lib/webhooks/work";

/** How long to stay silent about a task that keeps failing, in milliseconds. */
const SILENCE_MS = 600_000;
/** The longest wait before a task's first run, so that even an instance restarted hourly runs every task. */
const FIRST_MS = 60_000;
/** The wait after a failure, doubled after each further one: a daily task must not wait until the next day. */
const RETRY_MS = 10_000;

/** A pause between two cleanings of the search indexes' pending lists, in milliseconds. */
const CLEAN_MS = 500;

type Task = () => Promise<void>;

let isOver = false;

/** Stores this process's counts periodically; every process does this. */
export function startProcessTasks() {
  every(500, shareCounts);
  every(1_000, recordGroupUse);
  every(10_000, recordLastUse);
}

/**
 * Runs deferred work periodically, in one process per instance. While there is nothing to do, a task costs the database
 * one cheap statement at most.
 */
export function startInstanceTasks() {
  onJobDue(() => beginWork(["jobs"]));
  every(1_000, renewWebhookLeases);
  if (meter()) every(10_000, [watchFeedLag, watchWebhookLag]);
  every(60_000, [
    recordFurtherFailures,
    purgeDeletedGroups,
    forgetPreviousTokens,
    purgeDeliveries,
    forgetPreviousSecrets,
    forgetCounts,
  ]);
  every(3_600_000, announceExpiries, 0);
  every(3_600_000, [forgetIdempotencyKeys, forgetRevocations, purgeExpired, purgeJobs]);
  if (env().BACKUP_DIR) every(60_000, keepBackups, 0);
  // Often, as the clock may have been corrected.
  every(600_000, [keepAuditPartitions, keepUseMonths], 0);
  every(86_400_000, dropOldHistory, 0);
}

const TASKS: Record<Work, Task> = {
  webhooks: workOnWebhooks,
  jobs: () => workOnJobs(isDraining),
  findings: () => workOnFindings(isDraining),
  search: cleanSearch,
};
/** Each kind of work, with its concurrency limit: a small job must not wait for a large one. */
const WORK = Object.entries(TASKS).map(([name, task]) => {
  return { name: name as Work, attempt: attempting(task), limit: new Semaphore(name === "jobs" ? 3 : 1) };
});

/** Begins work that is due, in the process that runs the instance's jobs. */
export function beginWork(due: Work[]) {
  for (const { name, attempt, limit } of WORK) {
    const leave = isOver || !due.includes(name) ? undefined : limit.enter(undefined);
    if (leave) void attempt().then(leave);
  }
}

/** Cleans twice per look, as lists fill up fast under load, and repeats while another session is cleaning. */
async function cleanSearch() {
  await cleanPendingLists();
  do await sleep(CLEAN_MS, undefined, { ref: false });
  while (!isOver && !(await cleanPendingLists()));
}

/** Stores this process's remaining counts before it ends, and starts no more work. */
export async function stopTasks() {
  isOver = true;
  const told = (err: unknown) => log().warn({ err }, "the last uses of tokens were not recorded");
  await Promise.all([recordGroupUse(true).catch(told), recordLastUse().catch(told)]);
}

function every(milliseconds: number, works: Task | Task[], first = FIRST_MS) {
  const attempts = [works].flat().map(attempting);
  const run = async () => {
    let next = milliseconds;
    for (const attempt of attempts) {
      if (isOver) return;
      next = Math.min(next, (await attempt()) ?? next);
    }
    setTimeout(run, next).unref();
  };
  setTimeout(run, Math.min(milliseconds, first)).unref();
}

/**
 * Runs the task, and logs failures; resolves to the wait before the next attempt, in milliseconds, or undefined after a
 * success.
 */
function attempting(task: Task): () => Promise<number | undefined> {
  let toldAt: number | undefined;
  let retry = RETRY_MS;
  return async () => {
    try {
      await task();
      toldAt = undefined;
      retry = RETRY_MS;
      return undefined;
    } catch (err) {
      const now = performance.now();
      // While the database is unavailable, each attempt would log a line.
      if (toldAt === undefined || now - toldAt > SILENCE_MS) {
        log().warn({ task: task.name, err }, "a periodic task failed and will run again");
        toldAt = now;
      }
      retry *= 2;
      return retry / 2;
    }
  };
}

/** The pause after a failed backup, which may have filled the disk. */
const PAUSE_MS = 3_600_000;

/** by performance.now(): the clock may be corrected */
let nextAttemptAt = 0;

/** Takes a backup of the embedded database when one is due, and removes old ones. */
async function keepBackups() {
  const { BACKUP_DIR, DATA_DIR } = env();
  if (BACKUP_DIR === undefined) return;
  const backups = await listBackups(BACKUP_DIR);
  meter()?.backedUp(lastPast(backups)?.at);
  if (!isDue(backups) || performance.now() < nextAttemptAt) return;
  const future = backups.find(({ at }) => at.getTime() > Date.now());
  if (future) {
    const { folder } = future;
    log().error({ folder }, "a backup is from the future: the clock was wrong when it was taken, or is now");
  }
  // A failed backup is retried only after the pause.
  nextAttemptAt = performance.now() + PAUSE_MS;
  const taken = await takeBackup(DATA_DIR, BACKUP_DIR).catch((err: unknown) => {
    log().error({ err }, "the backup failed: it will be retried in an hour");
  });
  if (!taken) return;
  nextAttemptAt = 0;
  meter()?.backedUp(taken.at);
  log().info({ folder: taken.folder }, "a backup was taken");
  await pruneBackups(BACKUP_DIR);
}

const OWNS = statement("owns_history")`
  SELECT pg_has_role(relowner, 'USAGE') AS owns FROM pg_class WHERE oid = 'audit_entry'::regclass`;

/** Drops the months older than HISTORY_KEPT if this service can; otherwise logs that an operator must. */
async function dropOldHistory() {
  const { HISTORY_KEPT: months } = env();
  if (months === undefined) return;
  const url = await ownersUrl();
  if (url === undefined) {
    const overdue = await overdueMonths(months);
    const advice = "months of the history are older than HISTORY_KEPT: run ./user-groups prune-history daily";
    if (overdue > 0) log().warn({ overdue }, advice);
    return;
  }
  const dropped = await dropOldMonths(url, months);
  // Fails so that the task is retried soon.
  if (!dropped) throw unavailable("another process is changing the schema");
  if (dropped.length > 0) log().info({ dropped }, "months of the history were dropped, as HISTORY_KEPT says");
}

/** A URL of the role that owns the history, if any. Not through PgBouncer, which cannot hold a session's lock. */
async function ownersUrl(): Promise<string | undefined> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (!DATABASE_URL) return runningSuperuserUrl(DATA_DIR);
  if (leadsToPgBouncer(DATABASE_URL)) return undefined;
  const [role] = await read<{ owns: boolean }>(OWNS, []);
  return role?.owns ? DATABASE_URL : undefined;
}
