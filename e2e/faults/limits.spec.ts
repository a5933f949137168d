import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { type Answer, clientOf } from "../fixtures/client";
import { expect, query, test } from "../fixtures/own-service";
import { createApiToken } from "../fixtures/run";
import { freePort } from "../fixtures/service-process";
import { forward } from "../fixtures/tcp-forwarder";

const SECRET_KEY = "0123456789abcdef".repeat(4);
/** Longer than it takes an instance to tell the others what it has counted. */
const SHARED_MS = 1_500;

/** Holds that the answer says when to come back, within a minute. */
function expectLimited({ status, headers, json }: Answer) {
  expect({ status, code: json?.error?.code }).toEqual({ status: 429, code: "rate_limited" });
  const after = Number(headers["retry-after"]);
  expect(after).toBeGreaterThan(0);
  expect(after).toBeLessThanOrEqual(60);
}

test("so many groups a minute may be created with one API token, over all instances", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_CREATIONS: "20" };
  const services = [await start(settings), await start(settings)];
  const token = await createApiToken(settings);
  const [first, second] = services.map(({ url }) => clientOf(url, token));
  if (!first || !second) throw new Error("two services were started");
  // Those who lose the race for an id create nothing, and use up nothing.
  const race = await Promise.all(Array.from({ length: 30 }, () => first.get("first-0")));
  expect(race.map(({ status }) => status)).toEqual(Array(30).fill(200));
  for (let n = 1; n < 12; n++) expect((await first.get(`first-${n}`)).status).toBe(200);
  // An instance hears how far it has come when it shares what it has counted itself.
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
  // The one that the first instance let through before it had heard of the others.
  expect(row?.count).toBe(21);
  // Nothing else is held to it.
  expect((await second.get("first-0")).json).toMatchObject({ new_user_group: false });
  expect((await second.put("first-0", { name: "New" })).status).toBe(200);
  const other = clientOf(services[0]?.url ?? "", await createApiToken(settings));
  expect((await other.get("other")).json).toMatchObject({ new_user_group: true });
});

test("so many bad credentials a minute may come from one address; who is known goes on", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, RATE_LIMIT_REFUSALS: "5" };
  const { url } = await start(settings);
  const [known, late] = [await createApiToken(settings), await createApiToken(settings)];
  expect((await clientOf(url, known).get("group")).status).toBe(200);
  const guess = clientOf(url, "uga_test_guess");
  for (let n = 0; n < 5; n++) expect((await guess.get("group")).status).toBe(401);
  expectLimited(await guess.get("group"));
  expect((await clientOf(url, known).get("group")).status).toBe(200);
  expectLimited(await clientOf(url, late).get("group"));
  // Another address is another matter, and no header makes one.
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

test("so many requests a minute may come, also while the database that counts them is away", async ({
  start,
  createDatabase,
}) => {
  const straight = await createDatabase();
  const url = new URL(straight);
  const port = await freePort();
  const way = forward(port, Number(url.port));
  await way.open();
  url.port = String(port);
  const settings = { DATABASE_URL: url.href, SECRET_KEY, RATE_LIMIT_REQUESTS: "30" };
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken({ ...settings, DATABASE_URL: straight }));
  for (let n = 0; n < 10; n++) expect((await client.get("group")).status).toBe(200);
  await way.cut();
  await sleep(SHARED_MS);
  // Each of these is 503 as the database is away, and counted all the same: by where it comes from.
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

test("at ten times the load there are answers all the same, 503 where it is too much, and it is over soon", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, DATABASE_POOL_SIZE: "2" };
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken(settings));
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
