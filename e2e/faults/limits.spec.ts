import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Response } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { makeClock } from "../fixtures/drill-places";
import { expect, METRICS_TOKEN, OWNER, OWNER_SETTINGS, query, SECRET_KEY, test } from "../fixtures/own-service";
import { wayTo } from "../fixtures/tcp-forwarder";

/** Longer than an instance takes to share its counts. */
const SHARED_MS = 1_500;

/** Expects a 429 with a retry time within a minute. */
function expectLimited({ status, headers, json }: Response) {
  expect({ status, code: json?.error?.code }).toEqual({ status: 429, code: "rate_limited" });
  const after = Number(headers["retry-after"]);
  expect(after).toBeGreaterThan(0);
  expect(after).toBeLessThanOrEqual(60);
}

test("groups created per minute are limited by API token, across all instances", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_REQUESTS: "400" };
  const services = [await start(settings), await start(settings)];
  const token = await insertApiToken(settings);
  const [first, second] = services.map(({ url }) => clientOf(url, token));
  if (!first || !second) throw new Error("two services were started");
  // Callers that lose the race for an id create nothing and use up nothing.
  const race = await Promise.all(Array.from({ length: 30 }, () => first.get("first-0")));
  expect(race.map(({ status }) => status)).toEqual(Array(30).fill(200));
  for (let n = 1; n < 12; n++) expect((await first.get(`first-${n}`)).status).toBe(200);
  // An instance learns the total when it shares its own counts.
  await sleep(SHARED_MS);
  expect((await second.get("second-0")).status).toBe(200);
  await sleep(SHARED_MS);
  for (let n = 1; n < 8; n++) expect((await second.get(`second-${n}`)).status).toBe(200);
  expectLimited(await second.get("second-8"));
  await sleep(SHARED_MS);
  await first.get("first-12");
  await sleep(SHARED_MS);
  expectLimited(await first.get("first-13"));
  const [row] = await query<{ count: number }>(settings.DATABASE_URL, "SELECT count(*)::int FROM user_group");
  // One more passed the first instance before it learned of the others.
  expect(row?.count).toBe(21);
  // Nothing else is limited.
  expect((await second.get("first-0")).json).toMatchObject({ new_user_group: false });
  expect((await second.put("first-0", { name: "New" })).status).toBe(200);
  const other = clientOf(services[0]?.url ?? "", await insertApiToken(settings));
  expect((await other.get("other")).json).toMatchObject({ new_user_group: true });
});

test("bad credentials are limited per address and minute; known callers are still answered", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_REFUSALS: "5" };
  const { url } = await start(settings);
  const [known, late] = [await insertApiToken(settings), await insertApiToken(settings)];
  expect((await clientOf(url, known).get("group")).status).toBe(200);
  const guess = clientOf(url, "uga_test_guess");
  for (let n = 0; n < 5; n++) expect((await guess.get("group")).status).toBe(401);
  expectLimited(await guess.get("group"));
  expect((await clientOf(url, known).get("group")).status).toBe(200);
  expectLimited(await clientOf(url, late).get("group"));
  // Another address has its own limit, and headers cannot change the address.
  const elsewhere = await request(`${url}/api/user`, {
    method: "POST",
    headers: { authorization: "Token uga_test_guess", "content-type": "application/json" },
    body: "{}",
    dispatcher: new Agent({ localAddress: "127.0.0.2" }),
  });
  expect(elsewhere.statusCode).toBe(401);
  expectLimited(
    await clientOf(url, "uga_test_guess").put(
      "group",
      {},
      { "x-forwarded-for": "9.9.9.9", "x-client-address": "9.9.9.9" },
    ),
  );
});

test("requests per minute are limited, even while the database that counts them is away", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const straight = await createDatabase();
  const { way, url } = await wayTo(straight);
  const settings = { DATABASE_URL: url, SECRET_KEY, RATE_LIMIT_REQUESTS: "30" };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken({ ...settings, DATABASE_URL: straight }));
  for (let n = 0; n < 10; n++) expect((await client.get("group")).status).toBe(200);
  await way.cut();
  await sleep(SHARED_MS);
  // Each gets 503 while the database is away, and is still counted, by address.
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.get("group")));
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(20);
  const limited = answers.filter(({ status }) => status !== 503);
  expect(limited).toHaveLength(10);
  for (const answer of limited) expectLimited(answer);
  await way.open();
  await sleep(SHARED_MS);
  expectLimited(await client.get("group"));
  await way.cut();
});

test("at ten times the load the service still answers, sheds excess with 503, and recovers quickly", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, DATABASE_POOL_SIZE: "2" };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  const crowd = await Promise.all(Array.from({ length: 2_000 }, (_, n) => client.get(`group-${n}`)));
  const counts = new Map<number, number>();
  for (const { status } of crowd) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect([...counts.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(counts.get(200)).toBeGreaterThan(100);
  for (const { status, headers } of crowd) if (status === 503) expect(headers["retry-after"]).toMatch(/^\d+$/);
  const [row] = await query<{ count: number }>(settings.DATABASE_URL, "SELECT count(*)::int FROM user_group");
  expect(row?.count).toBeGreaterThanOrEqual(counts.get(200) ?? 0);
  const begin = performance.now();
  expect((await client.get("afterwards")).status).toBe(200);
  expect(performance.now() - begin).toBeLessThan(2_000);
});

test("an instance whose clock is a day ahead blocks no one", { tag: "@release" }, async ({
  start,
  createDatabase,
  folder,
}) => {
  const clock = await makeClock(folder);
  test.skip(!clock, "libfaketime is not installed");
  await clock?.set(1);
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_REQUESTS: "30" };
  const right = await start(settings);
  const ahead = await start({ ...settings, ...clock?.variables });
  const token = await insertApiToken(settings);
  for (const { url } of [ahead, right, ahead, right]) {
    for (let n = 0; n < 7; n++) expect((await clientOf(url, token).get("group")).status).toBe(200);
    await sleep(SHARED_MS);
  }
  // All instances together have allowed 28: the limit is reached soon, and lasts a minute at most.
  for (const { url } of [right, ahead]) {
    for (let n = 0; n < 3; n++) await clientOf(url, token).get("group");
    await sleep(SHARED_MS);
    expectLimited(await clientOf(url, token).get("group"));
  }
});

test("a count left by a wrong clock is ignored", { tag: "@release" }, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_REQUESTS: "30" };
  const { url } = await start(settings);
  const client = clientOf(url, await insertApiToken(settings));
  const tomorrow = Date.now() + 86_400_000;
  await query(
    settings.DATABASE_URL,
    `INSERT INTO rate_count (key, points, expire) VALUES ('requests:address 127.0.0.1', 1000, ${tomorrow}),
       ('requests:api_token 1', 1000, ${tomorrow})`,
  );
  for (let n = 0; n < 5; n++) expect((await client.get("group")).status).toBe(200);
  await sleep(SHARED_MS);
  for (let n = 0; n < 5; n++) expect((await client.get("group")).status).toBe(200);
});

const json = { "content-type": "application/json" };
/** Everything that can be guessed at, and the status of a guess. */
const GUESSES: Record<
  string,
  { path: string; method?: "POST"; headers: Record<string, string>; body?: object; status: number }
> = {
  "an API token": { path: "/api/user?user_group_id=a", headers: { authorization: "Token guess" }, status: 401 },
  "a session": {
    path: "/api/admin/session",
    headers: { cookie: "user-groups.session_token=guess", "x-environment": "testing" },
    status: 401,
  },
  "the METRICS_TOKEN": { path: "/metrics", headers: { authorization: "Bearer guess" }, status: 401 },
  "a link": { path: "/api/links/look-up", method: "POST", headers: json, body: { token: "ugl_guess" }, status: 404 },
  "a password": {
    path: "/api/auth/sign-in/email",
    method: "POST",
    headers: json,
    body: { ...OWNER, password: "a wrong password" },
    status: 401,
  },
};

test("bad credentials count on every route, and never delay good ones", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_REFUSALS: "5", METRICS_TOKEN };
  const { url } = await start({ ...settings, ...OWNER_SETTINGS });
  const token = await insertApiToken(settings);
  const browser = browserOf(url);
  expect((await browser.signIn(OWNER)).status).toBe(200);
  expect((await browser.get("/api/admin/session")).status).toBe(200);
  const addresses: string[] = [];
  for (const [at, { path, method = "GET", headers, body, status }] of Object.values(GUESSES).entries()) {
    const localAddress = `127.8.0.${at + 1}`;
    addresses.push(localAddress);
    const dispatcher = new Agent({ localAddress });
    const guess = () =>
      request(url + path, { dispatcher, method, headers: { ...headers, origin: url }, body: JSON.stringify(body) });
    for (let n = 0; n < 5; n++) expect((await guess()).statusCode, path).toBe(status);
    const refused = await guess();
    expect(refused.statusCode, path).toBe(429);
    expect(Number(refused.headers["retry-after"]), path).toBeLessThanOrEqual(60);
  }
  // Guesses of one kind count for all others: each process learns of them at its first guess.
  const guessEverywhere = async (localAddress: string) => {
    const dispatcher = new Agent({ localAddress });
    const statuses = [];
    for (const { path, method = "GET", headers, body } of Object.values(GUESSES)) {
      const answer = await request(url + path, { dispatcher, method, headers, body: JSON.stringify(body) });
      statuses.push(answer.statusCode);
    }
    return statuses;
  };
  for (const localAddress of addresses) {
    await expect.poll(() => guessEverywhere(localAddress)).toEqual([429, 429, 429, 429, 429]);
    const dispatcher = new Agent({ localAddress });
    for (const path of ["/healthz", "/readyz", "/sign-in"]) {
      expect((await request(url + path, { dispatcher })).statusCode, path).toBe(200);
    }
    const authorization = `Bearer ${METRICS_TOKEN}`;
    expect((await request(`${url}/metrics`, { dispatcher, headers: { authorization } })).statusCode).toBe(200);
  }
  // A client seen before continues from an address that others guess from.
  expect((await clientOf(url, token).get("group")).status).toBe(200);
  const bad = () =>
    request(`${url}/api/user`, { dispatcher: browser.dispatcher, headers: { authorization: "Token x" } });
  for (let n = 0; n < 6; n++) await bad();
  await sleep(SHARED_MS);
  expect((await bad()).statusCode).toBe(429);
  expect((await browser.get("/api/admin/session")).status).toBe(200);
});

test("addresses are counted by subscriber: IPv6 by /64, IPv4-mapped IPv6 as IPv4", async ({
  start,
  createDatabase,
}) => {
  const limits = { RATE_LIMIT_REFUSALS: "5", TRUSTED_PROXIES: "1" };
  const { url } = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY, ...limits });
  const guess = async (from: string) =>
    (await clientOf(url, "uga_test_guess").put("group", {}, { "x-forwarded-for": from })).status;
  for (let n = 1; n <= 5; n++) expect(await guess(`2001:db8:0:1::${n}`)).toBe(401);
  expect(await guess("2001:DB8:0:1:ffff::1")).toBe(429);
  expect(await guess("[2001:db8:0:1::9]:4711")).toBe(429);
  expect(await guess("2001:db8:0:2::1")).toBe(401);
  for (let n = 1; n <= 5; n++) expect(await guess(n % 2 ? "203.0.113.9" : "::ffff:203.0.113.9")).toBe(401);
  expect(await guess("::ffff:cb00:7109")).toBe(429);
  expect(await guess("203.0.113.9:4711")).toBe(429);
  expect(await guess("203.0.113.10")).toBe(401);
});

test("guesses from very many addresses do not disable the limit", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const limits = { RATE_LIMIT_REFUSALS: "5", TRUSTED_PROXIES: "1" };
  const { url } = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY, ...limits });
  const dispatcher = new Agent({ connections: 64 });
  const guess = async (from: string) => {
    const headers = { authorization: "Token guess", "x-forwarded-for": from };
    const answer = await request(`${url}/api/user?user_group_id=a`, { dispatcher, headers });
    await answer.body.dump();
    return answer.statusCode;
  };
  const attacker = "203.0.113.9";
  const begin = performance.now();
  let heard = 0;
  for (let n = 0; n < 5; n++) expect(await guess(attacker)).toBe(401);
  for (let n = 0; n < 20_500; n += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, at) => guess(`10.1.${(n + at) >> 8}.${(n + at) & 255}`)));
    if ((await guess(attacker)) !== 429) heard++;
  }
  // On a busy machine it takes more than a minute, and each minute allows five guesses.
  expect(heard).toBeLessThanOrEqual(5 * Math.floor((performance.now() - begin) / 60_000));
  const late = Array.from({ length: 6 }, () => "203.0.113.10");
  const statuses = [];
  for (const from of late) statuses.push(await guess(from));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});
