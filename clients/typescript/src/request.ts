import { errorOf, UserGroupsError } from "./error.js";
import { decode } from "./read-text.js";

// The largest answers, in bytes after decompression. Answers can quote the rows of an import, whose file has at most
// 64 MiB; requests have at most 4 MiB.
const MAX_ANSWER = 134_217_728;
const MAX_ERROR = 1_048_576;

/** One attempt of a call. */
export interface Attempt {
  fetch: typeof globalThis.fetch;
  url: string;
  init: RequestInit;
  /** milliseconds for the whole answer, or for the headers and then each piece of a stream */
  timeout: number;
  signal: AbortSignal | undefined;
}

/** A JSON answer, with its `ETag` if it has one. */
export interface JsonAnswer {
  answer: object;
  etag: string | undefined;
}

/** Sends a request and reads its JSON answer. @throws {UserGroupsError} */
export async function askForJson(attempt: Attempt): Promise<JsonAnswer> {
  return limited(attempt, async (response, signal) => {
    const answer = readJson(await textOf(response, signal));
    if (!response.ok || !isSuccess(answer)) throw errorOf(response, answer);
    return { answer, etag: response.headers.get("ETag") ?? undefined };
  });
}

/** Sends a request and reads its answer as text. @throws {UserGroupsError} */
export async function askForText(attempt: Attempt): Promise<string> {
  return limited(attempt, async (response, signal) => {
    const text = await textOf(response, signal);
    if (!response.ok || text === undefined) throw errorOf(response, readJson(text));
    return text;
  });
}

/** Sends a request and answers as soon as the body begins; `next` reads one piece of it. @throws {UserGroupsError} */
export async function askForStream(attempt: Attempt, silence: number): Promise<Pieces> {
  const controller = new AbortController();
  const { signal } = attempt;
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  const stop = () => {
    signal?.removeEventListener("abort", abort);
    controller.abort();
  };
  try {
    const response = await limited(
      attempt,
      async (response, signal) => {
        if (!response.ok) throw errorOf(response, readJson(await textOf(response, signal)));
        return response;
      },
      controller,
    );
    const reader = response.body?.getReader();
    const next = async () =>
      (await limitedRead({ ...attempt, timeout: silence }, controller, () => reader?.read()))?.value;
    return { next, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** A body, read piece by piece. */
export interface Pieces {
  /** the next piece; undefined at the end */
  next(): Promise<Uint8Array | undefined>;
  /** closes the connection */
  stop(): void;
}

async function limited<T>(
  attempt: Attempt,
  read: (response: Response, signal: AbortSignal) => Promise<T>,
  controller = new AbortController(),
): Promise<T> {
  const { fetch, url, init } = attempt;
  const ended = controller.signal;
  return limitedRead(attempt, controller, async () => read(await fetch(url, { ...init, signal: ended }), ended));
}

/** Runs a part of an attempt until its timeout or its signal. */
async function limitedRead<T>(
  { url, timeout, signal }: Attempt,
  controller: AbortController,
  read: () => Promise<T> | T,
): Promise<T> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  // Raced, as a `fetch` may ignore its signal.
  const ended = new Promise<never>((_, reject) => {
    const late = new UserGroupsError("timed_out", `No response within ${Math.round(timeout)} ms.`);
    timer = setTimeout(() => reject(late), timeout);
    abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([read(), ended]);
  } catch (error) {
    controller.abort();
    if (error instanceof UserGroupsError) throw error;
    signal?.throwIfAborted();
    throw new UserGroupsError("unreachable", unreachable(url, error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function unreachable(url: string, error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  // Only errors with a code are about the connection: other messages may quote a header.
  const reason =
    cause?.code === undefined ? "the connection failed, or closed before the response" : cause.message || cause.code;
  const [address = ""] = /\w+:\/\/[^/?#@]+(?=[/?#]|$)/.exec(url) ?? [];
  return `Cannot reach the user group service at ${address}: ${reason}.`;
}

/** Reads a body; undefined if it is longer than any of the service. The body of an error has its own limit. */
async function textOf(response: Response, signal: AbortSignal): Promise<string | undefined> {
  // React Native has no streams.
  if (!response.body) return response.text();
  const reader = response.body.getReader();
  signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
  return decode(reader, response.ok ? MAX_ANSWER : MAX_ERROR);
}

function readJson(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSuccess(answer: unknown): answer is object {
  return (answer as { success?: unknown } | null | undefined)?.success === 1;
}
