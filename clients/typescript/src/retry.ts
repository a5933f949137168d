import { UserGroupsError } from "./error.js";

/** The longest first wait in milliseconds; it doubles with each attempt. */
const FIRST_WAIT = 200;
const LONGEST_BACKOFF = 5_000;

/** How often and for how long to try a call. */
export interface Patience<T> {
  /** maximum attempts after the first */
  retries: number;
  /** milliseconds for all attempts and the waits between them */
  deadline: number;
  /** milliseconds for an attempt */
  timeout: number;
  /** whether it is safe to send twice; otherwise it is retried only after a refusal (429) */
  repeatable: boolean;
  signal: AbortSignal | undefined;
  /** whether an answer leaves work undone, so that another attempt follows */
  isUnfinished?: (answer: T) => boolean;
}

/**
 * Repeats an attempt until it succeeds, after transient failures only: no response, 429, 503, or an unfinished answer.
 * Returns the last answer if it is still unfinished. Passes each attempt its timeout in milliseconds.
 * @throws {UserGroupsError} from the last attempt
 */
export async function withRetries<T>(attempt: (timeout: number) => Promise<T>, patience: Patience<T>): Promise<T> {
  const { retries, deadline, timeout, repeatable, signal, isUnfinished } = patience;
  const end = performance.now() + deadline;
  let unfinished: { answer: T } | undefined;
  for (let made = 0; ; made++) {
    let failure: UserGroupsError | undefined;
    try {
      const answer = await attempt(Math.min(timeout, Math.max(1, end - performance.now())));
      if (!isUnfinished?.(answer)) return answer;
      unfinished = { answer };
    } catch (error) {
      if (!(error instanceof UserGroupsError)) throw error;
      failure = error;
    }
    // Random, so that clients that failed together do not retry together.
    const backoff = Math.random() * Math.min(FIRST_WAIT * 2 ** made, LONGEST_BACKOFF);
    const wait = (failure?.retryAfter ?? 0) * 1_000 + backoff;
    const isOver = made >= retries || performance.now() + wait >= end;
    if (isOver || (failure && !canPass(failure, repeatable))) {
      if (unfinished) return unfinished.answer;
      if (failure) throw failure;
    }
    await sleep(wait, signal);
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
