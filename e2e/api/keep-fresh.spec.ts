import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "../fixtures/api";
import { withClient as test } from "../fixtures/typescript-client";

// One worker, which builds and installs the package once.
test.describe.configure({ mode: "default" });

/** Fetches tokens with this life, and notes when; from `failing` on, so many attempts fail. */
function source(life: number, { failing = Number.POSITIVE_INFINITY, failures = 0 } = {}) {
  const at: number[] = [];
  return {
    at,
    async fetchToken() {
      at.push(Date.now());
      const n = at.length;
      if (n > failing && n <= failing + failures) throw new Error(`attempt ${n}`);
      return { token: `token ${n}`, expiresAt: new Date(Date.now() + life).toISOString() };
    },
  };
}

test("a token is renewed at 80 % of its life, until the signal aborts", { tag: "@release" }, async ({ built }) => {
  const { at, fetchToken } = source(2_000);
  const tokens: string[] = [];
  const controller = new AbortController();
  const kept = built.module.keepFresh(fetchToken, (token) => tokens.push(token), { signal: controller.signal });
  await sleep(3_700);
  controller.abort();
  await kept;
  expect(tokens).toEqual(["token 1", "token 2", "token 3"]);
  const waits = at.slice(1).map((time, n) => time - (at[n] ?? 0));
  for (const wait of waits) {
    expect(wait).toBeGreaterThanOrEqual(1_590);
    expect(wait).toBeLessThan(1_900);
  }
  await sleep(2_000);
  expect(at).toHaveLength(3);
});

test("after an error it waits and tries again, and the token before stays in use", { tag: "@release" }, async ({
  built,
}) => {
  const { at, fetchToken } = source(1_500, { failing: 1, failures: 2 });
  const tokens: string[] = [];
  const errors: unknown[] = [];
  const controller = new AbortController();
  const onError = (error: unknown) => errors.push(error);
  const options = { signal: controller.signal, onError };
  const kept = built.module.keepFresh(fetchToken, (token) => tokens.push(token), options);
  await expect.poll(() => tokens, { timeout: 10_000 }).toEqual(["token 1", "token 4"]);
  controller.abort();
  await kept;
  expect(errors).toMatchObject([{ message: "attempt 2" }, { message: "attempt 3" }]);
  for (const n of [2, 3]) expect((at[n] ?? 0) - (at[n - 1] ?? 0)).toBeGreaterThanOrEqual(500);
});

test("a token that has no life is not asked for in a loop, nor one without an end", async ({ built }) => {
  for (const expiresAt of [new Date(0), "never"]) {
    let asked = 0;
    const errors: unknown[] = [];
    const controller = new AbortController();
    const fetchToken = async () => {
      asked++;
      return { token: "t", expiresAt };
    };
    const onError = (error: unknown) => errors.push(error);
    const kept = built.module.keepFresh(fetchToken, () => undefined, { signal: controller.signal, onError });
    await sleep(1_400);
    controller.abort();
    await kept;
    expect(asked).toBeLessThan(4);
    expect(errors).toHaveLength(expiresAt === "never" ? asked : 0);
  }
});

test("a signal that has aborted asks for nothing, and one that aborts ends the fetch", async ({ built }) => {
  const { at, fetchToken } = source(2_000);
  await built.module.keepFresh(fetchToken, () => undefined, { signal: AbortSignal.abort() });
  expect(at).toEqual([]);
  const errors: unknown[] = [];
  const hanging = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  await built.module.keepFresh(hanging, () => undefined, {
    ...{ signal: AbortSignal.timeout(200), onError: (error) => errors.push(error) },
  });
  expect(errors).toEqual([]);
});

test("what the page does with a token may fail loudly", async ({ built }) => {
  const { fetchToken } = source(2_000);
  const broken = () => {
    throw new Error("no frame");
  };
  await expect(built.module.keepFresh(fetchToken, broken)).rejects.toThrow("no frame");
});

test("a hidden page does not renew, and does immediately when it is shown", { tag: "@release" }, async ({ built }) => {
  const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
  const global = globalThis as { document?: unknown };
  global.document = page;
  try {
    const { at, fetchToken } = source(1_250);
    const controller = new AbortController();
    const kept = built.module.keepFresh(fetchToken, () => undefined, { signal: controller.signal });
    await sleep(2_500);
    // The first one, as the page needs it whatever it shows.
    expect(at).toHaveLength(1);
    page.dispatchEvent(new Event("visibilitychange"));
    await sleep(50);
    expect(at).toHaveLength(1);
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    await expect.poll(() => at.length, { timeout: 500 }).toBe(2);
    page.visibilityState = "hidden";
    await sleep(1_200);
    controller.abort();
    await kept;
    expect(at).toHaveLength(2);
  } finally {
    delete global.document;
  }
});
