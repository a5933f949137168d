import { UserGroupsError } from "./error.js";

/** The longest first wait in milliseconds; it doubles with each attempt. */
const FIRST_WAIT = 200;
const LONGEST_BACKOFF = 5_000;

/** How often, and for how long, a call is tried. */
export interface Patience {
  /** maximum attempts after the first */
  retries: number;
  /** milliseconds for all attempts and the waits between them */
  deadline: number;
  /** milliseconds for an attempt */
  timeout: number;
  /** whether sending it twice does no harm; otherwise only a refusal (429) is followed by another attempt */
  repeatable: boolean;
  signal: AbortSignal | undefined;
}

/**
 * Repeats an attempt until it succeeds, after transient failures only: no response, 429, 503. The attempt is told how many
 * milliseconds it has.
 * @throws {UserGroupsError} from the last attempt
 */
export async function withRetries<T>(attempt: (timeout: number) => Promise<T>, patience: Patience): Promise<T> {
  const { retries, deadline, timeout, repeatable, signal } = patience;
  const end = performance.now() + deadline;
  for (let made = 0; ; made++) {
    try {
      return await attempt(Math.min(timeout, Math.max(1, end - performance.now())));
    } catch (error) {
      if (made >= retries || !(error instanceof UserGroupsError) || !canPass(error, repeatable)) throw error;
      // Random, so that clients that failed together do not return together.
      const backoff = Math.random() * Math.min(FIRST_WAIT * 2 ** made, LONGEST_BACKOFF);
      const wait = (error.retryAfter ?? 0) * 1_000 + backoff;
      if (performance.now() + wait >= end) throw error;
      await sleep(wait, signal);
    }
  }
}

function canPass({ code, status }: UserGroupsError, repeatable: boolean): boolean {
  if (status === 429) return true;
  return repeatable && (code === "unreachable" || code === "timed_out" || status === 503);
}

/** Waits. @throws the signal's reason */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
