import { type Attempt, askForJson, askForStream, askForText, type JsonAnswer, type Pieces } from "./request.js";
import { withRetries } from "./retry.js";

export interface ClientOptions {
  /** URL of the service, such as `https://groups.example.com` */
  baseUrl: string;
  apiToken: string;
  /**
   * milliseconds for a call, all its attempts included; default 5,000, and at least 30,000 for batches, pieces of
   * imports and changes of webhooks. `wait` of events is added
   */
  deadline?: number;
  /** milliseconds for one attempt; default half of the deadline */
  timeout?: number;
  /** retries after a transient failure; default 3 */
  retries?: number;
  /** in place of the global `fetch` */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** aborts the call, which rejects with its reason */
  signal?: AbortSignal;
  /** overrides the client's deadline */
  deadline?: number;
  timeout?: number;
  retries?: number;
}

/** An answer with the version for `ifMatch`. */
export type Tagged<Answer> = Answer & { etag: string };

/** One call of the API. */
export interface Call {
  options: CallOptions;
  /** values of parameters; a list repeats its parameter, undefined is omitted */
  query?: object;
  headers?: Record<string, string | undefined>;
  /** false if it is not safe to send twice */
  repeatable?: boolean;
  /** takes longer than others */
  isBulk?: boolean;
  /** milliseconds for which the service may hold an answer, added to the deadline and timeout */
  heldMs?: number;
  /** whether an answer leaves work undone, so that the call is sent again */
  isUnfinished?: (answer: object) => boolean;
}

/** A call's method and path. */
type Target = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} ${string}`;

const DEADLINE = 5_000;
const BULK_DEADLINE = 30_000;
/** An export is silent while few of many groups match. */
const STREAM_SILENCE = 600_000;

/** Sends calls with the API token, and retries them where that is safe. */
export class Transport {
  readonly #base: string;
  readonly #apiToken: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #deadline: number;
  readonly #timeout: number | undefined;
  readonly #retries: number;

  /** @throws {TypeError} when the base URL or the API token is invalid */
  constructor({ baseUrl, apiToken, deadline = DEADLINE, timeout, retries = 3, fetch }: ClientOptions) {
    this.#base = checkBaseUrl(baseUrl);
    // fetch's own error about a header would quote the token.
    if (apiToken === "") throw new TypeError("apiToken is empty");
    if (!/^[!-~]+$/.test(apiToken)) throw new TypeError("apiToken must be visible ASCII characters");
    this.#apiToken = apiToken;
    // Browsers refuse to run `fetch` as a method of another object.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#deadline = deadline;
    this.#timeout = timeout;
    this.#retries = retries;
  }

  /** Async, so that a body that JSON cannot represent rejects like other failures. */
  async json<Answer>(target: Target, body: object | undefined, call: Call): Promise<Answer> {
    const { isUnfinished } = call;
    const isLeft = isUnfinished && (({ answer }: JsonAnswer) => isUnfinished(answer));
    return (await this.#attempt(target, body, call, askForJson, isLeft)).answer as Answer;
  }

  /** An answer with its `ETag`. */
  async tagged<Answer>(target: Target, body: object | undefined, call: Call): Promise<Tagged<Answer>> {
    const { answer, etag = "" } = await this.#attempt(target, body, call, askForJson);
    return { ...(answer as Answer), etag };
  }

  get<Answer>(path: string, options: CallOptions, query: object = {}): Promise<Answer> {
    return this.json(`GET ${path}`, undefined, { options, query });
  }

  post<Answer>(path: string, body: object, options: CallOptions): Promise<Answer> {
    return this.json(`POST ${path}`, body, { options });
  }

  /** As {@link post}, for a call that is not safe to send twice. */
  postOnce<Answer>(path: string, body: object, options: CallOptions): Promise<Answer> {
    return this.json(`POST ${path}`, body, { options, repeatable: false });
  }

  async text(path: string, options: CallOptions): Promise<string> {
    return this.#attempt(`GET ${path}`, undefined, { options }, askForText);
  }

  async stream(path: string, options: CallOptions, query: object): Promise<Pieces> {
    const silence = options.timeout ?? this.#timeout ?? STREAM_SILENCE;
    return this.#attempt(`GET ${path}`, undefined, { options, query }, (attempt) => askForStream(attempt, silence));
  }

  #attempt<T>(
    target: Target,
    body: object | undefined,
    { query = {}, headers = {}, options, repeatable = true, isBulk = false, heldMs = 0 }: Call,
    ask: (attempt: Attempt) => Promise<T>,
    isUnfinished?: (answer: T) => boolean,
  ): Promise<T> {
    const { signal, retries = this.#retries } = options;
    const usual = isBulk ? Math.max(this.#deadline, BULK_DEADLINE) : this.#deadline;
    const deadline = options.deadline ?? usual;
    const timeout = options.timeout ?? this.#timeout ?? deadline / 2;
    const [method = "", path = ""] = target.split(" ");
    const url = this.#base + path + written(query);
    const init = this.#init(method, body, headers);
    const attempt = (timeout: number) => ask({ fetch: this.#fetch, url, init, timeout, signal });
    return withRetries(attempt, {
      retries,
      deadline: deadline + heldMs,
      timeout: timeout + heldMs,
      repeatable,
      signal,
      ...(isUnfinished && { isUnfinished }),
    });
  }

  #init(method: string, body: object | undefined, headers: NonNullable<Call["headers"]>): RequestInit {
    const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
    return {
      method,
      headers: {
        Authorization: `Token ${this.#apiToken}`,
        ...(body && { "Content-Type": "application/json" }),
        ...Object.fromEntries(given),
      },
      ...(body && { body: JSON.stringify(body) }),
      // Following a redirect would send a GET, or lose the API token.
      redirect: "manual",
      credentials: "omit",
    };
  }
}

function written(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)] as [string, string]])),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl must be the URL of the service, such as https://groups.example.com");
  }
  return url.href.replace(/\/+$/, "");
}

/** 128 random bits. Browsers offer `randomUUID` only in secure contexts. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
