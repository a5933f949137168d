interface Bounds {
  /** bytes after decompression */
  maxBytes: number;
  /** milliseconds from the request to the end of the body */
  timeout: number;
}

/**
 * Reads a text from a server within bounds of size and time. Never follows a redirect.
 * @throws {TypeError} when there is none with status 200 within them
 */
export async function readText(
  fetch: typeof globalThis.fetch,
  url: string,
  { maxBytes, timeout }: Bounds,
): Promise<{ text: string; headers: Headers }> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Each step races it: Node 20 can lose a signal under memory pressure.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError(`no complete response within ${timeout} ms`)), timeout);
  });
  // Cloudflare's runtime refuses `redirect: "error"`. Browsers ignore the header.
  const init = { redirect: "manual", headers: { "Accept-Encoding": "identity" }, signal: controller.signal } as const;
  const responding = fetch(url, init);
  const reading = responding.then(({ body }) => body?.getReader());
  try {
    const [{ status, headers }, reader] = await Promise.race([Promise.all([responding, reading]), late]);
    if (status !== 200) throw new TypeError(`status ${status}`);
    const decoder = new TextDecoder();
    let text = "";
    for (let left = maxBytes; ; ) {
      const { done, value } = (await Promise.race([reader?.read(), late])) ?? { done: true, value: undefined };
      if (done) return { text: text + decoder.decode(), headers };
      left -= value.length;
      if (left < 0) throw new TypeError(`more than ${maxBytes} bytes`);
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    controller.abort();
    // Also of a response that comes after all.
    reading.then((reader) => reader?.cancel()).catch(() => undefined);
  }
}
