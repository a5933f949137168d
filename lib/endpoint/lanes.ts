import { type Caller, countedAs } from "@/lib/auth/caller";
import { Semaphore } from "@/lib/config/semaphore";
import { AppError } from "@/lib/errors";

/** How long a caller beyond the limit must wait, in seconds. */
const RETRY_AFTER = "1";

/**
 * Limits how many calls run at the same time in this process, per caller and in total. Returns a function that enters a
 * call, and returns the function that ends it. A caller never runs more calls than stay free, so that a few callers
 * cannot take all.
 * @throws {AppError} `rate_limited`
 */
export function lanes(most: number, what: string, mostOfAll = Number.POSITIVE_INFINITY) {
  const limit = new Semaphore<string>(mostOfAll, { share: most, isFair: true });
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
