import type { ViewerToken } from "./viewer-token.js";

/** A mint's answer as it stands; `expires_in`, in seconds, is needed only if the token is no JWT. */
export type FreshToken = Pick<ViewerToken, "viewer_token"> & { expires_at?: string; expires_in?: number };

export interface KeepFreshOptions {
  /** ends the renewal */
  signal?: AbortSignal;
  /** receives each failure; the token before stays in use until it expires */
  onError?: (error: unknown) => void;
}

/** When to renew, as a part of a token's life. */
const RENEWED_AT = 0.8;
/** The shortest time between two requests, in milliseconds, whatever the clocks say. */
const SHORTEST_WAIT = 3_000;
const LONGEST_BACKOFF = 60_000;
const FETCH_TIMEOUT = 15_000;
/** How often the clocks are compared: after sleep a page may get no event. */
const TICK = 1_000;
/** The shortest life that a mint gives, for tokens that state none. */
const SHORTEST_LIFE = 60_000;
const ENDED_STATUS = [401, 403, 409, 410];
const ENDED_CODES = ["not_active", "unknown_user_group", "unauthorized", "forbidden"];
const WINDOW_EVENTS = ["focus", "online", "pageshow"];
const DOCUMENT_EVENTS = ["visibilitychange", "resume"];

type FetchToken = (signal: AbortSignal) => Promise<FreshToken>;

/**
 * Fetches a viewer token now and again at 80 % of each one's life, and passes each to `onToken`. The token's own claims say how long it
 * lives, so the page's wall clock may be wrong. Also renews when the page wakes up. Failures are followed by growing waits.
 * Resolves with the reason when an answer or error says that access ended (401, 403, 409, 410 or `active: false`), and with undefined
 * when the signal aborts; rejects with what `onToken` throws.
 */
export async function keepFresh(
  fetchToken: FetchToken,
  onToken: (token: string) => void,
  { signal, onError }: KeepFreshOptions = {},
): Promise<string | undefined> {
  let [renewal, failures, current] = [0, 0, ""];
  let received: (() => number) | undefined;
  let life = 0;
  while (!signal?.aborted) {
    const sinceBegun = stopwatch();
    const pause = sleepAtLeast(SHORTEST_WAIT, signal);
    try {
      const answer = await within(FETCH_TIMEOUT, fetchToken, signal);
      if (signal?.aborted) return undefined;
      if (typeof answer.viewer_token !== "string") throw answer;
      if (answer.viewer_token === current) throw new Error("fetchToken returned the same viewer token again");
      current = answer.viewer_token;
      [life, received, failures] = [lifeOf(answer), sinceBegun, 0];
      renewal = life * RENEWED_AT;
    } catch (error) {
      if (signal?.aborted) return undefined;
      onError?.(error);
      const reason = endOf(error);
      if (reason !== undefined) return reason;
      const backoff = SHORTEST_WAIT + Math.random() * Math.min(SHORTEST_WAIT * 2 ** failures++, LONGEST_BACKOFF);
      // Attempts come closer together while the token in use is about to expire.
      const left = life - (received?.() ?? 0);
      renewal = left > 0 ? Math.min(backoff, Math.max(SHORTEST_WAIT, left / 2)) : backoff;
    }
    if (failures === 0) onToken(current);
    await pause;
    await untilDue(sinceBegun, renewal, () => failures > 0, signal);
  }
  return undefined;
}

/** Milliseconds since now: a monotonic clock may stand still during sleep, and a wall clock may be set back. */
function stopwatch(): () => number {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall);
}

/** How long a token lives, in milliseconds, by what its answer says. */
function lifeOf({ viewer_token, expires_in }: FreshToken): number {
  if (expires_in !== undefined) return expires_in * 1_000;
  try {
    const payload = viewer_token.split(".")[1] ?? "";
    const { iat, exp } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return exp > iat ? (exp - iat) * 1_000 : SHORTEST_LIFE;
  } catch {
    return SHORTEST_LIFE;
  }
}

/** Why access ended, by an answer or an error; undefined if another attempt may succeed. */
function endOf(failure: unknown): string | undefined {
  const { active, status, code, reason, error } = Object(failure);
  const name = code ?? error?.code;
  if (active !== false && !ENDED_STATUS.includes(status) && !ENDED_CODES.includes(name)) return undefined;
  return String(reason ?? name ?? status ?? "not_active");
}

function within(timeout: number, fetchToken: FetchToken, signal: AbortSignal | undefined): Promise<FreshToken> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  const timer = setTimeout(() => controller.abort(new Error("fetchToken did not answer in time")), timeout);
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
  });
  return Promise.race([fetchToken(controller.signal), aborted]).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}

/** Waits for this time, or for the signal. */
function sleepAtLeast(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end);
  });
}

/** Waits until so much time passed, the page wakes up after a failure, or the signal aborts. */
function untilDue(
  since: () => number,
  due: number,
  hasFailed: () => boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const [page, shown] = [globalThis.window, globalThis.document];
    const check = (event?: Event) => {
      const woke = event && hasFailed() && shown?.visibilityState !== "hidden";
      if (!woke && since() < due && !signal?.aborted) return;
      clearInterval(timer);
      listen("removeEventListener");
      resolve();
    };
    const listen = (verb: "addEventListener" | "removeEventListener") => {
      for (const name of WINDOW_EVENTS) page?.[verb](name, check);
      for (const name of DOCUMENT_EVENTS) shown?.[verb](name, check);
      signal?.[verb]("abort", check as EventListener);
    };
    const timer = setInterval(() => check(), TICK);
    listen("addEventListener");
    check();
  });
}
