import { errorOf, UserGroupsError } from "./error.js";

/** One attempt of a call. */
export interface Attempt {
  fetch: typeof globalThis.fetch;
  url: string;
  init: RequestInit;
  /** milliseconds for the whole answer, or for the headers and then each piece of a stream */
  timeout: number;
  signal: AbortSignal | undefined;
}

/** Sends a request and reads its JSON answer, with its `ETag` if it has one. @throws {UserGroupsError} */
export async function askForJson(attempt: Attempt): Promise<{ answer: object; etag: string | undefined }> {
  return limited(attempt, async (response) => {
    const answer = readJson(await response.text());
    if (!response.ok || !isSuccess(answer)) throw errorOf(response, answer);
    return { answer, etag: response.headers.get("ETag") ?? undefined };
  });
}

/** Sends a request and reads its answer as text. @throws {UserGroupsError} */
export async function askForText(attempt: Attempt): Promise<string> {
  return limited(attempt, async (response) => {
    const text = await response.text();
    if (!response.ok) throw errorOf(response, readJson(text));
    return text;
  });
}

/** Sends a request and answers as soon as the body begins; `next` reads one piece of it. @throws {UserGroupsError} */
export async function askForStream(attempt: Attempt): Promise<Pieces> {
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
      async (response) => {
        if (!response.ok) throw errorOf(response, readJson(await response.text()));
        return response;
      },
      controller,
    );
    const reader = response.body?.getReader();
    const next = async () => (await limitedRead(attempt, controller, () => reader?.read()))?.value;
    return { next, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** A body that is being read. */
export interface Pieces {
  /** the next piece; undefined at the end */
  next(): Promise<Uint8Array | undefined>;
  /** closes the connection */
  stop(): void;
}

async function limited<T>(
  attempt: Attempt,
  read: (response: Response) => Promise<T>,
  controller = new AbortController(),
): Promise<T> {
  const { fetch, url, init } = attempt;
  return limitedRead(attempt, controller, async () => read(await fetch(url, { ...init, signal: controller.signal })));
}

/** Carries out a part of an attempt, within its time and until its signal. */
async function limitedRead<T>(
  { timeout, signal }: Attempt,
  controller: AbortController,
  read: () => Promise<T> | T,
): Promise<T> {
  signal?.throwIfAborted();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeout);
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  try {
    return await read();
  } catch (error) {
    if (error instanceof UserGroupsError) throw error;
    signal?.throwIfAborted();
    if (isLate) throw new UserGroupsError("timed_out", `No response within ${Math.round(timeout)} ms.`);
    const message = "Cannot reach the user group service: the connection failed, or closed before the response.";
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

function isSuccess(answer: unknown): answer is object {
  return (answer as { success?: unknown } | null | undefined)?.success === 1;
}
