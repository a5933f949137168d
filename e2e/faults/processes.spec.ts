import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../lib/embedded/process";
import { insertApiToken } from "../fixtures/api-token";
import { pagesOf } from "../fixtures/children";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { expect, METRICS_TOKEN, SECRET_KEY, test } from "../fixtures/own-service";
import type { ServiceProcess } from "../fixtures/service-process";

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.setTimeout(120_000);

/**
 * Gets and rotates groups continuously; every answer must be 200, and each token the one from the last
 * acknowledged rotation.
 */
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

async function expectReplacements({ url }: ServiceProcess, count: number) {
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  expect(await metrics.text()).toContain(`\nservice_processes_killed_total{process="api"} ${count}\n`);
}

test("when the pages process ends, the API keeps answering; pages answer 503 and soon recover", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const load = keepRotating(clientOf(service.url, await insertApiToken(settings)), 2);
  expect((await fetch(`${service.url}/sign-in`)).status).toBe(200);
  const [pages = 0, ...others] = await pagesOf(service.pid);
  expect(others).toEqual([]);
  process.kill(pages, "SIGKILL");
  const away = await fetch(`${service.url}/sign-in`);
  expect(away.status).toBe(503);
  expect(away.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await away.json()).toMatchObject({
    success: 0,
    error: { code: "unavailable", message: "The dashboard's process does not respond. Try again shortly." },
  });
  const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
  const page = await fetch(`${service.url}/sign-in`, browser);
  expect(page.status).toBe(503);
  expect(page.headers.get("refresh")).toBe("2");
  expect(await page.text()).toContain("The dashboard is not ready yet.");
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`, browser)).status).toBe(200);
  await load.stop();
  expect(load.tokens.size).toBe(2);
  expect(await service.stop()).toBe(0);
});

test("the API is ready before its pages, and a pages process that ends before it listens is replaced", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
  const service = await start(settings, { until: "alive" });
  const first = async () => (await pagesOf(service.pid))[0] ?? 0;
  await expect.poll(first).toBeGreaterThan(0);
  const ended = await first();
  process.kill(ended, "SIGSTOP");
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${service.url}/sign-in`)).status).toBe(503);
  process.kill(ended, "SIGKILL");
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`)).status).toBe(200);
  await expectReplacements(service, 1);
  expect(await service.stop()).toBe(0);
});

test("while no pages process can be started, the API keeps answering, and pages recover", {
  tag: "@release",
}, async ({ start, createDatabase, folder }) => {
  const node = path.join(folder, "node");
  await copyFile(process.execPath, node);
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings, { command: [node, "tools/run.mjs", "start"] });
  const client = clientOf(service.url, await insertApiToken(settings));
  const [pages = 0] = await pagesOf(service.pid);
  await rename(node, `${node}.away`);
  process.kill(pages, "SIGKILL");
  await expect.poll(() => readFile(service.log, "utf8")).toContain("ENOENT");
  await sleep(1_500);
  expect((await client.get("group")).status).toBe(200);
  await rename(`${node}.away`, node);
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test("a hung pages process is killed and replaced, which is logged and counted", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN });
  expect((await fetch(`${service.url}/sign-in`)).status).toBe(200);
  const [pages = 0] = await pagesOf(service.pid);
  process.kill(pages, "SIGSTOP");
  await expect.poll(() => isAlive(pages)).toBe(false);
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`)).status).toBe(200);
  expect(await readFile(service.log, "utf8")).toContain("does not respond: killing it");
  await expectReplacements(service, 1);
});

test("kill -9 of the API process ends the pages process", { tag: "@release" }, async ({ start, createDatabase }) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  const [pages = 0] = await pagesOf(service.pid);
  expect(isAlive(pages)).toBe(true);
  service.kill("SIGKILL");
  await service.exited;
  await expect.poll(() => isAlive(pages)).toBe(false);
});

/** Receives datagrams on a Unix socket; prints a line for each. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True: print(s.recv(4096).decode(), flush=True)
`;

test("systemd's watchdog is notified while the API answers, and not while its process hangs", async ({
  start,
  createDatabase,
  folder,
}) => {
  for (const program of ["systemd-notify", "python3"])
    test.skip(spawnSync(program, ["--version"]).status !== 0, `${program} is not installed`);
  const NOTIFY_SOCKET = path.join(folder, "notify");
  const receiver = spawn("python3", ["-c", RECEIVER, NOTIFY_SOCKET], { stdio: ["ignore", "pipe", "inherit"] });
  let received = "";
  receiver.stdout.on("data", (chunk: Buffer) => {
    received += chunk;
  });
  const notices = () => received.split("\n").filter((line) => line === "WATCHDOG=1").length;
  await expect.poll(() => existsSync(NOTIFY_SOCKET)).toBe(true);
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, NOTIFY_SOCKET, WATCHDOG_USEC: "1500000" };
  const service = await start(settings);
  await expect.poll(notices).toBeGreaterThan(2);
  service.kill("SIGSTOP");
  // A notification may be on its way.
  await sleep(1_000);
  const before = notices();
  await sleep(3_000);
  expect(notices()).toBe(before);
  service.kill("SIGCONT");
  await expect.poll(notices).toBeGreaterThan(before);
  expect(await service.stop()).toBe(0);
  receiver.kill();
});
