import { availableParallelism } from "node:os";
import { AppError } from "@/lib/errors";

/** Concurrent requests; one processor stays free for everything else. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const MAX_WAITING = 16;
/** Places per address, so that none can keep all others from signing in. */
const MAX_OF_ADDRESS = 4;
const MAX_WAIT_MS = 3_000;
const BUSY_SECONDS = 2;

let atWork = 0;
const waiting = new Set<() => void>();
const placesOf = new Map<string, number>();

/**
 * Queues requests that check or set a password. The whole request waits, not just its hash: otherwise a
 * flood would take every database connection on the way there.
 * @throws {AppError} `rate_limited` when the queue is full or too slow, or the address has used its share
 */
export async function withPermit<T>(address: string, work: () => Promise<T>): Promise<T> {
  const places = (placesOf.get(address) ?? 0) + 1;
  if (places > MAX_OF_ADDRESS) throw tooManyAttempts(BUSY_SECONDS);
  placesOf.set(address, places);
  try {
    return await takeTurn(work);
  } finally {
    const left = (placesOf.get(address) ?? 0) - 1;
    if (left > 0) placesOf.set(address, left);
    else placesOf.delete(address);
  }
}

async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  if (atWork < AT_ONCE) atWork++;
  else await takePlace();
  try {
    return await work();
  } finally {
    const [next] = waiting;
    // Hands its place to the first in the queue.
    if (next) next();
    else atWork--;
  }
}

async function takePlace() {
  if (waiting.size >= MAX_WAITING) throw tooManyAttempts(BUSY_SECONDS);
  await new Promise<void>((resolve, reject) => {
    const leave = (then: () => void) => {
      clearTimeout(timer);
      waiting.delete(enter);
      then();
    };
    const enter = () => leave(resolve);
    const timer = setTimeout(() => leave(() => reject(tooManyAttempts(BUSY_SECONDS))), MAX_WAIT_MS);
    waiting.add(enter);
  });
}

/** The error for a caller who must wait before the next attempt. */
export function tooManyAttempts(seconds: number): AppError {
  return new AppError("rate_limited", `Too many attempts. Wait ${seconds} seconds, then try again.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
