import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { closePool, openPool, transaction } from "../../lib/db/pool";
import { expectError } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { type Client, clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { attachAsSuperuser, type SuperuserDatabase } from "../fixtures/embedded-superuser";
import { processesOf, signal } from "../fixtures/own-postgres";
import {
  test as base,
  expect,
  METRICS_TOKEN,
  OWNER,
  OWNER_SETTINGS,
  postgresPid,
  query,
} from "../fixtures/own-service";
import { freePort } from "../fixtures/service-process";
import { type Forwarder, forward } from "../fixtures/tcp-forwarder";

const SECRET_KEY = "5".repeat(64);

interface Fixtures {
  /** a forwarder to a new database, closed at first, and the URL through it */
  way: Forwarder & { url: string };
  /** a new PostgreSQL */
  postgres: SuperuserDatabase;
}

const test = base.extend<Fixtures>({
  way: async ({ createDatabase }, use) => {
    const url = new URL(await createDatabase("empty"));
    const port = await freePort();
    const way = forward(port, Number(url.port));
    url.port = String(port);
    await use({ ...way, url: url.href });
    await way.cut();
  },
  postgres: async ({ dataDir }, use) => {
    const postgres = await attachAsSuperuser(dataDir);
    await use(postgres);
    const pid = await postgresPid(dataDir);
    if (pid) for (const each of await processesOf(pid)) signal(each, "SIGCONT");
    await postgres.release();
  },
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

/** Expects a 503 in time. */
async function expectUnavailable(client: Client) {
  const begin = performance.now();
  const { status, headers, json } = await client.get("group");
  expect(performance.now() - begin).toBeLessThan(2_000);
  expect({ status, json }).toMatchObject({ status: 503, json: { success: 0, error: { code: "unavailable" } } });
  expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
}

test("a start without its database answers 503, and recovers on its own when the database appears", async ({
  start,
  way,
}) => {
  const settings = { DATABASE_URL: way.url, SECRET_KEY };
  const service = await start(settings, { until: "alive" });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  await expectUnavailable(clientOf(service.url, "t".repeat(32)));

  await way.open();
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
  const client = clientOf(service.url, await insertApiToken(settings));
  expect((await client.get("group")).json.new_user_group).toBe(true);
});

test("a database whose name has two addresses is waited for like any other", async ({ start, way, folder }) => {
  const names = path.join(folder, "names.cjs");
  await writeFile(
    names,
    `const dns = require("node:dns"), { lookup } = dns;
    const found = [{ address: "::1", family: 6 }, { address: "127.0.0.1", family: 4 }];
    dns.lookup = (name, options, done) =>
      name === "two.test" ? process.nextTick(done, null, found) : lookup(name, options, done);`,
  );
  const url = new URL(way.url);
  url.hostname = "two.test";
  const settings = { DATABASE_URL: url.href, SECRET_KEY, NODE_OPTIONS: `--require=${names}` };
  const service = await start(settings, { until: "alive" });
  await expectUnavailable(clientOf(service.url, "t".repeat(32)));
  await way.open();
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
  const client = clientOf(service.url, await insertApiToken({ DATABASE_URL: way.url, SECRET_KEY }));
  expect((await client.get("group")).status).toBe(200);
  await way.cut();
  await expectUnavailable(client);
  const admin = { cookie: "a=b", "x-environment": "testing" };
  expect((await fetch(`${service.url}/api/admin/members`, { headers: admin })).status).toBe(503);
  await way.open();
  await expect.poll(async () => (await client.get("group")).status).toBe(200);
});

test("look-ups and unsent changes wait out an outage of half a second", async ({ start, way }) => {
  await way.open();
  const settings = { DATABASE_URL: way.url, SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  const { json } = await client.get("there");
  await way.cut();
  const calls = [client.get("there"), client.put("there", { name: "New" }), client.get("created", { name: "New" })];
  await sleep(500);
  await way.open();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await client.get("there")).json.user_group).toEqual({ ...json.user_group, name: "New" });
});

test("a start can be stopped before its database appears", { tag: "@release" }, async ({ start, way }) => {
  const service = await start({ DATABASE_URL: way.url, SECRET_KEY }, { until: "alive" });
  expect(await service.stop()).toBe(0);
});

test("startup survives losing the database midway", { tag: "@release" }, async ({ start, way }) => {
  const settings = { DATABASE_URL: way.url, SECRET_KEY };
  await way.open();
  const link = "Become its first owner here";
  // A migration whose answer was lost has been applied.
  way.trouble({ kind: "cut before answer", pattern: /CREATE TABLE IF NOT EXISTS member/, nth: 1 });
  const migrated = await start(settings);
  expect(migrated.said()).toContain("Retrying every second");
  await expect.poll(migrated.said).toContain(link);
  expect(await migrated.stop()).toBe(0);
  // The token from a variable is stored before the service is ready, the link after.
  for (const [pattern, extra, status] of [
    [/FROM "public"."api_token"/, { API_TOKEN: "p".repeat(32) }, 503],
    [/FROM "public"."member"/, {}, 200],
  ] as const) {
    way.trouble({ kind: "cut before answer", pattern, nth: 1 });
    const service = await start({ ...settings, ...extra }, { until: "alive" });
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(status);
    await sleep(3_000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(status);
    expect(service.said()).not.toContain(link);
    way.trouble();
    await expect.poll(service.said).toContain(link);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  }
});

test("dashboard requests are answered 503 while the database is away", { tag: "@release" }, async ({ start, way }) => {
  await way.open();
  const service = await start({ DATABASE_URL: way.url, SECRET_KEY, ...OWNER_SETTINGS });
  const browser = browserOf(service.url);
  await browser.signIn(OWNER);
  const answers = async () => [
    await browser.get("/api/admin/account"),
    await browser.get("/api/admin/members"),
    await browser.get("/api/sign-in-options"),
    await browser.lookUp("http://localhost/welcome#ugl_x"),
  ];
  expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 404]);
  await way.cut();
  for (const answer of await answers()) expectError(answer, 503, "unavailable");
  // better-auth answers these.
  const { password } = OWNER;
  const change = { currentPassword: password, newPassword: `${password} staple`, revokeOtherSessions: true };
  expectError(await browserOf(service.url).signIn(OWNER), 503, "unavailable");
  expectError(await browser.post("/api/auth/change-password", change), 503, "unavailable");
  expectError(await browser.post("/api/auth/two-factor/enable", { password }), 503, "unavailable");
  await way.open();
  await expect.poll(async () => (await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 404]);
});

test("a background task that keeps failing is logged once", { tag: "@release" }, async ({ start, way }) => {
  await way.open();
  const service = await start({ DATABASE_URL: way.url, SECRET_KEY, METRICS_TOKEN });
  const failed = async () =>
    [...(await readFile(service.log, "utf8")).matchAll(/"task":"(\w+)".*a periodic task failed/g)].map(
      ([, task]) => task,
    );
  expect(await failed()).toEqual([]);
  await way.cut();
  await expect.poll(failed, { timeout: 20_000 }).toContain("watchFeedLag");
  // It is retried after 10 s.
  await sleep(12_000);
  expect((await failed()).filter((task) => task === "watchFeedLag")).toHaveLength(1);
  await way.open();
  await sleep(12_000);
  await way.cut();
  await expect
    .poll(async () => (await failed()).filter((task) => task === "watchFeedLag"), { timeout: 20_000 })
    .toHaveLength(2);
});

test("a better-auth query that times out is answered 503", { tag: "@release" }, async ({ start, createDatabase }) => {
  const DATABASE_URL = await createDatabase();
  const service = await start({ DATABASE_URL, SECRET_KEY, ...OWNER_SETTINGS });
  const browser = browserOf(service.url);
  await browser.signIn(OWNER);
  const { password } = OWNER;
  const holder = new pg.Client({ connectionString: DATABASE_URL });
  await holder.connect();
  for (const table of ["session", "account", "member"]) {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    expectError(await browserOf(service.url).signIn(OWNER), 503, "unavailable");
    expectError(await browser.post("/api/auth/two-factor/enable", { password }), 503, "unavailable");
    // The response would claim a sign-out while the session stays valid.
    if (table === "session") expectError(await browser.post("/api/auth/sign-out"), 503, "unavailable");
    await holder.query("ROLLBACK");
  }
  await holder.end();
  expect((await browserOf(service.url).signIn(OWNER)).status).toBe(200);
  expect((await browser.get("/api/admin/account")).status).toBe(200);
  expect((await browser.post("/api/auth/sign-out")).status).toBe(200);
  expect((await browser.get("/api/admin/account")).status).toBe(401);
});

test("a look-up waits out the lock of another program's DDL", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  await client.get("group");
  const holder = new pg.Client({ connectionString: settings.DATABASE_URL });
  await holder.connect();
  await holder.query("BEGIN; LOCK TABLE user_group IN ACCESS EXCLUSIVE MODE");
  const answer = client.get("group");
  await sleep(1_200);
  await holder.query("ROLLBACK");
  expect((await answer).status).toBe(200);
  await holder.end();
});

test("frozen sessions are abandoned while the server keeps running", { tag: "@release" }, async ({
  start,
  postgres,
}) => {
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  await client.get("group");
  const sessions = await query<{ pid: number }>(
    postgres.url,
    "SELECT pid FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]'",
  );
  for (const { pid } of sessions) process.kill(pid, "SIGSTOP");
  await expectUnavailable(client);
  await expect.poll(async () => (await client.get("group")).status, { timeout: 20_000 }).toBe(200);
});

test("a frozen database delays a stop by at most 10 s", { tag: "@release" }, async ({ start, postgres, dataDir }) => {
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  await client.get("group");
  const all = await processesOf((await postgresPid(dataDir)) ?? 0);
  for (const pid of all) signal(pid, "SIGSTOP");
  await expectUnavailable(client);
  const begin = performance.now();
  service.kill("SIGTERM");
  await service.exited;
  expect(performance.now() - begin).toBeLessThan(10_000);
});

test("a transaction that PostgreSQL ended while our process stalled is a 503", { tag: "@release" }, async ({
  createDatabase,
}) => {
  openPool(await createDatabase(), 1);
  const attempt = transaction(async (client) => {
    // The connection is not read in the meantime, so the next statement is sent before its end is known.
    for (const end = performance.now() + 2_300; performance.now() < end; );
    await client.query("SELECT 1");
  });
  await expect(attempt).rejects.toMatchObject({ code: "unavailable", cause: { code: "25P03" } });
  await closePool();
});
