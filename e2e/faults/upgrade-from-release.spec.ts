import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { clientOf } from "../fixtures/client";
import { hasEarlierRelease, makeEarlierRelease } from "../fixtures/earlier-release";
import { keepWorking } from "../fixtures/keep-working";
import { test as base, expect } from "../fixtures/own-service";
import { missingProxies, startEncryptedNginx } from "../fixtures/proxies";
import { command, commandIn } from "../fixtures/run";
import { freePort, type ServiceProcess } from "../fixtures/service-process";
import { stage } from "../fixtures/stage";

// docs/upgrade.md, with the actual release 0.9.0.

/** As in docs/upgrade.md: the time between reloading nginx and stopping the old instance. */
const RELOAD_MS = 2_000;
const CALM_MS = 1_000;

const test = base.extend<object, { earlier: string }>({
  earlier: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const folder = await mkdtemp(path.join(tmpdir(), "earlier-release-"));
      const release = path.join(folder, "release");
      await makeEarlierRelease(release);
      await use(release);
      await rm(folder, { recursive: true });
    },
    { scope: "worker", timeout: 600_000 },
  ],
});

test.beforeAll(async () => {
  test.skip(!(await hasEarlierRelease()), "a shallow clone lacks the release 0.9.0: git fetch --unshallow");
  test.skip((await missingProxies()).includes("nginx"), "nginx is not installed");
});

const TRUSTED = { TRUSTED_PROXIES: "1" };

/** Calls through nginx continuously while `change` upgrades and rolls back; expects every call to be answered. */
async function callDuring(
  first: ServiceProcess,
  token: string,
  change: (switchTo: (service: ServiceProcess) => Promise<void>) => Promise<void>,
) {
  const nginx = await startEncryptedNginx(new URL(first.url));
  const dispatcher = getGlobalDispatcher();
  setGlobalDispatcher(new Agent({ connect: { ca: await readFile(nginx.certificate) } }));
  try {
    const client = clientOf(nginx.url, token);
    const load = keepWorking(client, "load");
    await sleep(CALM_MS);
    await change(async ({ url }) => {
      await nginx.switchTo(new URL(url));
      await sleep(RELOAD_MS);
    });
    await sleep(CALM_MS);
    await load.stop();
    for (const [id, current] of [...load.tokens].slice(-200)) {
      expect((await client.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token: current } });
    }
    for (const [what, count] of Object.entries(load.done)) expect(count, what).toBeGreaterThan(20);
    const description = `${Object.values(load.done).reduce((sum, count) => sum + count)} calls, 0 refused`;
    test.info().annotations.push({ type: "load", description });
  } finally {
    setGlobalDispatcher(dispatcher);
    await nginx.stop();
  }
}

async function createToken(settings: Record<string, string>, cwd: string): Promise<string> {
  const args = ["api-token", "create", "--environment", "testing", "--name", "load"];
  const { code, stdout, stderr } = await commandIn(cwd, args, settings);
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

test("a 0.9.0 checkout with the embedded database is upgraded and rolled back under load, and no call is refused", async ({
  earlier,
  start,
}) => {
  const settings = { ...TRUSTED, DATA_DIR: path.join(earlier, ".data") };
  const begin = (cwd: string) => start(settings, { command: ["npm", "start"], cwd });
  const old = await begin(earlier);
  await callDuring(old, await createToken(settings, earlier), async (switchTo) => {
    const next = await begin(process.cwd());
    await switchTo(next);
    // Ctrl-C
    old.killGroup("SIGINT");
    await old.exited;
    await sleep(CALM_MS);
    const back = await begin(earlier);
    await switchTo(back);
    await next.stop();
  });
});

test("0.9.0 under systemd is upgraded and rolled back under load with a link and a second unit, and no call is refused", async ({
  earlier,
  start,
  createDatabase,
  folder,
}) => {
  const DATABASE_OWNER_URL = await createDatabase("empty");
  const runtime = new URL(stage().runtimeUrl);
  runtime.pathname = new URL(DATABASE_OWNER_URL).pathname;
  const urls = { DATABASE_URL: runtime.href, DATABASE_OWNER_URL };
  const settings = { ...TRUSTED, ...urls, SECRET_KEY: randomBytes(32).toString("base64") };
  // The link's target at startup is the release that runs.
  const link = path.join(folder, "user-group-service");
  const PORT = String(await freePort());
  const startUnit = () => start({ ...settings, PORT }, { cwd: link });
  const startSecond = (cwd: string) => start(settings, { cwd });

  await symlink(earlier, link);
  let main = await startUnit();
  await callDuring(main, await createToken(settings, earlier), async (switchTo) => {
    for (const release of [process.cwd(), earlier]) {
      const second = await startSecond(release);
      await switchTo(second);
      expect(await main.stop()).toBe(0);
      await rm(link);
      await symlink(release, link);
      main = await startUnit();
      await switchTo(main);
      expect(await second.stop()).toBe(0);
      await sleep(CALM_MS);
    }
  });
  expect(await command(["verify"], settings)).toMatchObject({ code: 0 });
});
