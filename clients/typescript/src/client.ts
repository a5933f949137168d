import { errorOf, UserGroupsError } from "./error.js";
import { withRetries } from "./retry.js";
import type { FoundGroup, GroupRequest, RotatedGroup, UpdatedGroup, Viewer } from "./user-group.js";

export { type ErrorCode, UserGroupsError } from "./error.js";
export type * from "./user-group.js";

export interface ClientOptions {
  /** where the service is, as `https://groups.example.com` */
  baseUrl: string;
  apiToken: string;
  /** how long one attempt may take, in milliseconds; 10,000 by default */
  timeout?: number;
  /** how many attempts follow one that failed in passing; 3 by default, 0 for none */
  retries?: number;
  /** the longest wait before an attempt, in milliseconds; 30,000 by default */
  maxWait?: number;
}

export interface CallOptions {
  /** ends the call, with the reason that it was aborted with */
  signal?: AbortSignal;
}

export interface RotateOptions extends CallOptions {
  /** names this rotation: with the same key and token it happens once, whoever asks; made by the client unless given */
  idempotencyKey?: string;
}

interface Request {
  method: "POST" | "PUT";
  path: string;
  body: object;
  headers?: Record<string, string>;
  signal: AbortSignal | undefined;
}

/** The calls of a user group service, for the environment of one API token. */
export class UserGroupsClient {
  readonly #base: string;
  readonly #apiToken: string;
  readonly #timeout: number;
  readonly #patience: { retries: number; maxWait: number };

  /** @throws {TypeError} when the base URL or the API token can be none */
  constructor({ baseUrl, apiToken, timeout = 10_000, retries = 3, maxWait = 30_000 }: ClientOptions) {
    this.#base = checkBaseUrl(baseUrl);
    // What is no header value would be part of the error that fetch throws about it.
    if (!/^[!-~]+$/.test(apiToken)) throw new TypeError("apiToken must be an API token: visible ASCII characters");
    this.#apiToken = apiToken;
    this.#timeout = timeout;
    this.#patience = { retries, maxWait };
  }

  /**
   * Gives the group with this id as it stands, or creates it with the other fields where there is none.
   * @throws {UserGroupsError}
   */
  getOrCreate(group: GroupRequest, { signal }: CallOptions = {}): Promise<FoundGroup> {
    // Not GET, which is the same call: fetch sends no body with one.
    return this.#call({ method: "POST", path: "/api/user/get-or-create", body: group, signal });
  }

  /**
   * Changes a group: a field that is left out stays as it is, mapping and properties are replaced whole.
   * @throws {UserGroupsError} `unknown_user_group` where there is no group with this id
   */
  update(group: GroupRequest, { signal }: CallOptions = {}): Promise<UpdatedGroup> {
    return this.#call({ method: "PUT", path: "/api/user", body: group, signal });
  }

  /**
   * Gives a group a new token; the current one identifies nothing from then on.
   * @throws {UserGroupsError} `unknown_token` when it is not the current token of any group
   */
  rotate(currentToken: string, options: RotateOptions = {}): Promise<RotatedGroup> {
    const { signal, idempotencyKey = newKey() } = options;
    const headers = { "Idempotency-Key": idempotencyKey };
    return this.#call({ method: "POST", path: "/api/user", body: { current_token: currentToken }, headers, signal });
  }

  /**
   * Tells which group is viewing, by the token that a viewer showed: what a renderer of dashboards asks.
   * @throws {UserGroupsError}
   */
  viewer(token: string, { signal }: CallOptions = {}): Promise<Viewer> {
    return this.#call({ method: "POST", path: "/api/viewer", body: { token }, signal });
  }

  /** Async, so that a body which is no JSON rejects as every other failure does. */
  async #call<T>({ method, path, body, headers, signal }: Request): Promise<T> {
    const request: RequestInit = {
      method,
      headers: { Authorization: `Token ${this.#apiToken}`, "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      // One that is followed would become a GET, or lose the API token.
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
    };
    const attempt = () => ask<T>(this.#base + path, request, { timeout: this.#timeout, signal });
    return withRetries(attempt, { ...this.#patience, signal });
  }
}

interface Limits {
  timeout: number;
  signal: AbortSignal | undefined;
}

/** Asks once. @throws {UserGroupsError} and the signal's reason when it was aborted */
async function ask<T>(url: string, request: RequestInit, { timeout, signal }: Limits): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeout);
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  try {
    const response = await fetch(url, { ...request, signal: controller.signal });
    const answer = readJson(await response.text());
    if (response.ok && isSuccess(answer)) return answer as T;
    throw errorOf(response, answer);
  } catch (error) {
    if (error instanceof UserGroupsError) throw error;
    signal?.throwIfAborted();
    if (isLate) throw new UserGroupsError("timed_out", `No answer came within ${timeout} ms.`);
    const message = "The user group service cannot be reached: the connection failed, or broke before the answer.";
    throw new UserGroupsError("unreachable", message, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSuccess(answer: unknown): boolean {
  return (answer as { success?: unknown } | null | undefined)?.success === 1;
}

function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl must be the URL of the service, as https://groups.example.com");
  }
  return url.href.replace(/\/+$/, "");
}

/** 128 random bits. `randomUUID` would do, but browsers have it in secure contexts alone. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
