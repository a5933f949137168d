import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test as base, expect } from "@playwright/test";
import { expectError } from "../fixtures/api";
import { clientOf, keepDoing } from "../fixtures/client";
import { type Drill, makeDrillPlace, openDrill, printOutcomes } from "../fixtures/drill";
import { makePostgres, type OwnPostgres, signal } from "../fixtures/own-postgres";
import { query } from "../fixtures/own-service";
import { findPostgres15 } from "../fixtures/postgres-15";
import { missingProxies, startPgBouncer } from "../fixtures/proxies";
import { freePort, killServices, startService } from "../fixtures/service-process";
import { wayTo } from "../fixtures/tcp-forwarder";

// One service and two PostgreSQL servers: a primary, and the synchronous standby of every commit.

interface Pair {
  drill: Drill;
  standby: OwnPostgres;
}

const test = base.extend<object, { pair: Pair | undefined }>({
  pair: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const programs = await findPostgres15();
      if (!programs) return use(undefined);
      const place = await makeDrillPlace();
      const drill = await openDrill(place.data, { programs });
      const standby = await makePostgres(path.join(place.folder, "standby"), { programs, primary: drill.postgres });
      await waitForStandby(drill.postgres);
      await use({ drill, standby });
      await drill.close();
      await standby.kill();
      await place.remove();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.describe.configure({ retries: 0 });
test.beforeEach(({ pair }) => test.skip(!pair, "PostgreSQL 15 is not installed"));
test.afterAll(async () => {
  await killServices();
  printOutcomes();
});

/** Makes every commit wait for a standby. */
async function waitForStandby({ url }: OwnPostgres) {
  await query(url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(url, "SELECT pg_reload_conf()");
}

/** The default timeouts of calls and of background work. */
const POOL_SIZE = 10 + 2;

interface Sessions {
  all: number;
  waiting: number;
}

async function countSessions({ url }: OwnPostgres): Promise<Sessions> {
  const [row] = await query<{ all: number; waiting: number }>(
    url,
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event = 'SyncRep')::int AS waiting
     FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]'`,
  );
  return row ?? { all: 0, waiting: 0 };
}

test("while a synchronous standby hangs, look-ups never stop and connections stay within the pool", async ({
  pair,
}) => {
  if (!pair) return;
  const { drill, standby } = pair;
  const { postgres, service, token } = drill;
  const client = clientOf(service.url, token);
  const { json } = await client.get("always-there", { name: "Always there" });
  let frozen: number[] = [];
  const seen: Sessions[] = [];
  const lookUps = { done: 0, failed: [] as number[], slowest: 0 };
  let work: ReturnType<typeof keepDoing> | undefined;
  await drill.run({
    name: "a synchronous standby hangs",
    bites: true,
    async begin() {
      frozen = await standby.processes();
      for (const pid of frozen) signal(pid, "SIGSTOP");
      work = keepDoing(2, async () => {
        const start = performance.now();
        const { status } = await client.get("always-there");
        lookUps.slowest = Math.max(lookUps.slowest, performance.now() - start);
        lookUps.done++;
        if (status !== 200) lookUps.failed.push(status);
        await sleep(10);
      });
    },
    async during() {
      seen.push(await countSessions(postgres));
      await sleep(100);
    },
    async end() {
      // Longer than the timeouts: the first statements have been given up, but still wait in PostgreSQL.
      for (let more = 0; more < 15; more++) {
        seen.push(await countSessions(postgres));
        await sleep(100);
      }
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      await work?.stop();
      for (const pid of frozen) signal(pid, "SIGCONT");
    },
  });
  expect(lookUps.failed).toEqual([]);
  expect(lookUps.done).toBeGreaterThan(20);
  expect(lookUps.slowest).toBeLessThan(2_000);
  expect(Math.max(...seen.map(({ all }) => all))).toBeLessThanOrEqual(POOL_SIZE);
  // Hanging statements keep hanging: cancelling one would expose data that no standby has.
  const waiting = seen.map((one) => one.waiting);
  expect(waiting).toEqual([...waiting].sort((a, b) => a - b));
  expect(waiting.at(-1)).toBeGreaterThan(2);
  await expect.poll(() => countSessions(postgres)).toMatchObject({ waiting: 0 });
  expect((await client.get("always-there")).json.user_group).toEqual(json.user_group);
});

test("an instance directed to a standby answers 503 and nothing stale", async ({ pair }) => {
  if (!pair) return;
  const { drill, standby } = pair;
  const { postgres, service, way, token } = drill;
  const client = clientOf(service.url, token);
  const { json } = await client.get("on-standby");
  await drill.run({
    name: "the address leads to a standby",
    bites: true,
    takesDatabase: true,
    begin: () => way.leadTo(standby.port),
    async during() {
      for (const answer of [await client.get("on-standby"), await client.put("on-standby", { name: "New" })]) {
        expectError(answer, 503, "unavailable");
      }
      await expect.poll(async () => (await fetch(`${service.url}/readyz`)).text()).toContain("is a standby");
    },
    end: () => way.leadTo(postgres.port),
  });
  // Calls answered 503 may still be applied once the network recovers.
  const name = expect.stringMatching(/^(on-standby|New)$/);
  expect((await client.get("on-standby")).json.user_group).toEqual({ ...json.user_group, name });
});

test("a start directed to a standby waits, and says why", async ({ pair }) => {
  if (!pair) return;
  const { drill, standby } = pair;
  const settings = { ...drill.settings, PORT: String(await freePort()), DATABASE_URL: standby.url };
  const { url, stop } = await startService(settings, { until: "alive" });
  await expect.poll(async () => (await fetch(`${url}/readyz`)).text()).toContain("The database is a standby.");
  const client = clientOf(url, drill.token);
  expectError(await client.get("on-standby"), 503, "unavailable");
  expect(await stop()).toBe(0);
});

test("behind PgBouncer, which hides a standby, good and bad credentials get a 503", async ({ pair }) => {
  if (!pair) return;
  const missing = await missingProxies();
  test.skip(missing.includes("pgbouncer"), "pgbouncer is not installed");
  const { drill, standby } = pair;
  const { postgres, settings, token } = drill;
  const { way, url: through } = await wayTo(postgres.url);
  const behind = new URL(through);
  behind.password = "asked by PgBouncer alone";
  const proxy = await startPgBouncer(behind, 5);
  const { url, stop } = await startService({
    ...settings,
    PORT: String(await freePort()),
    DATABASE_URL: proxy.url,
    DATABASE_OWNER_URL: postgres.url,
  });
  expect((await clientOf(url, token).get("on-standby")).status).toBe(200);
  way.leadTo(standby.port);
  await expect.poll(async () => (await fetch(`${url}/readyz`)).text()).toContain("The database is a standby.");
  for (const credential of [token, `uga_test_${"0".repeat(49)}`]) {
    const client = clientOf(url, credential);
    for (const answer of [await client.get("on-standby"), await client.put("on-standby", { name: "New" })]) {
      expectError(answer, 503, "unavailable");
      expect(answer.json.error.message).toContain("is a standby");
    }
  }
  await stop();
  await proxy.stop();
  await way.cut();
});

test("a planned switchover to the standby loses nothing", async ({ pair }) => {
  if (!pair) return;
  const { drill, standby } = pair;
  const primary = drill.postgres;
  await drill.run({
    name: "a planned switchover",
    async begin() {
      // A clean shutdown waits until the standby has everything.
      await primary.stop();
      await query(standby.url, "SELECT pg_promote()");
      drill.way.leadTo(standby.port);
      drill.postgres = standby;
    },
    end: () => undefined,
  });
  await drill.expectKept();
});
