import { announceExpiries } from "@/lib/api-tokens/expiry";
import { keepAuditPartitions } from "@/lib/audit/partitions";
import { recordLastUse } from "@/lib/auth/api-token-caller";
import { recordFurtherFailures } from "@/lib/auth/failed-sign-in";
import { env } from "@/lib/config/env";
import { forgetCounts, shareCounts } from "@/lib/db/limits";
import { workOnFindings } from "@/lib/definitions/findings-work";
import { watchFeedLag } from "@/lib/events/lag";
import { purgeDeletedGroups } from "@/lib/groups/deletion";
import { forgetIdempotencyKeys } from "@/lib/groups/idempotency";
import { forgetPreviousTokens } from "@/lib/groups/rotation";
import { cleanPendingLists } from "@/lib/groups/search-index";
import { recordGroupUse } from "@/lib/groups/use";
import { verifyNightly } from "@/lib/groups/verify";
import { isDraining } from "@/lib/http/drain";
import { purgeImports } from "@/lib/imports/service";
import { workOnImports } from "@/lib/imports/work";
import { purgeExpired } from "@/lib/members/link";
import { keepBackups } from "@/lib/process/backup-job";
import { dropOldHistory } from "@/lib/process/history-job";
import { log } from "@/lib/telemetry/log";
import { keepUseMonths } from "@/lib/usage/months";
import { forgetRevocations } from "@/lib/viewer-tokens/revocations";
import { forgetPreviousSecrets, purgeDeliveries } from "@/lib/webhooks/service";
import { workOnWebhooks } from "@/lib/webhooks/work";

/** How long to stay silent about a task that keeps failing, in milliseconds. */
const SILENCE_MS = 600_000;
/** The longest wait before a task's first run: an instance that is restarted hourly runs it too. */
const FIRST_MS = 60_000;
/** The wait after a failure, which doubles with each: a task of once a day must not wait for the next. */
const RETRY_MS = 10_000;

let isOver = false;

/** Stores this process's counts periodically; every process does this. */
export function startProcessJobs() {
  every(500, shareCounts);
  every(1_000, recordGroupUse);
  every(10_000, recordLastUse);
}

/** Runs deferred work periodically, in one process per instance, which leaves the API to the others. */
export function startInstanceJobs() {
  every(500, cleanPendingLists);
  every(500, function workOnAllImports() {
    return workOnImports(isDraining);
  });
  every(1_000, workOnWebhooks);
  every(1_000, function workOnAllFindings() {
    return workOnFindings(isDraining);
  });
  every(10_000, recordFurtherFailures);
  every(10_000, watchFeedLag);
  every(30_000, purgeDeletedGroups);
  every(30_000, forgetPreviousTokens);
  every(60_000, purgeDeliveries);
  every(60_000, forgetPreviousSecrets);
  every(300_000, forgetCounts);
  every(3_600_000, announceExpiries, 0);
  every(3_600_000, forgetIdempotencyKeys);
  every(3_600_000, function verifyGroupsNightly() {
    return verifyNightly(isDraining);
  });
  every(3_600_000, forgetRevocations);
  every(3_600_000, purgeExpired);
  every(3_600_000, purgeImports);
  if (env().BACKUP_DIR) every(60_000, keepBackups, 0);
  every(86_400_000, keepAuditPartitions, 0);
  every(86_400_000, dropOldHistory, 0);
  every(86_400_000, keepUseMonths, 0);
}

/** Stores what was counted since the last time before this process ends, and starts nothing more. */
export async function shareLast() {
  isOver = true;
  const told = (err: unknown) => log().warn({ err }, "the last uses of tokens were not recorded");
  await Promise.all([recordGroupUse(true).catch(told), recordLastUse().catch(told)]);
}

function every(milliseconds: number, work: () => Promise<void>, first = FIRST_MS) {
  let toldAt: number | undefined;
  let retry = RETRY_MS;
  const run = async () => {
    if (isOver) return;
    let next = milliseconds;
    try {
      await work();
      toldAt = undefined;
      retry = RETRY_MS;
    } catch (err) {
      next = Math.min(milliseconds, retry);
      retry *= 2;
      const now = performance.now();
      // While the database is unavailable, each attempt would log a line.
      if (toldAt === undefined || now - toldAt > SILENCE_MS) {
        log().warn({ task: work.name, err }, "a periodic task failed and will be retried");
        toldAt = now;
      }
    }
    setTimeout(run, next).unref();
  };
  setTimeout(run, Math.min(milliseconds, first)).unref();
}
