import { type Caller, countedAs } from "@/lib/auth/caller";
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
  const running = new Map<string, number>();
  let all = 0;
  return ({ caller }: { caller: Caller }): (() => void) => {
    const who = countedAs(caller);
    const count = running.get(who) ?? 0;
    if (count >= Math.min(most, mostOfAll - all)) {
      throw new AppError("rate_limited", `${count >= most ? most : all} ${what} are running. Wait for one to end.`, {
        headers: { "Retry-After": RETRY_AFTER },
      });
    }
    running.set(who, count + 1);
    all++;
    return () => {
      all--;
      const left = (running.get(who) ?? 1) - 1;
      if (left > 0) running.set(who, left);
      else running.delete(who);
    };
  };
}
