import { secondsOf } from "./error.js";
import type { ViewerToken } from "./openapi.js";

/** The unchanged answer to a mint; `expires_in`, in seconds, is needed only if the token is not a JWT. */
export type FreshToken = Pick<ViewerToken, "viewer_token"> & { expires_at?: string; expires_in?: number };

/** Gets a viewer token from your backend. Throw the response, or an error with its `status`, unless it is a success. */
export type FetchToken = (signal: AbortSignal) => Promise<FreshToken>;

export interface KeepFreshOptions {
  /** ends the renewal */
  signal?: AbortSignal;
  /** receives each failure; the previous token stays in use until it expires */
  onError?: (error: unknown) => void;
  /** its event `refused` renews early, because the renderer refused the token in use; counts once per token */
  refusals?: EventTarget;
}

/** When to renew, as a fraction of a token's life. */
const RENEWED_AT = 0.8;
/** The shortest time between two requests, in milliseconds, whatever the clocks say. */
const SHORTEST_WAIT = 3_000;
const LONGEST_BACKOFF = 60_000;
const LONGEST_RETRY_AFTER = 300_000;
const FETCH_TIMEOUT = 15_000;
/** How often the clocks are compared: a page may get no event after the machine slept. */
const TICK = 1_000;
/** The shortest life of a minted token, assumed for tokens without a valid one. */
const SHORTEST_LIFE = 60_000;
const ENDED_STATUS = [401, 403, 409, 410];
const ENDED_CODES = ["not_active", "viewer_ended", "unknown_user_group", "unauthorized", "forbidden"];
const WINDOW_EVENTS = ["focus", "online", "pageshow"];
const DOCUMENT_EVENTS = ["visibilitychange", "resume"];

/**
 * Fetches a viewer token immediately, and another at 80 % of each token's life, and passes each to `onToken`. A token's
 * claims say how long it lives, so the page's wall clock may be wrong. Also renews when the page wakes up. Waits longer
 * after each failure. Resolves with the reason when an answer or error says that access ended (401, 403, 409, 410 or
 * `active: false`), and with undefined when the signal aborts; rejects with what `onToken` throws.
 */
export async function keepFresh(
  fetchToken: FetchToken,
  onToken: (token: string, answer: FreshToken) => void,
  { signal, onError, refusals }: KeepFreshOptions = {},
): Promise<string | undefined> {
  const schedule = new Schedule();
  const refuse = () => schedule.refuse();
  refusals?.addEventListener("refused", refuse);
  try {
    for (let current = ""; !signal?.aborted; await until((hasWoken) => schedule.isDue(hasWoken), signal)) {
      const outcome = await outcomeOf(fetchToken, current, schedule.begin(), signal);
      if (signal?.aborted) break;
      if ("answer" in outcome) {
        current = outcome.answer.viewer_token;
        schedule.succeed(lifeOf(outcome.answer));
        onToken(current, outcome.answer);
      } else {
        onError?.(outcome.error);
        const reason = endOf(outcome.error);
        if (reason !== undefined) return reason;
        schedule.fail(retryAfterOf(outcome.error));
      }
    }
    return undefined;
  } finally {
    refusals?.removeEventListener("refused", refuse);
  }
}

/** When to ask for the next token. */
class Schedule {
  #sinceRequest = stopwatch();
  #requestedAt = 0;
  /** the age of the token in use, since its request */
  #age = this.#sinceRequest;
  #life = 0;
  #earliest = 0;
  #due = 0;
  #failures = 0;
  #refusals = 0;
  #isRefused = false;

  /**
   * Returns the request's timeout in milliseconds: a dead connection must leave time for another request before the
   * token in use expires.
   */
  begin(): number {
    const left = this.#life - this.#age();
    [this.#sinceRequest, this.#requestedAt] = [stopwatch(), performance.now()];
    return left > 0 ? Math.min(FETCH_TIMEOUT, Math.max(SHORTEST_WAIT, left / 2)) : FETCH_TIMEOUT;
  }

  succeed(life: number) {
    if (this.#age() >= this.#life * RENEWED_AT) this.#refusals = 0;
    [this.#age, this.#life, this.#failures, this.#isRefused] = [this.#sinceRequest, life, 0, false];
    [this.#earliest, this.#due] = [SHORTEST_WAIT, life * RENEWED_AT];
  }

  /** Attempts come closer together while the token in use is about to expire. */
  fail(retryAfter: number) {
    const backoff = SHORTEST_WAIT + Math.random() * backoffAfter(this.#failures++);
    const left = this.#life - this.#age();
    this.#earliest = Math.max(SHORTEST_WAIT, retryAfter);
    this.#due = left > 0 ? Math.min(backoff, left / 2) : backoff;
  }

  /** A renderer that refuses every token gets new ones less and less often. */
  refuse() {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#due = Math.min(this.#due, backoffAfter(this.#refusals++));
  }

  isDue(hasWoken: boolean): boolean {
    // Not by the wall clock, which may jump ahead.
    if (performance.now() - this.#requestedAt < this.#earliest) return false;
    return (hasWoken && this.#failures > 0) || this.#sinceRequest() >= this.#due;
  }
}

const backoffAfter = (attempts: number) => Math.min(SHORTEST_WAIT * 2 ** attempts, LONGEST_BACKOFF);

/** Measures from now: the monotonic clock may stop while the machine sleeps, and the wall clock may be set back. */
function stopwatch(): () => number {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall);
}

/** How long a token lives, in milliseconds, from its answer. */
function lifeOf({ viewer_token, expires_in }: FreshToken): number {
  const stated = [Number(expires_in) * 1_000, claimedLife(viewer_token)];
  return stated.find((life) => life > 0 && Number.isFinite(life)) ?? SHORTEST_LIFE;
}

/** The life from a JWT's claims; NaN without them. */
function claimedLife(token: string): number {
  try {
    const payload = token.split(".")[1] ?? "";
    const { iat, exp } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return (exp - iat) * 1_000;
  } catch {
    return Number.NaN;
  }
}

/** Why access ended, from an answer or an error; undefined if another attempt may succeed. */
function endOf(failure: unknown): string | undefined {
  const { active, status, code, reason, error } = Object(failure);
  const name = code ?? error?.code;
  if (active !== false && !ENDED_STATUS.includes(status) && !ENDED_CODES.includes(name)) return undefined;
  return String(reason ?? name ?? status ?? "not_active");
}

/** Milliseconds that a failure asks to wait, from its seconds or date. */
function retryAfterOf(failure: unknown): number {
  const { retryAfter } = Object(failure);
  const seconds = Number(retryAfter);
  return Math.min(
    (Number.isNaN(seconds) ? (secondsOf(String(retryAfter)) ?? 0) : seconds) * 1_000,
    LONGEST_RETRY_AFTER,
  );
}

type Outcome = { answer: FreshToken } | { error: unknown };

async function outcomeOf(
  fetchToken: FetchToken,
  current: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  const age = stopwatch();
  const error = new Error("fetchToken did not answer in time");
  const late = until(() => age() >= timeout, controller.signal).then(() => ({ error }));
  const outcome = await Promise.race([attempt(fetchToken, current, controller.signal), late]);
  controller.abort(error);
  signal?.removeEventListener("abort", abort);
  return outcome;
}

async function attempt(fetchToken: FetchToken, current: string, signal: AbortSignal): Promise<Outcome> {
  try {
    const answer = await fetchToken(signal);
    if (typeof answer.viewer_token !== "string") return { error: answer };
    if (answer.viewer_token !== current) return { answer };
    return { error: new Error("fetchToken returned the same viewer token again") };
  } catch (error) {
    return { error: error instanceof Response ? await failureOf(error) : error };
  }
}

/** A refusal as an error, with its body's members unless that is an error page. */
async function failureOf(response: Response): Promise<Error> {
  const body = await response.json().catch(() => undefined);
  const [status, retryAfter] = [response.status, response.headers.get("Retry-After")];
  return Object.assign(new Error(`fetchToken was answered with ${status}`), body, { status, retryAfter });
}

/** Waits until it is time, or the signal aborts. Checks every second, and when the page wakes up. */
function until(isTime: (hasWoken: boolean) => boolean, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const [page, shown] = [globalThis.window, globalThis.document];
    let hasWoken = false;
    const check = (event?: Event) => {
      hasWoken ||= event !== undefined && shown?.visibilityState !== "hidden";
      if (!isTime(hasWoken) && !signal?.aborted) return;
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
