import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createVerifier, verifyViewerToken } from "@/clients/typescript/src/verify";

const issuer = "https://groups.example.com/e/testing";
const HEADER = { alg: "ES256", typ: "viewer+jwt", kid: "new" };
const TOKEN = [JSON.stringify(HEADER), "{}", Buffer.alloc(64)]
  .map((part) => Buffer.from(part).toString("base64url"))
  .join(".");
/** Longer than the verifier caches a failure. */
const PAUSE = 11_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a fetch that throws leaves no rejection unhandled", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const fetch = () => {
    throw new TypeError("no network");
  };
  await expect(createVerifier({ issuer, fetch }).verify(TOKEN)).rejects.toMatchObject({ reason: "keys_unavailable" });
  await vi.advanceTimersByTimeAsync(PAUSE);
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("an unknown key is unavailable while the keys cannot be read", async () => {
  let isAway = false;
  const fetch = async () => {
    if (isAway) throw new TypeError("away");
    return Response.json({ keys: [] });
  };
  const { verify } = createVerifier({ issuer, fetch });
  for (const [away, reason] of [
    [false, "unknown_key"],
    [true, "keys_unavailable"],
    [false, "unknown_key"],
  ] as const) {
    isAway = away;
    const message = away ? /cannot be read from .*\/jwks\.json \(away\): check the issuer/ : /is unknown/;
    const refusal = { reason, message: expect.stringMatching(message) };
    await expect(verify(TOKEN)).rejects.toMatchObject(refusal);
    await expect(verify(TOKEN)).rejects.toMatchObject(refusal);
    await vi.advanceTimersByTimeAsync(PAUSE);
  }
});

const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
const KEY: JWK = { ...(await exportJWK(publicKey)), alg: "ES256", use: "sig", kid: "new" };
const CLAIMS = { sub: "acme", team_id: 1, gen: 1, variables: {} };

function mint(claims: { iat?: number; [name: string]: unknown } = {}, iss = issuer) {
  const token = new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader(HEADER).setIssuer(iss).setAudience(iss);
  return token.setJti("1").setIssuedAt(claims.iat).setExpirationTime("2h").sign(privateKey);
}

/** An issuer's key set, and how often it was read. */
function serve(keys: JWK[] = [KEY], headers: Record<string, string> = {}) {
  return vi.fn(async (_url: RequestInfo | URL, _init?: RequestInit) => Response.json({ keys }, { headers }));
}

test.each([
  ["nothing", {}, [1, 2, 3]],
  ["an age of a minute", { "Cache-Control": "public, max-age=60" }, [2, 3, 4]],
  ["an age of a day, of which an hour counts", { "Cache-Control": "max-age=86400" }, [1, 1, 2]],
  ["no caching", { "Cache-Control": "no-store, max-age=3600" }, [2, 3, 4]],
  ["no age", { "Cache-Control": "public" }, [1, 2, 3]],
])("keys sent with %s are read again when they are old", async (_, headers, reads) => {
  const fetch = serve([KEY], headers as Record<string, string>);
  const { verify } = createVerifier({ issuer, fetch });
  const token = await mint();
  await verify(token);
  await verify(token);
  expect(fetch).toHaveBeenCalledTimes(1);
  for (const [at, minutes] of [2, 50, 10].entries()) {
    await vi.advanceTimersByTimeAsync(minutes * 60_000);
    await verify(token);
    expect(fetch).toHaveBeenCalledTimes(reads[at] ?? 0);
  }
});

test("keys stay usable for a day while newer ones cannot be read", async () => {
  const fetch = serve();
  const { verify } = createVerifier({ issuer, fetch });
  await verify(await mint());
  fetch.mockRejectedValue(new TypeError("away"));
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  await expect(verify(await mint())).resolves.toMatchObject(CLAIMS);
  await vi.advanceTimersByTimeAsync(3_600_000);
  await expect(verify(await mint())).rejects.toMatchObject({ reason: "keys_unavailable" });
});

test("a known key verifies while newer ones are read", async () => {
  const fetch = serve([KEY], { "Cache-Control": "max-age=60" });
  const { verify } = createVerifier({ issuer, fetch });
  const token = await mint();
  await verify(token);
  fetch.mockReturnValue(new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(65_000);
  await expect(verify(token)).resolves.toMatchObject(CLAIMS);
  expect(fetch).toHaveBeenCalledTimes(2);
}, 5_000);

test("a key fetch dropped by the runtime is waited for at most 5 s", async () => {
  const { verify } = createVerifier({ issuer, fetch: () => new Promise(() => undefined) });
  const token = await mint();
  void verify(token).catch(() => undefined);
  // As Cloudflare's runtime does when the request ends that began the reading.
  vi.clearAllTimers();
  const second = expect(verify(token)).rejects.toMatchObject({ reason: "keys_unavailable" });
  await vi.advanceTimersByTimeAsync(5_000);
  await second;
});

test("a response is given up once it has been read, or is too slow", async () => {
  const fetch = serve();
  await createVerifier({ issuer, fetch }).verify(await mint());
  expect(fetch.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);

  const cancel = vi.fn();
  const slow = async () => new Response(new ReadableStream({ cancel }));
  const late = expect(createVerifier({ issuer, fetch: slow }).verify(await mint())).rejects.toMatchObject({
    reason: "keys_unavailable",
    cause: { message: "no complete response within 5000 ms" },
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await late;
  expect(cancel).toHaveBeenCalledOnce();
});

const { x, y, ...without } = KEY;
test.each<[what: string, JWK]>([
  ["no coordinates", without],
  ["no y", { ...without, x: x ?? "" }],
  ["another type", { ...KEY, kty: "OKP" }],
  ["another curve", { ...KEY, crv: "P-384" }],
  ["another algorithm", { ...KEY, alg: "ES384" }],
  ["another use", { ...KEY, use: "enc" }],
])("a key with %s is ignored", async (_, key) => {
  await expect(createVerifier({ issuer, fetch: serve([key]) }).verify(await mint())).rejects.toMatchObject({
    reason: "unknown_key",
  });
  expect(y).toBeDefined();
});

test.each([{ team_id: "1" }, { gen: 1.5 }, { variables: null }, { variables: "a" }, { variables: undefined }])(
  "claims with %j are not those of a viewer token",
  async (claims) => {
    await expect(createVerifier({ issuer, fetch: serve() }).verify(await mint(claims))).rejects.toMatchObject({
      reason: "claims",
    });
  },
);

test("a clock that is slow by more than a minute is named as the cause", async () => {
  const { verify } = createVerifier({ issuer, fetch: serve() });
  const now = Math.floor(Date.now() / 1_000);
  vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
  try {
    await verify(await mint({ iat: now + 60 }));
    await expect(verify(await mint({ iat: now + 61 }))).rejects.toThrow("issued in the future: is this clock slow?");
  } finally {
    vi.useRealTimers();
  }
});

const AT = 1_764_403_200;
test.each([
  ["the second before it", { iat: AT - 1, viewer_key: "a" }, "revoked"],
  ["its second", { iat: AT, viewer_key: "a" }, "revoked"],
  ["the next second", { iat: AT + 1, viewer_key: "a" }, undefined],
  ["its second, for another person", { iat: AT, viewer_key: "b" }, undefined],
  ["its second, for nobody", { iat: AT }, undefined],
])("after the end of a person's views, a token of %s is as it should be", async (_, claims, reason) => {
  vi.setSystemTime(AT * 1_000);
  const before = new Date(AT * 1_000 + 999).toISOString();
  const viewerEndedBefore = (teamId: number, key: string) => (teamId === 1 && key !== "b" ? before : undefined);
  const { verify } = createVerifier({ issuer, fetch: serve(), viewerEndedBefore });
  const verified = verify(await mint(claims));
  if (reason) await expect(verified).rejects.toMatchObject({ reason });
  else await expect(verified).resolves.toMatchObject(claims);
});

test.each([
  [undefined, {}, undefined],
  [undefined, { content: "a" }, "content"],
  [undefined, { content: "a", allowUnlimited: true }, undefined],
  [[], { content: "a", allowUnlimited: true }, "content"],
  [["b"], { content: "a" }, "content"],
  [["b", "a"], { content: "a" }, undefined],
  [["b"], {}, undefined],
  ["a", { content: "a" }, "claims"],
])("a token with the content %j, verified for %j, is as it should be", async (content, shown, reason) => {
  const token = await mint({ content });
  const options = { issuer, fetch: serve() };
  for (const verify of [
    () => createVerifier(options).verify(token, shown),
    () => verifyViewerToken(token, { ...options, ...shown }),
  ]) {
    const verified = verify();
    if (reason) await expect(verified).rejects.toMatchObject({ reason });
    else await expect(verified).resolves.toMatchObject(CLAIMS);
  }
});

test.each([
  ["signature", (token: string) => token.replace(/\.[^.]*$/, `.${"A".repeat(86)}`)],
  ["malformed", (token: string) => `${token}A`],
])("a token with a bad end is refused for its %s", async (reason, spoil) => {
  await expect(createVerifier({ issuer, fetch: serve() }).verify(spoil(await mint()))).rejects.toMatchObject({
    reason,
  });
});

test("verifyViewerToken keeps the keys of up to 100 issuers for each fetch", async () => {
  const fetch = serve();
  const issuers = Array.from({ length: 100 }, (_, n) => `${issuer}-${n}`);
  const tokens = new Map<string, string>();
  for (const one of [issuer, ...issuers]) tokens.set(one, await mint({}, one));
  const ask = (one: string) => verifyViewerToken(tokens.get(one) ?? "", { issuer: one, fetch });
  for (const one of [...issuers, ...issuers]) await ask(one);
  expect(fetch).toHaveBeenCalledTimes(100);
  await ask(issuer);
  await ask(issuer);
  expect(fetch).toHaveBeenCalledTimes(101);
  await ask(issuers[0] ?? "");
  expect(fetch).toHaveBeenCalledTimes(102);
});
