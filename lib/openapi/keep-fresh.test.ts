import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FetchToken, type FreshToken, keepFresh } from "@/clients/typescript/src/client";

const MINUTE = 60_000;
const LIFE_S = 900;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Mints tokens by the service's own clock, which continues while the page sleeps. */
function service() {
  const requests: number[] = [];
  let slept = 0;
  const started = Date.now() - performance.now();
  const now = () => started + performance.now() + slept;
  const fetchToken = async () => {
    requests.push(performance.now());
    const iat = now() / 1_000;
    const payload = btoa(JSON.stringify({ iat, exp: iat + LIFE_S, n: requests.length }));
    return { viewer_token: `h.${payload}.s`, expires_at: new Date(now() + LIFE_S * 1_000).toISOString() };
  };
  const isValid = (token: string) => JSON.parse(atob(token.split(".")[1] ?? "")).exp > now() / 1_000;
  const sleep = (time: number) => {
    slept += time;
    vi.setSystemTime(Date.now() + time);
  };
  return { requests, fetchToken, isValid, sleep };
}

for (const [minutes, sleeps] of [[0], [-60], [-10], [17], [60], [0, 60]] as const) {
  const name = `a page ${minutes} minutes off${sleeps ? " that slept for an hour" : ""} has a valid token every second`;
  test(name, async () => {
    const { requests, fetchToken, isValid, sleep } = service();
    vi.setSystemTime(Date.now() + minutes * MINUTE);
    let token = "";
    const keep = (given: string) => {
      token = given;
    };
    const controller = new AbortController();
    const kept = keepFresh(fetchToken, keep, { signal: controller.signal });
    let without = 0;
    for (let second = 0; second < 7_200; second++) {
      if (sleeps && second === 3_000) sleep(sleeps * MINUTE);
      await vi.advanceTimersByTimeAsync(1_000);
      if (!isValid(token)) without++;
    }
    controller.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await kept).toBeUndefined();
    expect(without).toBe(0);
    expect(requests.length).toBeLessThanOrEqual(11);
  });
}

test("a refusal ends the renewal with its reason, and other failures are retried", async () => {
  let asked = 0;
  const fetchToken = async () => {
    asked++;
    throw asked < 3 ? new TypeError("offline") : Object.assign(new Error("ended"), { status: 409, code: "not_active" });
  };
  const kept = keepFresh(fetchToken, () => undefined);
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(await kept).toBe("not_active");
  expect(asked).toBe(3);
});

test("a thrown response ends the renewal with the reason in its body, or its status", async () => {
  for (const [body, reason] of [
    ['{"success":0,"error":{"code":"not_active"}}', "not_active"],
    ['{"reason":"trial_over"}', "trial_over"],
    ["<h1>Forbidden</h1>", "403"],
  ] as const) {
    const fetchToken = () => Promise.reject(new Response(body, { status: 403 }));
    expect(await keepFresh(fetchToken, () => undefined)).toBe(reason);
  }
});

test("an aborted signal sends no request, and aborting ends the fetch", async () => {
  const { requests, fetchToken } = service();
  await keepFresh(fetchToken, () => undefined, { signal: AbortSignal.abort() });
  expect(requests).toEqual([]);
  const errors: unknown[] = [];
  const controller = new AbortController();
  const kept = keepFresh(
    () => new Promise<never>(() => undefined),
    () => undefined,
    {
      signal: controller.signal,
      onError: (error) => errors.push(error),
    },
  );
  await vi.advanceTimersByTimeAsync(1_000);
  controller.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await kept).toBeUndefined();
  expect(errors).toEqual([]);
});

test("an error in the page's token handler is thrown", async () => {
  const broken = () => {
    throw new Error("no frame");
  };
  await expect(keepFresh(service().fetchToken, broken)).rejects.toThrow("no frame");
});

test("failures and cached answers are retried less and less often, at least 3 seconds apart", async () => {
  for (const answer of ["cached", "failing"]) {
    const at: number[] = [];
    const errors: unknown[] = [];
    const fetchToken = async () => {
      at.push(performance.now());
      if (answer === "failing") throw new TypeError("offline");
      return { viewer_token: answer, expires_in: 1 };
    };
    const controller = new AbortController();
    const kept = keepFresh(fetchToken, () => undefined, {
      signal: controller.signal,
      onError: (error) => errors.push(error),
    });
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    controller.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    await kept;
    const waits = at.slice(1).map((time, n) => time - (at[n] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(3_000);
    expect(at.length).toBeLessThan(40);
    expect(errors.length).toBeGreaterThanOrEqual(at.length - 1);
  }
});

test("a page that comes back online retries immediately after a failure", async () => {
  const page = new EventTarget();
  vi.stubGlobal("window", page);
  vi.spyOn(Math, "random").mockReturnValue(1);
  let asked = 0;
  const fetchToken = async () => {
    asked++;
    throw new TypeError("offline");
  };
  const controller = new AbortController();
  const kept = keepFresh(fetchToken, () => undefined, { signal: controller.signal });
  await vi.advanceTimersByTimeAsync(60_000);
  const before = asked;
  page.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toBe(before + 1);
  controller.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  await kept;
});

test("after a failure with Retry-After no request is sent earlier", async () => {
  const failures = [
    { retryAfter: 90 },
    new Response(null, { status: 503, headers: { "Retry-After": "90" } }),
    Object.assign(new Error("busy"), { status: 429, retryAfter: 90 }),
  ];
  for (const failure of failures) {
    const at: number[] = [];
    const fetchToken = async () => {
      at.push(performance.now());
      throw failure;
    };
    const controller = new AbortController();
    const page = new EventTarget();
    vi.stubGlobal("window", page);
    const kept = keepFresh(fetchToken, () => undefined, { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(MINUTE);
    page.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(1.8 * MINUTE);
    controller.abort();
    await kept;
    expect(at).toHaveLength(2);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(90_000);
  }
});

test("a fetchToken that throws synchronously is called again", async () => {
  let asked = 0;
  const fetchToken = () => {
    if (asked++ < 1) throw new TypeError("not ready");
    return new Promise<never>((_, reject) => reject({ active: false, reason: "suspended" }));
  };
  const kept = keepFresh(fetchToken, () => undefined);
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(await kept).toBe("suspended");
  expect(asked).toBe(2);
});

test("a refused token is renewed within seconds, and a renderer refusing every token gets only a few", async () => {
  const { requests, fetchToken } = service();
  const refusals = new EventTarget();
  const refuse = () => void refusals.dispatchEvent(new Event("refused"));
  let refusesAll = false;
  const controller = new AbortController();
  const onToken = () => {
    if (refusesAll) setTimeout(refuse, 100);
  };
  const kept = keepFresh(fetchToken, onToken, { signal: controller.signal, refusals });
  await vi.advanceTimersByTimeAsync(MINUTE);
  refuse();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toHaveLength(2);
  refuse();
  refuse();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toHaveLength(2);
  refusesAll = true;
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  controller.abort();
  await kept;
  const waits = requests.slice(1).map((time, n) => time - (requests[n] ?? 0));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(3_000);
  expect(requests.length).toBeLessThan(20);
});

test("a refused token is renewed within seconds, regardless of an earlier Retry-After", async () => {
  const { requests, fetchToken } = service();
  const refusals = new EventTarget();
  let isBusy = true;
  const fetchOrFail = async () => {
    if (!isBusy) return fetchToken();
    isBusy = false;
    throw { retryAfter: 90 };
  };
  const controller = new AbortController();
  const kept = keepFresh(fetchOrFail, () => undefined, { signal: controller.signal, refusals });
  await vi.advanceTimersByTimeAsync(1.7 * MINUTE);
  expect(requests).toHaveLength(1);
  refusals.dispatchEvent(new Event("refused"));
  await vi.advanceTimersByTimeAsync(4_000);
  controller.abort();
  await kept;
  expect(requests).toHaveLength(2);
});

/** The requests within some minutes, in milliseconds since the first, and the errors. */
async function watch(fetchToken: FetchToken, minutes: number, meanwhile?: () => Promise<void>) {
  const at: number[] = [];
  const errors: unknown[] = [];
  const controller = new AbortController();
  const begun = performance.now();
  const kept = keepFresh(
    (signal) => {
      at.push(performance.now() - begun);
      return fetchToken(signal);
    },
    () => undefined,
    { signal: controller.signal, onError: (error) => errors.push(error) },
  );
  await meanwhile?.();
  await vi.advanceTimersByTimeAsync(minutes * MINUTE);
  controller.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  await kept;
  return { at, errors };
}

const jwtOf = (claims: object) => `h.${btoa(JSON.stringify(claims))}.s`;

for (const [what, life] of [
  ["null", { expires_in: null }],
  ["0", { expires_in: 0 }],
  ["less than 0", { expires_in: -5 }],
  ["NaN", { expires_in: Number.NaN }],
  ["a word", { expires_in: "x" }],
  ["an end before the token was issued", { exp: 50, iat: 100 }],
] as const) {
  test(`a lifetime of ${what} counts as 60 seconds`, async () => {
    let minted = 0;
    const fetchToken = async () => {
      const { exp, iat, ...answer } = { exp: 0, iat: 0, ...life };
      return { ...answer, viewer_token: jwtOf({ exp, iat, n: minted++ }) } as FreshToken;
    };
    const { at } = await watch(fetchToken, 1.9);
    expect(at).toEqual([0, 48_000, 96_000]);
  });
}

test("a request that never ends leaves time for two more before the token expires", async () => {
  let minted = 0;
  const fetchToken = () => {
    if (minted++ > 0) return new Promise<never>(() => undefined);
    return Promise.resolve({ viewer_token: "first", expires_in: 60 });
  };
  const { at, errors } = await watch(fetchToken, 1.5);
  const [, second, third, fourth] = at;
  expect(second).toBe(48_000);
  expect(third).toBe(54_000);
  expect(fourth).toBeLessThan(60_000);
  expect(String(errors[0])).toContain("did not answer in time");
});

for (const wakes of ["with an event", "silently"]) {
  test(`a request interrupted by the computer's sleep is repeated when it wakes ${wakes}`, async () => {
    const page = new EventTarget();
    vi.stubGlobal("window", page);
    const { fetchToken } = service();
    let asked = 0;
    const fetchOrHang = () => (++asked === 1 ? new Promise<never>(() => undefined) : fetchToken());
    let afterWaking = 0;
    await watch(fetchOrHang, 1, async () => {
      await vi.advanceTimersByTimeAsync(4_000);
      vi.setSystemTime(Date.now() + 60 * MINUTE);
      if (wakes === "with an event") page.dispatchEvent(new Event("online"));
      await vi.advanceTimersByTimeAsync(wakes === "with an event" ? 1 : 1_000);
      afterWaking = asked;
    });
    expect(afterWaking).toBe(2);
  });
}

for (const [what, retryAfter, expected] of [
  ["a date", () => new Date(Date.now() + 90_000).toUTCString(), 90_000],
  ["a day", () => "86400", 5 * MINUTE],
  ["a date in a year", () => "Sat, 27 Nov 2100 00:00:00 GMT", 5 * MINUTE],
] as const) {
  test(`a Retry-After of ${what} is honoured for at most 5 minutes`, async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const fetchToken = () =>
      Promise.reject(new Response(null, { status: 503, headers: { "Retry-After": retryAfter() } }));
    const { at } = await watch(fetchToken, 6);
    expect(at[1]).toBeGreaterThan(expected - 2_000);
    expect(at[1]).toBeLessThan(expected + 2_000);
  });
}

test("a wall clock that jumps ahead cancels neither Retry-After nor the minimum wait", async () => {
  for (const [failure, wait] of [
    [{ retryAfter: 90 }, 90_000],
    [new TypeError("offline"), 3_000],
  ] as const) {
    const { at } = await watch(
      () => Promise.reject(failure),
      2,
      async () => {
        await vi.advanceTimersByTimeAsync(500);
        vi.setSystemTime(Date.now() + 60 * MINUTE);
      },
    );
    expect(at[1]).toBeGreaterThanOrEqual(wait);
    expect(at[1]).toBeLessThan(wait + 2_000);
  }
});

test("repeated refusals of one token count as one", async () => {
  const { requests, fetchToken } = service();
  const refusals = new EventTarget();
  const controller = new AbortController();
  const kept = keepFresh(fetchToken, () => undefined, { signal: controller.signal, refusals });
  await vi.advanceTimersByTimeAsync(MINUTE);
  for (let chart = 0; chart < 20; chart++) refusals.dispatchEvent(new Event("refused"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toHaveLength(2);
  refusals.dispatchEvent(new Event("refused"));
  await vi.advanceTimersByTimeAsync(7_000);
  controller.abort();
  await kept;
  expect(requests).toHaveLength(3);
});

test("mountEmbed with keepFresh is at most 3 kB", async () => {
  const stdin = { contents: 'export { mountEmbed } from "./clients/typescript/src/client"', resolveDir: process.cwd() };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "").byteLength).toBeLessThanOrEqual(3_000);
});
