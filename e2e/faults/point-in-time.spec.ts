import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, open, readdir, readFile, rename, rm, utimes } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { segmentOf } from "@/lib/db/backup-folder";
import { runningSuperuserUrl } from "@/lib/db/embedded";
import { examine } from "@/lib/doctor/examine";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { mountSmallDisk, type SmallDisk } from "../fixtures/drill-places";
import { test as base, expect, isPostgres, postgresPid, query } from "../fixtures/own-service";
import { command, run } from "../fixtures/run";
import { environmentWith, type ServiceProcess } from "../fixtures/service-process";

const API_TOKEN = "a-token-of-ones-own-0123456789-provisioned";
const METRICS_TOKEN = "metrics-token-of-this-test";
const LANES = 6;

interface Place {
  settings: Record<string, string>;
  backups: string;
  bases(): Promise<string[]>;
  backup(): ReturnType<typeof command>;
  restore(at?: Date): ReturnType<typeof command>;
  /** starts the service, and waits for the base backup that its database has to have first */
  startBackedUp(): Promise<ServiceProcess>;
}

const test = base.extend<{ backups: string; disk: SmallDisk | undefined; place: Place }>({
  backups: async ({ folder }, use) => {
    // PostgreSQL's own account archives, and must get there.
    await chmod(folder, 0o711);
    // A shell would trip over this name.
    const backups = path.join(folder, "back ups, it's $HOME");
    await mkdir(backups);
    await chmod(backups, 0o700);
    await use(backups);
  },
  disk: async ({ backups }, use) => {
    const disk = await mountSmallDisk(backups);
    await use(disk);
    await disk?.remove();
  },
  place: async ({ backups, dataDir, start }, use) => {
    const settings = { DATA_DIR: dataDir, BACKUP_DIR: backups, API_TOKEN, METRICS_TOKEN };
    const bases = async () => (await readdir(path.join(backups, "base"))).filter((name) => !name.startsWith("draft-"));
    await use({
      settings,
      backups,
      bases,
      async startBackedUp() {
        const service = await start(settings);
        await expect.poll(async () => (await bases()).length, { timeout: 60_000 }).toBe(1);
        return service;
      },
      backup: () => command(["backup"], settings),
      restore: (at) => command(["restore", ...(at ? ["--at", at.toISOString()] : [])], settings),
    });
  },
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.setTimeout(400_000);

/** A change of a group, and when it was sent and acknowledged. */
interface Change {
  id: string;
  name: string;
  sent: number;
  acknowledged: number;
}

/** Creates groups, and renames one a lane over and over. */
function keepChanging(client: Client, prefix: string) {
  const changes: Change[] = [];
  const note = async (id: string, name: string, change: Promise<{ status: number; text: string }>) => {
    const sent = Date.now();
    const { status, text } = await change;
    expect(status, text).toBe(200);
    changes.push({ id, name, sent, acknowledged: Date.now() });
  };
  const work = keepDoing(LANES, async (lane, count) => {
    const busy = `${prefix}-busy-${lane}`;
    if (count === 0) await note(busy, "0", client.get(busy, { name: "0" }));
    await note(busy, String(count + 1), client.put(busy, { name: String(count + 1) }));
    const id = `${prefix}-${lane}-${count}`;
    await note(id, "new", client.get(id, { name: "new" }));
  });
  return { changes, ...work };
}

/** All groups by their ids, with their names. */
async function namesOf(service: ServiceProcess): Promise<Map<string, string>> {
  const response = await fetch(`${service.url}/api/user-groups/export?format=jsonl`, {
    headers: { Authorization: `Token ${API_TOKEN}` },
  });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => JSON.parse(line)).map(({ user_group_id, name }): [string, string] => [user_group_id, name]),
  );
}

/** Each change acknowledged before the moment is there, and none that was sent after it. */
function expectMoment(names: Map<string, string>, changes: Change[], moment: number) {
  const before = changes.filter(({ acknowledged }) => acknowledged < moment);
  const after = changes.filter(({ sent }) => sent > moment + 1);
  expect(before.length).toBeGreaterThan(20);
  for (const { id, name } of before) {
    if (name === "new") expect(names.get(id), id).toBe("new");
    else expect(Number(names.get(id)), id).toBeGreaterThanOrEqual(Number(name));
  }
  for (const { id, name } of after) {
    if (name === "new") expect(names.get(id), id).toBeUndefined();
    else expect(Number(names.get(id) ?? -1), id).toBeLessThan(Number(name));
  }
  return after.length;
}

/** Kills the service and its PostgreSQL, so that the end of the log is not archived. */
async function killAll(service: ServiceProcess, dataDir: string) {
  const pid = await postgresPid(dataDir);
  service.killGroup("SIGKILL");
  await service.exited;
  if (pid && (await isPostgres(pid))) process.kill(pid, "SIGKILL");
  await expect.poll(() => isPostgres(pid ?? 0)).toBe(false);
  // Its children end by themselves once they notice.
  await sleep(1_000);
}

test("a restore to a moment keeps all that was acknowledged before it and nothing after, again and again", async ({
  start,
  dataDir,
  place,
}) => {
  const first = await place.startBackedUp();
  const load = keepChanging(clientOf(first.url, API_TOKEN), "first");
  await sleep(2_000);
  const made = await place.backup();
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(made.stdout).toContain(`${place.backups}/base/`);
  await sleep(2_000);
  const early = Date.now();
  await sleep(1_500);
  const late = Date.now();
  await sleep(1_000);
  expect((await place.backup()).code).toBe(0);
  await sleep(500);
  const last = Date.now();
  await sleep(500);
  await load.stop();
  const end = Date.now();
  expect((await place.restore(new Date(late))).stderr).toMatch(/is in use\. Stop the service/);
  await killAll(first, dataDir);

  // In reach of the archive; before it; at the end of the log that only the data in place have.
  const told = await place.restore(new Date(late));
  expect(told, told.stderr).toMatchObject({ code: 0 });
  const replaced = /The replaced data are in (\S+)\. /.exec(told.stdout)?.[1] ?? "";
  expect(existsSync(path.join(replaced, "PG_VERSION"))).toBe(true);
  const second = await start(place.settings);
  const atLate = await namesOf(second);
  expect(expectMoment(atLate, load.changes, late)).toBeGreaterThan(20);
  const client = clientOf(second.url, API_TOKEN);
  expect((await client.get("second timeline", { name: "here" })).status).toBe(200);
  await expect.poll(async () => (await place.bases()).length, { timeout: 100_000 }).toBe(4);
  const between = Date.now();
  await sleep(50);
  expect((await client.get("after that", { name: "here" })).status).toBe(200);
  await second.stop();

  // What was written before the first restore is still in reach, and what came after it.
  expect((await place.restore(new Date(early))).code).toBe(0);
  const third = await start(place.settings);
  const atEarly = await namesOf(third);
  expect(expectMoment(atEarly, load.changes, early)).toBeGreaterThan(20);
  expect(atEarly.size).toBeLessThan(atLate.size);
  await third.stop();
  const again = await place.restore(new Date(between));
  expect(again, again.stderr).toMatchObject({ code: 0 });
  const fourth = await start(place.settings);
  const atBetween = await namesOf(fourth);
  expect(atBetween).toEqual(new Map([...atLate, ["second timeline", "here"]]));
  await fourth.stop();

  // The killed server's data have the end of its log.
  await rename(path.join(dataDir, "postgres"), path.join(dataDir, "put-away"));
  await rename(replaced, path.join(dataDir, "postgres"));
  expect((await place.restore(new Date(last))).code).toBe(0);
  const fifth = await start(place.settings);
  expectMoment(await namesOf(fifth), load.changes, last);
  await fifth.stop();
  expect(end).toBeGreaterThan(last);
});

test("a lost machine loses at most what was not archived: its backups and its key bring the rest back", async ({
  start,
  dataDir,
  place,
  folder,
}) => {
  const before = await place.startBackedUp();
  const client = clientOf(before.url, API_TOKEN);
  const { json } = await client.get("kept", { name: "kept" });
  // Ends the segment, as archive_timeout does after a minute.
  expect((await place.backup()).code).toBe(0);
  expect((await client.get("also kept")).status).toBe(200);
  const archived = Date.now();
  // Later, or the backups could end before that moment.
  expect((await client.get("kept last")).status).toBe(200);
  expect((await place.backup()).code).toBe(0);
  await cp(path.join(dataDir, "secret-key"), path.join(folder, "secret-key"));
  await killAll(before, dataDir);
  await rm(dataDir, { recursive: true });

  const late = await place.restore();
  expect(late, late.stderr).toMatchObject({ code: 0 });
  expect(late.stdout).toContain("The secret key is not in the backup.");
  const refused = await start(place.settings, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toContain("restore it from a backup, or set SECRET_KEY");
  await cp(path.join(folder, "secret-key"), path.join(dataDir, "secret-key"));
  const after = await start(place.settings);
  expect((await namesOf(after)).size).toBe(3);
  const again = await clientOf(after.url, API_TOKEN).get("kept");
  expect(again.json).toMatchObject({ new_user_group: false, user_group: { token: json.user_group.token } });
  await after.stop();

  // Moments that the backups do not contain are refused, and change nothing.
  await rm(path.join(dataDir, "postgres"), { recursive: true });
  const [oldest = ""] = (await place.bases()).sort();
  for (const [at, says] of [
    [new Date(0), `Possible are moments from ${oldest.replace(/(T..)-(..)-/, "$1:$2:")} until now`],
    [new Date(Date.now() + 60_000), "is in the future"],
    [new Date(), "The backups end before"],
  ] as const) {
    const answer = await place.restore(at);
    expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
  }
  expect(existsSync(path.join(dataDir, "postgres"))).toBe(false);
  expect((await place.restore(new Date(archived - 1))).stderr).toBe("");

  // A log with a gap is refused, and so is a damaged base backup, by name.
  await rm(path.join(dataDir, "postgres"), { recursive: true });
  const [, second = ""] = (await place.bases()).sort();
  const { start: position } = JSON.parse(
    await readFile(path.join(place.backups, "base", second, "backup.json"), "utf8"),
  );
  const next = segmentOf(1, BigInt(position) + 16n * 1024n * 1024n);
  for (const name of [next, `${next}.gz`]) await rm(path.join(place.backups, "wal", name), { force: true });
  const gap = await place.restore(new Date(archived - 1));
  expect(gap.stderr).toMatch(/^The archived log is readable until .* only: a segment between \S+ and \S+ is missing/);
  for (const name of await place.bases()) {
    const tar = await open(path.join(place.backups, "base", name, "base.tar"), "r+");
    await tar.write("damaged", 5_000_000);
    await tar.close();
  }
  expect((await place.restore()).stderr).toMatch(/The base backup .* is damaged: .* Move it away/);
});

test("a backup that is killed does not count, and the next one removes it", async ({ place }) => {
  await place.startBackedUp();
  const all = path.join(place.backups, "base");
  const child = spawn(process.execPath, ["run.mjs", "backup"], {
    env: environmentWith(place.settings),
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(1)) {
    if ((await readdir(all)).some((name) => name.startsWith("draft-"))) break;
  }
  child.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
  expect((await readdir(all)).filter((name) => name.startsWith("draft-"))).toHaveLength(1);
  expect(await place.bases()).toHaveLength(1);
  await expect(async () => {
    const next = await place.backup();
    expect(next, next.stderr).toMatchObject({ code: 0 });
  }).toPass({ timeout: 60_000 });
  expect(await readdir(all)).toHaveLength(2);
});

test("a restore that is killed leaves data that work: the old ones, or all of the restored ones", async ({
  start,
  dataDir,
  place,
}) => {
  const before = await place.startBackedUp();
  expect((await clientOf(before.url, API_TOKEN).get("kept", { name: "kept" })).status).toBe(200);
  expect((await place.backup()).code).toBe(0);
  await before.stop();
  const expectKept = async () => {
    const service = await start(place.settings);
    expect(await namesOf(service)).toEqual(new Map([["kept", "kept"]]));
    await service.stop();
    const left = (await readdir(dataDir)).filter((name) => /^postgres\.(new|restored)/.test(name));
    expect(left).toEqual([]);
  };
  for (const delay of [0, 300, 900, 2_000]) {
    const child = spawn(process.execPath, ["run.mjs", "restore"], {
      env: environmentWith(place.settings),
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(5)) {
      if ((await readdir(dataDir)).some((name) => name.startsWith("postgres.new-"))) break;
    }
    await sleep(delay);
    child.kill("SIGKILL");
    await ended;
    await expectKept();
  }
  // Between the two renames there are no data in place.
  await cp(path.join(dataDir, "postgres"), path.join(dataDir, "postgres.restored"), {
    recursive: true,
    preserveTimestamps: true,
  });
  await run("chown", ["-R", "--reference", path.join(dataDir, "postgres"), path.join(dataDir, "postgres.restored")]);
  await rename(path.join(dataDir, "postgres"), path.join(dataDir, "postgres.replaced-by-test"));
  await expectKept();
  expect((await place.restore()).code).toBe(0);
  await expectKept();
  // Killed before the first of them, a restore left its data, which the next one replaces.
  await cp(path.join(dataDir, "postgres"), path.join(dataDir, "postgres.restored"), { recursive: true });
  const second = await place.restore();
  expect(second, second.stderr).toMatchObject({ code: 0 });
  await expectKept();
});

test("a run without BACKUP_DIR leaves a gap in the log, which another base backup ends", async ({
  start,
  dataDir,
  place,
}) => {
  const first = await place.startBackedUp();
  await first.stop();
  const bare = await start({ ...place.settings, BACKUP_DIR: "" });
  expect((await clientOf(bare.url, API_TOKEN).get("in the gap", { name: "here" })).status).toBe(200);
  const endSegments = async () => {
    const url = await runningSuperuserUrl(dataDir);
    for (let n = 0; n < 3; n++) {
      await query(url, "SELECT pg_logical_emit_message(true, 'test', 'a change')");
      await query(url, "SELECT pg_switch_wal()");
    }
    await query(url, "CHECKPOINT");
  };
  await endSegments();
  await bare.stop();
  const again = await start(place.settings);
  await endSegments();
  await expect.poll(async () => (await place.bases()).length, { timeout: 100_000 }).toBe(2);
  await expect.poll(() => readFile(again.log, "utf8")).toContain("the archived log has a gap");
  await killAll(again, dataDir);
  await rename(path.join(dataDir, "postgres"), path.join(dataDir, "lost"));
  const restored = await place.restore();
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  const last = await start(place.settings);
  expect(await namesOf(last)).toEqual(new Map([["in the gap", "here"]]));
});

test("while the disk of BACKUP_DIR is full the service keeps working, and log, metrics and doctor say so", async ({
  start,
  dataDir,
  disk,
  place,
}) => {
  test.skip(!disk, "only root may mount a small disk");
  if (!disk) return;
  const service = await place.startBackedUp();
  const finding = async () => (await examine(new URL(service.url), API_TOKEN)).find(({ name }) => name === "backups");
  const metric = async (name: string) => {
    const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    return Number(new RegExp(`^${name}\\{.*\\} (.*)$`, "m").exec(await response.text())?.[1]);
  };
  expect(await finding()).toMatchObject({ state: "good" });
  expect(await metric("backup_age_seconds")).toBeLessThan(120);
  expect(await metric("backup_log_waiting_seconds")).toBe(0);

  await disk.fill();
  const failed = await place.backup();
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The base backup failed: .*No space left/) });
  const client = clientOf(service.url, API_TOKEN);
  expect((await client.get("changed")).status).toBe(200);
  const status = path.join(dataDir, "postgres/pg_wal/archive_status");
  const waiting = async () => (await readdir(status)).filter((name) => name.endsWith(".ready"));
  await expect.poll(async () => (await waiting()).length, { timeout: 120_000 }).toBeGreaterThan(0);
  // As if ten minutes had passed.
  const past = new Date(Date.now() - 600_000);
  for (const name of await waiting()) await utimes(path.join(status, name), past, past);
  expect(await finding()).toMatchObject({ state: "wrong", says: expect.stringContaining("are not archived") });
  await expect.poll(() => metric("backup_log_waiting_seconds"), { timeout: 90_000 }).toBeGreaterThan(500);
  const log = async () => (await readFile(service.log, "utf8")).includes("the database's log is not archived");
  await expect.poll(log).toBe(true);
  expect((await client.get("still")).status).toBe(200);

  await disk.free();
  await expect.poll(waiting, { timeout: 120_000 }).toEqual([]);
  expect(await finding()).toMatchObject({ state: "good" });
  expect((await place.backup()).code).toBe(0);
  await service.stop();

  // A server that a killed service left behind is restarted where it does not archive yet.
  const bare = await start({ ...place.settings, BACKUP_DIR: "" });
  const withoutBackups = await examine(new URL(bare.url), API_TOKEN);
  expect(withoutBackups.find(({ name }) => name === "backups")).toMatchObject({ state: "doubtful" });
  const refusedBackup = await place.backup();
  expect(refusedBackup.stderr).toContain("was started by a process with another BACKUP_DIR, or with none");
  bare.killGroup("SIGKILL");
  await bare.exited;
  // The disk is small.
  for (const name of await place.bases()) await rm(path.join(place.backups, "base", name), { recursive: true });
  expect(await place.backup()).toMatchObject({ code: 0, stderr: "" });

  // Another database is not archived here, nor anything inside DATA_DIR.
  const other = { ...place.settings, DATA_DIR: `${dataDir}-2` };
  for (const [settings, says] of [
    [other, "contains the backups of another database"],
    [{ ...place.settings, BACKUP_DIR: path.join(dataDir, "backups") }, "is inside DATA_DIR"],
    [{ ...place.settings, DATABASE_URL: "postgresql://a:b@127.0.0.1/c" }, "BACKUP_DIR: only backs up the embedded"],
  ] as const) {
    const refused = await start(settings, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toContain(says);
  }
});
