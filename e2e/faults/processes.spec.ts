import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { isAlive } from "../../lib/db/embedded-process";
import { insertApiToken } from "../fixtures/api-token";
import { childrenOf } from "../fixtures/children";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { processesOf } from "../fixtures/own-postgres";
import { expect, query, test } from "../fixtures/own-service";
import { beginGet } from "../fixtures/slow-request";

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.setTimeout(120_000);

const SECRET_KEY = "0123456789abcdef".repeat(4);

async function cpuTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Calls over a new connection: one that is open leads to the worker that took it. */
async function statusOnce(url: string): Promise<number> {
  const dispatcher = new Agent();
  const { statusCode, body } = await request(url, { dispatcher });
  await body.dump();
  await dispatcher.close();
  return statusCode;
}

/** Gets and rotates groups without pause; every answer must be 200, and each token the one of the last acknowledged rotation. */
function keepRotating(client: Client, lanes: number) {
  const tokens = new Map<string, string>();
  const work = keepDoing(lanes, async (lane) => {
    const id = `lane-${lane}`;
    const { status, json } = await client.get(id);
    expect(status).toBe(200);
    if (tokens.has(id)) expect(json.user_group.token).toBe(tokens.get(id));
    const rotated = await client.rotate(json.user_group.token);
    expect(rotated.status).toBe(200);
    tokens.set(id, rotated.json.user_group.token);
  });
  return { tokens, ...work };
}

test("when the process of the pages ends, the API still answers; pages answer 503 and soon recover", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const load = keepRotating(clientOf(service.url, await insertApiToken(settings)), 2);
  expect((await fetch(`${service.url}/sign-in`)).status).toBe(200);
  const [pages = 0, ...others] = await childrenOf(service.pid, "pages");
  expect(others).toEqual([]);
  // Webhooks and imports, which it works on, come after the API.
  expect(getPriority(pages)).toBeGreaterThan(getPriority(service.pid));
  process.kill(pages, "SIGKILL");
  const away = await fetch(`${service.url}/sign-in`);
  expect(away.status).toBe(503);
  expect(away.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await away.json()).toMatchObject({
    success: 0,
    error: { code: "unavailable", message: "The dashboard's process does not respond. Try again shortly." },
  });
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`)).status, { timeout: 30_000 }).toBe(200);
  await load.stop();
  expect(load.tokens.size).toBe(2);
  expect(await service.stop()).toBe(0);
});

test("three workers share one port and the bound on connections; one that is killed is replaced", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, WORKERS: "3", DATABASE_POOL_SIZE: "8" };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  const workers = await childrenOf(service.pid, "worker");
  expect(workers).toHaveLength(3);
  const before = await Promise.all(workers.map(cpuTicks));
  const load = keepRotating(client, 16);
  let most = 0;
  const [name] = await query<{ current_database: string }>(settings.DATABASE_URL, "SELECT current_database()");
  for (let times = 0; times < 20; times++) {
    const [row] = await query<{ count: string }>(
      settings.DATABASE_URL,
      "SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND application_name ~ '^user-group-service [0-9]'",
      [name?.current_database],
    );
    most = Math.max(most, Number(row?.count));
    await sleep(100);
  }
  await load.stop();
  expect(most).toBeGreaterThan(3);
  expect(most).toBeLessThanOrEqual(8);
  const after = await Promise.all(workers.map(cpuTicks));
  for (const [index, ticks] of after.entries()) expect(ticks).toBeGreaterThan(before[index] ?? 0);

  const [victim = 0] = workers;
  process.kill(victim, "SIGKILL");
  // The kernel lists it for a moment.
  const others = async () => (await childrenOf(service.pid, "worker")).filter((pid) => pid !== victim);
  await expect.poll(others, { timeout: 30_000 }).toHaveLength(3);
  // Whoever it was that answers now has been told what it needs, and sees what the others did.
  const again = keepRotating(client, 6);
  await sleep(1_000);
  await again.stop();
  for (const [id, token] of again.tokens) expect((await client.get(id)).json.user_group.token).toBe(token);
});

test("a caller whose connection was dealt to a worker that ends before it takes it up is told so at once", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, WORKERS: "2" };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  const [victim = 0] = await childrenOf(service.pid, "worker");
  process.kill(victim, "SIGSTOP");
  const calls = Array.from({ length: 8 }, (_, n) => client.get(`dealt-${n}`));
  const ended = Promise.allSettled(calls);
  await Promise.any(calls.slice(1));
  await sleep(500);
  process.kill(victim, "SIGKILL");
  const answers = await ended;
  expect(answers.map(({ status }) => status)).toContain("rejected");
  for (const answer of answers) {
    if (answer.status === "fulfilled") expect(answer.value.status).toBe(200);
    else expect(answer.reason.code).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
  }
});

test("R9: a worker that is frozen gets no more connections, is killed and replaced, and that is logged and counted", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const METRICS_TOKEN = "metrics-token-of-this-test";
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, WORKERS: "2", METRICS_TOKEN };
  const service = await start(settings);
  const [victim = 0] = await childrenOf(service.pid, "worker");
  process.kill(victim, "SIGSTOP");
  const told = () => readFile(service.log, "utf8");
  await expect.poll(told).toContain("it gets no more connections");
  while (isAlive(victim)) expect(await statusOnce(`${service.url}/readyz`)).toBe(200);
  await expect.poll(told).toContain("killing it");
  await expect.poll(() => childrenOf(service.pid, "worker")).toHaveLength(2);
  const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  expect(await metrics.text()).toMatch(/service_processes_killed_total\{.*role="worker".*\} 1/);
  expect(await service.stop()).toBe(0);
});

test("R9: a process of the pages that is frozen is killed and replaced", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  expect((await fetch(`${service.url}/sign-in`)).status).toBe(200);
  const [pages = 0] = await childrenOf(service.pid, "pages");
  process.kill(pages, "SIGSTOP");
  await expect.poll(() => isAlive(pages)).toBe(false);
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`)).status).toBe(200);
});

test("R10: the folder that a killed service leaves is gone with the next start, and no other", {
  tag: "@release",
}, async ({ start, createDatabase, folder }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, TMPDIR: folder };
  const sockets = async () => (await readdir(folder)).filter((name) => name.startsWith("user-groups-"));
  const killed = await start(settings);
  const [left] = await sockets();
  killed.killGroup("SIGKILL");
  await killed.exited;
  await expect.poll(async () => (await processesOf(killed.pid)).filter(isAlive)).toEqual([]);
  const service = await start(settings);
  const [kept, ...others] = await sockets();
  expect(others).toEqual([]);
  expect(kept).not.toBe(left);
  const second = await start(settings);
  expect(await sockets()).toContain(kept);
  expect((await fetch(`${service.url}/sign-in`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
  expect(await service.stop()).toBe(0);
  expect(await sockets()).toEqual([]);
});

test("SIGTERM lets the workers finish what is under way, and ends all of them; kill -9 leaves none", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, WORKERS: "2" };
  const service = await start(settings);
  const token = await insertApiToken(settings);
  const slow = await Promise.all(Array.from({ length: 6 }, (_, n) => beginGet(service.url, token, `slow-${n}`)));
  const children = [...(await childrenOf(service.pid, "worker")), ...(await childrenOf(service.pid, "pages"))];
  expect(children).toHaveLength(3);
  service.kill("SIGTERM");
  await sleep(1_000);
  for (const request of slow) expect(await request.finish()).toMatchObject({ status: 200 });
  expect(await service.exited).toBe(0);
  for (const pid of children) expect(() => process.kill(pid, 0)).toThrow("ESRCH");

  const next = await start(settings);
  const left = [...(await childrenOf(next.pid, "worker")), ...(await childrenOf(next.pid, "pages"))];
  next.kill("SIGKILL");
  await next.exited;
  for (const pid of left) await expect.poll(() => isAlive(pid)).toBe(false);
});

test("a port that is taken, or too few connections for the workers, is said at the start", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, WORKERS: "2" };
  const service = await start(settings);
  const second = await start({ ...settings, PORT: new URL(service.url).port }, { until: "spawned" });
  expect(await second.exited).toBe(1);
  expect(second.said()).toContain("is in use: set PORT to a free one");
  const third = await start({ ...settings, DATABASE_POOL_SIZE: "3" }, { until: "spawned" });
  expect(await third.exited).toBe(1);
  expect(third.said()).toContain("DATABASE_POOL_SIZE: must be at least 4");
});
