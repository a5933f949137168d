import { UserGroupsError } from "./error.js";

/** The longest first wait in milliseconds; it doubles with each attempt. */
const FIRST_WAIT = 200;
const LONGEST_BACKOFF = 5_000;

/** Retry limits. */
export interface Patience {
  /** maximum attempts after the first */
  retries: number;
  /** longest wait in milliseconds; a longer `Retry-After` ends the call */
  maxWait: number;
  signal: AbortSignal | undefined;
}

/**
 * Repeats an attempt until it succeeds, after transient failures only: no response, 429, 503.
 * @throws {UserGroupsError} from the last attempt
 */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, maxWait, signal }: Patience): Promise<T> {
  for (let made = 0; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (made >= retries || !(error instanceof UserGroupsError) || !canPass(error)) throw error;
      // Random, so that clients that failed together do not return together.
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
