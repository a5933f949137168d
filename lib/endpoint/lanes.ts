import { type Caller, countedAs } from "@/lib/auth/caller";
import { Limit } from "@/lib/config/limit";
import { AppError } from "@/lib/errors";

/** How long a caller beyond the limit waits, in seconds. */
const RETRY_AFTER = "1";

/**
 * Limits how many calls of a caller, and of all together, run at the same time in this process: returns a function that
 * enters a call, and gives what ends it. A caller never has more than are still free, so that a few callers cannot take
 * all.
 * @throws {AppError} `rate_limited`
 */
export function lanes(most: number, what: string, mostOfAll = Number.POSITIVE_INFINITY) {
  const limit = new Limit<string>(mostOfAll, { share: most, isFair: true });
  return ({ caller }: { caller: Caller }): (() => void) => {
    const who = countedAs(caller);
    const leave = limit.enter(who);
    if (leave) return leave;
    const running = limit.taken(who) >= most ? most : limit.taken();
    throw new AppError("rate_limited", `${running} ${what} are running. Wait for one to end.`, {
      headers: { "Retry-After": RETRY_AFTER },
    });
  };
}
