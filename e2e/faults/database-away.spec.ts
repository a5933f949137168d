import { readdir, readFile } from "node:fs/promises";
import { attachEmbedded, type EmbeddedDatabase } from "../../lib/db/embedded";
import { expectError } from "../fixtures/api";
import { type Client, clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { test as base, expect, postgresPid, query } from "../fixtures/own-service";
import { createApiToken } from "../fixtures/run";
import { freePort } from "../fixtures/service-process";
import { type Forwarder, forward } from "../fixtures/tcp-forwarder";

const SECRET_KEY = "5".repeat(64);

interface Fixtures {
  /** a way to a database of the test's own, closed at first, and the URL that takes it */
  way: Forwarder & { url: string; straight: string };
  /** a PostgreSQL of the test's own */
  postgres: EmbeddedDatabase;
}

const test = base.extend<Fixtures>({
  way: async ({ createDatabase }, use) => {
    const straight = await createDatabase();
    const url = new URL(straight);
    const port = await freePort();
    const way = forward(port, Number(url.port));
    url.port = String(port);
    await use({ ...way, url: url.href, straight });
    await way.cut();
  },
  postgres: async ({ dataDir }, use) => {
    const postgres = await attachEmbedded(dataDir);
    await use(postgres);
    const pid = await postgresPid(dataDir);
    if (pid) for (const each of await processesOf(pid)) process.kill(each, "SIGCONT");
    await postgres.release();
  },
});

test.skip(process.platform !== "linux", "looks into /proc");

/** Holds that the answer is 503 and comes in time. */
async function expectUnavailable(client: Client) {
  const begin = performance.now();
  const { status, headers, json } = await client.get("group");
  expect(performance.now() - begin).toBeLessThan(2_000);
  expect({ status, json }).toMatchObject({ status: 503, json: { success: 0, error: { code: "unavailable" } } });
  expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
}

async function expectRecovered(client: Client) {
  await expect.poll(async () => (await client.get("group")).status, { timeout: 20_000 }).toBe(200);
}

/** A postmaster and its children. */
async function processesOf(postmaster: number): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 1);
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return [postmaster, ...pids.filter((_, at) => Number(stats[at]?.split(") ")[1]?.split(" ")[1]) === postmaster)];
}

test("a start without its database answers 503, and recovers by itself when the database appears", async ({
  start,
  way,
}) => {
  const settings = { DATABASE_URL: way.url, SECRET_KEY };
  const service = await start(settings, { until: "alive" });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  await expectUnavailable(clientOf(service.url, "t".repeat(32)));

  await way.open();
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
  const client = clientOf(service.url, await createApiToken(settings));
  expect((await client.get("group")).json.new_user_group).toBe(true);
});

test("a start that is told to stop before its database appears stops", async ({ start, way }) => {
  const service = await start({ DATABASE_URL: way.url, SECRET_KEY }, { until: "alive" });
  expect(await service.stop()).toBe(0);
});

test("a database that goes away and comes back costs 503 in between, and nothing else", async ({ start, way }) => {
  const settings = { DATABASE_URL: way.url, SECRET_KEY };
  await way.open();
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken(settings));
  const { json } = await client.get("group");

  await way.cut();
  await expectUnavailable(client);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);

  await way.open();
  await expectRecovered(client);
  expect((await client.get("group")).json).toEqual({ ...json, new_user_group: false });
});

test("what the dashboard asks is 503 as well while the database is away", async ({ start, way }) => {
  const owner = { email: "owner@example.com", password: "correct horse battery" };
  const unattended = { ADMIN_EMAIL: owner.email, ADMIN_PASSWORD: owner.password };
  await way.open();
  const service = await start({ DATABASE_URL: way.url, SECRET_KEY, ...unattended });
  const browser = browserOf(service.url);
  await browser.signIn(owner);
  const answers = async () => [
    await browser.get("/api/admin/account"),
    await browser.get("/api/admin/members"),
    await browser.get("/api/sign-in-options"),
    await browser.lookUp("http://localhost/welcome#ugl_x"),
  ];
  expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 404]);
  await way.cut();
  for (const answer of await answers()) expectError(answer, 503, "unavailable");
  await way.open();
  await expect.poll(async () => (await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 404]);
});

test("sessions that the server ends, as a failover does, are replaced unseen", async ({ start, way }) => {
  const settings = { DATABASE_URL: way.straight, SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken(settings));
  await Promise.all(Array.from({ length: 20 }, () => client.get("group")));
  await query(
    way.straight,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  expect((await client.get("group")).status).toBe(200);
});

test("a frozen database costs 503 in time, and is used again once it goes on", async ({ start, postgres, dataDir }) => {
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken(settings));
  await client.get("group");
  const postmaster = (await postgresPid(dataDir)) ?? 0;

  const sessions = await query<{ pid: number }>(
    postgres.url,
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'user-group-service'",
  );
  for (const { pid } of sessions) process.kill(pid, "SIGSTOP");
  await expectUnavailable(client);
  // Frozen sessions are given up: new ones take their place while the server itself goes on.
  await expectRecovered(client);

  const all = await processesOf(postmaster);
  for (const pid of all) process.kill(pid, "SIGSTOP");
  await Promise.all(Array.from({ length: 30 }, () => expectUnavailable(client)));
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  for (const pid of all) process.kill(pid, "SIGCONT");
  await expectRecovered(client);
});

test("a frozen database does not keep the service from ending within 10 s", async ({ start, postgres, dataDir }) => {
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken(settings));
  await client.get("group");
  const all = await processesOf((await postgresPid(dataDir)) ?? 0);
  for (const pid of all) process.kill(pid, "SIGSTOP");
  await expectUnavailable(client);
  const begin = performance.now();
  service.kill("SIGTERM");
  await service.exited;
  expect(performance.now() - begin).toBeLessThan(10_000);
});
