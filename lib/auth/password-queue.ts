import { availableParallelism } from "node:os";
import { AppError } from "@/lib/errors";

/** Requests at a time; one processor is left to everything else. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const MOST_WAITING = 16;
/** Places that one address may hold, so that it cannot keep all others from signing in. */
const MOST_OF_ADDRESS = 4;
const MOST_WAIT_MS = 3_000;
const BUSY_SECONDS = 2;

let atWork = 0;
const waiting = new Set<() => void>();
const placesOf = new Map<string, number>();

/**
 * Runs what checks or sets a password in a short queue of its own. The whole request waits, not its hash alone: else a
 * flood of them would take every connection to the database on the way there.
 * @throws {AppError} `rate_limited` when the queue is full or too slow, or the address has its share of it
 */
export async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  const places = (placesOf.get(address) ?? 0) + 1;
  if (places > MOST_OF_ADDRESS) throw tooManyAttempts(BUSY_SECONDS);
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
    // The place passes to the first in the queue.
    if (next) next();
    else atWork--;
  }
}

async function takePlace() {
  if (waiting.size >= MOST_WAITING) throw tooManyAttempts(BUSY_SECONDS);
  await new Promise<void>((resolve, reject) => {
    const leave = (then: () => void) => {
      clearTimeout(timer);
      waiting.delete(enter);
      then();
    };
    const enter = () => leave(resolve);
    const timer = setTimeout(() => leave(() => reject(tooManyAttempts(BUSY_SECONDS))), MOST_WAIT_MS);
    waiting.add(enter);
  });
}

/** The answer to somebody who has to wait before a password is looked at. */
export function tooManyAttempts(seconds: number): AppError {
  return new AppError("rate_limited", `Too many attempts. Wait ${seconds} seconds, then try again.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
