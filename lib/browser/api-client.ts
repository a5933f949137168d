import { checkConnection, isReachable } from "@/lib/browser/connection";
import type { ErrorCode, FieldIssue } from "@/lib/errors";
import { anyJson } from "@/lib/json/any-json";

/** Why there is no response: the request was not sent, a read failed, or a change may have been made. */
type Unanswered = "offline" | "unreachable" | "lost";

interface Failure {
  /** ours, or better-auth's under /api/auth */
  code: ErrorCode | Unanswered | (string & {});
  message: string;
  requestId?: string;
  issues?: FieldIssue[];
}

/** A failed or missing response; its message is for people. */
export class ApiError extends Error {
  readonly code: Failure["code"];
  readonly requestId: string | undefined;
  readonly issues: FieldIssue[];

  constructor({ code, message, requestId, issues = [] }: Failure) {
    super(message);
    this.code = code;
    this.requestId = requestId;
    this.issues = issues;
  }
}

/** Whether retrying shortly may succeed. */
export function isTransient(error: unknown): error is ApiError {
  return error instanceof ApiError && ["unreachable", "unavailable"].includes(error.code);
}

/** Fired on the window when a response says that the session has ended. */
export const SESSION_ENDED = "session-ended";

interface Options {
  /** slug of the environment; "-" for none */
  environment?: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** a list repeats its parameter */
  query?: Record<string, string | string[] | undefined>;
  /** sent as JSON; a string is sent as is */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** safe to repeat; true of every GET */
  isRepeatable?: boolean;
  /** for pages that also work signed out: 401 is an ordinary answer */
  isForNobody?: boolean;
}

/**
 * Calls the service as the signed-in member, and returns the answer's body.
 * @throws {ApiError}, as do all functions built on it
 */
export async function callApi<T>(path: string, options: Options = {}): Promise<T> {
  return (await callWithHeaders<T>(path, options)).answer;
}

/**
 * Like {@link callApi}, but also returns the headers.
 * @throws {ApiError}
 */
export async function callWithHeaders<T>(path: string, options: Options): Promise<{ answer: T; headers: Headers }> {
  const response = await send(path, options);
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer) return { answer: answer as T, headers: response.headers };
  // Cut off, or a proxy's error page.
  if (response.ok || (!answer && [502, 504].includes(response.status))) throw unanswered(options, false);
  throw failureOf(response, answer, options);
}

/**
 * Like {@link callApi}, but returns the answer's text, for answers that JSON.parse would change.
 * @throws {ApiError}
 */
export async function fetchText(path: string, options: Options): Promise<string> {
  return (await fetchTextWithTag(path, options)).text;
}

/**
 * Like {@link fetchText}, but also returns the answer's ETag.
 * @throws {ApiError}
 */
export async function fetchTextWithTag(path: string, options: Options): Promise<{ text: string; tag: string }> {
  const response = await send(path, options);
  const text = await response.text().catch(() => undefined);
  if (response.ok && text?.trimEnd().endsWith("}")) return { text, tag: response.headers.get("ETag") ?? "" };
  if (response.ok) throw unanswered(options, false);
  throw failureOf(response, anyJson(text ?? ""), options);
}

/**
 * Downloads a file that the service generates while sending it.
 * @throws {ApiError} also when the file is incomplete
 */
export async function fetchFile(path: string, options: Options): Promise<{ name: string; content: Blob }> {
  const response = await send(path, options);
  if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined), options);
  const [, name = "download"] = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  const content = await response.blob().catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    const message = "The connection broke before the file was complete. Try again.";
    throw new ApiError({ code: "unreachable", message });
  });
  return { name, content };
}

async function send(path: string, options: Options): Promise<Response> {
  const { environment = "-", method = "GET", query = {}, body, headers, signal } = options;
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value = []]) =>
      [value].flat().flatMap((one) => (one === "" ? [] : [[name, one]])),
    ),
  );
  const isChange = !(options.isRepeatable ?? method === "GET");
  let wasOffline = !navigator.onLine;
  if (isChange && wasOffline) {
    // A service on this machine works without a network; any other is sent nothing.
    await checkConnection();
    if (!isReachable()) throw unanswered(options, true);
    wasOffline = false;
  }
  return fetch(search.size > 0 ? `${path}?${search}` : path, {
    method,
    headers: {
      "X-Environment": environment,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    void checkConnection();
    throw unanswered(options, wasOffline);
  });
}

function unanswered({ method = "GET", isRepeatable = method === "GET" }: Options, wasOffline: boolean): ApiError {
  if (wasOffline) {
    const sent = isRepeatable ? "" : ", so nothing was sent";
    return new ApiError({ code: "offline", message: `You are offline${sent}. Try again when the connection is back.` });
  }
  if (isRepeatable) {
    return new ApiError({
      code: "unreachable",
      message: "The service cannot be reached. Check the connection, then try again.",
    });
  }
  return new ApiError({
    code: "lost",
    message: "The connection was lost. The change may have been made: check before you try again.",
  });
}

/** better-auth's code when a session is required. */
const NO_SESSION = "UNAUTHORIZED";

function failureOf(response: Response, answer: unknown, { isForNobody = false }: Options): ApiError {
  const requestId = response.headers.get("X-Request-Id") ?? undefined;
  const isAuth = response.url.includes("/api/auth/");
  const refusal = answer as { code?: string; message?: string } | undefined;
  if (response.status === 401 && (!isAuth || refusal?.code === NO_SESSION)) {
    if (!isForNobody) window.dispatchEvent(new Event(SESSION_ENDED));
    // The API's own message is for programs, which send a token.
    return new ApiError({ code: "unauthorized", message: "Your session has ended. Sign in again, then try again." });
  }
  const error = (answer as { error?: Omit<Failure, "requestId"> } | undefined)?.error;
  if (error) return new ApiError({ ...error, ...(requestId && { requestId }) });
  if (response.status === 429) {
    return new ApiError({ code: "rate_limited", message: "Too many attempts. Wait a minute, then try again." });
  }
  if (refusal?.message) return new ApiError({ code: refusal.code ?? "internal", message: refusal.message });
  const message = `The service returned status ${response.status}. Try again, or report the request ID.`;
  return new ApiError({ code: "internal", message, ...(requestId && { requestId }) });
}
