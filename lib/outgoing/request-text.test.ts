import { afterAll, beforeAll, expect, test } from "vitest";
import { HOSTILE, startHostile } from "@/e2e/fixtures/hostile";
import { requestText } from "@/lib/outgoing/request-text";

const MAX_BYTES = 65_536;
/** Responses refused by size or form end long before, even on a busy machine. */
const PATIENCE_MS = 20_000;
/** Includes bytes in the kernel's buffers, written but not read. */
const MAX_WRITTEN = 2 ** 25;

let server: Awaited<ReturnType<typeof startHostile>>;
beforeAll(async () => {
  server = await startHostile();
});
afterAll(async () => {
  await server.stop();
});

const TOO_LONG = /longer than 65536 bytes/;
const TOO_LATE = /no complete response within 500 ms/;
const EXPECTED: Record<keyof typeof HOSTILE, RegExp> = {
  "never ends, fast": TOO_LONG,
  "never ends, dripping": TOO_LATE,
  "sends 400 KB that inflate to 400 MB": TOO_LONG,
  "announces 1 TB and sends it": TOO_LONG,
  "announces more than it sends": TOO_LATE,
  "announces less than it sends": /^200$|Parse Error/,
  "hangs before its headers": TOO_LATE,
  "hangs after its headers": TOO_LATE,
  "drips its headers": TOO_LATE,
  "never ends its headers": /Header overflow/,
  "announces more answers without end": TOO_LATE,
  "never ends its trailers": /Header overflow/,
  "sends 100,000 keys": TOO_LONG,
  "sends a key of 10 MB": TOO_LONG,
  "nests too deep": /^200$/,
  redirects: /^302$/,
  "says that nothing changed": /^304$/,
  "refuses, and never ends": TOO_LONG,
};

test.for(Object.keys(HOSTILE))("a server that %s is read within bounds", async (what) => {
  const bounds = { maxBytes: MAX_BYTES, timeoutMs: EXPECTED[what] === TOO_LATE ? 500 : PATIENCE_MS };
  const outcome = await requestText(new URL(server.urls[what] ?? ""), bounds).then(
    ({ status }) => String(status),
    (error: Error) => error.message,
  );
  expect(outcome).toMatch(EXPECTED[what] ?? "");
  await expect.poll(() => server.written.get(what)).toBeLessThan(MAX_WRITTEN);
});
