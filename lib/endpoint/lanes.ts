import { type Caller, countedAs } from "@/lib/auth/caller";
import { AppError } from "@/lib/errors";

/** How long a caller beyond the limit waits, in seconds. */
const RETRY_AFTER = "1";

/**
 * Limits how many calls of a caller run at the same time in this process: returns a function that enters a call, and gives what
 * ends it.
 * @throws {AppError} `rate_limited`
 */
export function lanes(most: number, what: string): (request: { caller: Caller }) => () => void {
  const running = new Map<string, number>();
  return ({ caller }) => {
    const who = countedAs(caller);
    const count = running.get(who) ?? 0;
    if (count >= most) {
      throw new AppError("rate_limited", `${most} ${what} are running. Wait for one to end.`, {
        headers: { "Retry-After": RETRY_AFTER },
      });
    }
    running.set(who, count + 1);
    return () => {
      const left = (running.get(who) ?? 1) - 1;
      if (left > 0) running.set(who, left);
      else running.delete(who);
    };
  };
}
