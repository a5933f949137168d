interface Bounds {
  /** bytes after decompression */
  maxBytes: number;
  /** milliseconds from the request to the end of the body */
  timeout: number;
}

/**
 * Reads a text from a server, within limits of size and time. Never follows a redirect.
 * @throws {TypeError} when the server does not answer with status 200 within the limits
 */
export async function readText(
  fetch: typeof globalThis.fetch,
  url: string,
  { maxBytes, timeout }: Bounds,
): Promise<{ text: string; headers: Headers }> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Raced: Node 20 can lose a signal under memory pressure.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError(`no complete response within ${timeout} ms`)), timeout);
  });
  // Cloudflare's runtime refuses `redirect: "error"`. Browsers ignore the header.
  const init = { redirect: "manual", headers: { "Accept-Encoding": "identity" }, signal: controller.signal } as const;
  // Async, so that an error that `fetch` throws becomes a rejection.
  const responding = (async () => fetch(url, init))();
  const reading = responding.then(({ body }) => body?.getReader());
  try {
    const [{ status, headers }, reader] = await Promise.race([Promise.all([responding, reading]), late]);
    if (status !== 200) throw new TypeError(`status ${status}`);
    const text = await Promise.race([decode(reader, maxBytes), late]);
    if (text === undefined) throw new TypeError(`more than ${maxBytes} bytes`);
    return { text, headers };
  } finally {
    clearTimeout(timer);
    controller.abort();
    // Also for a response that arrives late.
    reading.then((reader) => reader?.cancel()).catch(() => undefined);
  }
}

/** A reader's bytes as text; undefined if there are more than `maxBytes` after decompression. */
export async function decode(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  maxBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for (let left = maxBytes; ; ) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    left -= value.length;
    if (left < 0) return undefined;
    text += decoder.decode(value, { stream: true });
  }
}
