import { availableParallelism } from "node:os";
import { Semaphore } from "@/lib/config/semaphore";
import { AppError } from "@/lib/errors";

/** Concurrent requests; one processor stays free for everything else. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const MAX_WAITING = 16;
/** Places per address, so that none can keep all others from signing in. */
const MAX_OF_ADDRESS = 4;
const MAX_WAIT_MS = 3_000;
const BUSY_SECONDS = 2;

const running = new Semaphore(AT_ONCE);
const places = new Semaphore<string>(AT_ONCE + MAX_WAITING, { share: MAX_OF_ADDRESS });

/**
 * Queues requests that check or set a password. The whole request waits, not just its hash: otherwise a
 * flood would take every database connection on the way there.
 * @throws {AppError} `rate_limited` when the queue is full or too slow, or the address has used its share
 */
export async function withPermit<T>(address: string, work: () => Promise<T>): Promise<T> {
  const leave = places.enter(address);
  if (!leave) throw tooManyAttempts(BUSY_SECONDS);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooManyAttempts(BUSY_SECONDS)), MAX_WAIT_MS);
  try {
    return await running.run(undefined, work, late.signal);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** The error for a caller who must wait before the next attempt. */
export function tooManyAttempts(seconds: number): AppError {
  return new AppError("rate_limited", `Too many attempts. Try again in ${seconds} s.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
