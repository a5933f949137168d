import { UserGroupsError } from "./error.js";

/** The first wait at most, in milliseconds; each later one may be twice as long. */
const FIRST_WAIT = 200;
const LONGEST_BACKOFF = 5_000;

/** How often, and how patiently, a call is made again. */
export interface Patience {
  /** how many attempts follow the first at most */
  retries: number;
  /** the longest wait in milliseconds: a `Retry-After` beyond it ends the call */
  maxWait: number;
  signal: AbortSignal | undefined;
}

/**
 * Makes an attempt until one succeeds, as long as what failed can pass: no answer, 429, 503.
 * @throws {UserGroupsError} that of the last attempt
 */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, maxWait, signal }: Patience): Promise<T> {
  for (let made = 0; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (made >= retries || !(error instanceof UserGroupsError) || !canPass(error)) throw error;
      // At random, so that all who failed at once do not come back at once.
      const backoff = Math.random() * Math.min(FIRST_WAIT * 2 ** made, LONGEST_BACKOFF);
      const wait = (error.retryAfter ?? 0) * 1_000 + backoff;
      if (wait > maxWait) throw error;
      await sleep(wait, signal);
    }
  }
}

function canPass({ code, status }: UserGroupsError): boolean {
  return code === "unreachable" || code === "timed_out" || status === 429 || status === 503;
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
