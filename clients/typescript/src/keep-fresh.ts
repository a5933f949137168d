import { sleep } from "./retry.js";

/** A viewer token, and when it expires. */
export interface FreshToken {
  token: string;
  /** RFC 3339, or a date */
  expiresAt: string | Date;
}

export interface KeepFreshOptions {
  /** ends the renewal */
  signal?: AbortSignal;
  /** receives each failure; the token before stays in use until it expires */
  onError?: (error: unknown) => void;
}

/** When to renew, as a part of a token's life. */
const RENEWED_AT = 0.8;
/** The shortest wait between two tokens, in milliseconds, whatever the clocks say. */
const SHORTEST_WAIT = 1_000;
const FIRST_BACKOFF = 1_000;
const LONGEST_BACKOFF = 60_000;
/** The longest that a timer can wait. */
const LONGEST_WAIT = 2_147_483_647;

/**
 * Fetches a viewer token now and again at 80 % of each one's life, until its signal aborts, and passes each to `onToken`: post it to
 * the frame that has the dashboard, whose page stays as it is. Errors are followed by growing waits. A hidden page does not renew;
 * when it is shown again with a token that is due, it does immediately. Resolves when it has ended; rejects with what `onToken` throws.
 */
export async function keepFresh(
  fetchToken: (signal: AbortSignal | undefined) => Promise<FreshToken>,
  onToken: (token: string) => void,
  { signal, onError }: KeepFreshOptions = {},
): Promise<void> {
  let failures = 0;
  while (!signal?.aborted) {
    let wait: number;
    const begun = Date.now();
    const fetched = await outcomeOf(fetchToken, signal);
    if (signal?.aborted) return;
    if ("error" in fetched) {
      onError?.(fetched.error);
      wait = Math.random() * Math.min(FIRST_BACKOFF * 2 ** failures, LONGEST_BACKOFF) + FIRST_BACKOFF / 2;
      failures++;
    } else {
      onToken(fetched.token);
      const life = new Date(fetched.expiresAt).getTime() - begun;
      wait = Math.max(SHORTEST_WAIT, RENEWED_AT * life - (Date.now() - begun));
      failures = 0;
    }
    await untilDue(wait, signal);
  }
}

type Fetched = FreshToken | { error: unknown };

async function outcomeOf(
  fetchToken: (signal: AbortSignal | undefined) => Promise<FreshToken>,
  signal: AbortSignal | undefined,
): Promise<Fetched> {
  try {
    const fetched = await fetchToken(signal);
    if (!Number.isNaN(new Date(fetched.expiresAt).getTime())) return fetched;
    return { error: new TypeError("fetchToken must return when the token expires, as expiresAt") };
  } catch (error) {
    return { error };
  }
}

/** Waits until this much time has passed and the page is visible, or the signal aborts. */
async function untilDue(wait: number, signal: AbortSignal | undefined) {
  try {
    await sleep(Math.min(wait, LONGEST_WAIT), signal);
    await untilVisible(signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** Outside of a browser, everything is visible. */
function untilVisible(signal: AbortSignal | undefined): Promise<void> {
  const page = typeof document === "undefined" ? undefined : document;
  if (!page || page.visibilityState === "visible") return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = () => {
      page.removeEventListener("visibilitychange", change);
      signal?.removeEventListener("abort", abort);
    };
    const change = () => {
      if (page.visibilityState !== "visible") return;
      end();
      resolve();
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    page.addEventListener("visibilitychange", change);
    signal?.addEventListener("abort", abort);
  });
}
