import { recordLastUse } from "@/lib/api-tokens/caller";
import { purgeDeletedGroups } from "@/lib/groups/deletion";
import { forgetIdempotencyKeys } from "@/lib/groups/rotation";
import { cleanPendingLists } from "@/lib/groups/search-index";
import { recordGroupUse } from "@/lib/groups/use";
import { isDraining } from "@/lib/http/drain";
import { purgeImports } from "@/lib/imports/service";
import { workOnImports } from "@/lib/imports/work";
import { shareCounts } from "@/lib/limits";
import { log } from "@/lib/log";
import { purgeExpired } from "@/lib/members/link";

/**
 * Lets the database know from time to time what this process has counted and seen: each process does. One of an instance
 * works on imports beside that, so that those which answer the API do not.
 */
export function keepShared({ imports }: { imports: boolean }) {
  every(500, shareCounts);
  every(1_000, recordGroupUse);
  every(10_000, recordLastUse);
  if (imports) every(500, () => workOnImports(isDraining));
}

/** Writes down what was seen since the last time, before this process ends. */
export async function shareLast() {
  const told = (err: unknown) => log().warn({ err }, "the last use of tokens was not recorded");
  await Promise.all([recordGroupUse().catch(told), recordLastUse().catch(told)]);
}

/** Clears away from time to time what has been left to be done later: one process of an instance does. */
export function keepTidy() {
  every(500, cleanPendingLists);
  every(30_000, purgeDeletedGroups);
  every(3_600_000, forgetIdempotencyKeys);
  every(3_600_000, purgeExpired);
  every(3_600_000, purgeImports);
}

/** What goes on failing is logged once: with a database that is away each try would be a line. */
function every(milliseconds: number, work: () => Promise<void>) {
  let isAtWork = false;
  let isFailing = false;
  const run = async () => {
    if (isAtWork) return;
    isAtWork = true;
    try {
      await work();
      isFailing = false;
    } catch (err) {
      if (!isFailing)
        log().warn({ err }, "a periodic task failed: it is tried again, without a word until it succeeds");
      isFailing = true;
    }
    isAtWork = false;
  };
  setInterval(run, milliseconds).unref();
}
