import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, open, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { examine } from "@/lib/doctor/examine";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { mountSmallDisk, type SmallDisk } from "../fixtures/drill-places";
import { test as base, expect, isPostgres, METRICS_TOKEN, postgresPid } from "../fixtures/own-service";
import { command, run } from "../fixtures/run";
import { environmentWith, type ServiceProcess } from "../fixtures/service-process";

const API_TOKEN = "a-token-of-ones-own-0123456789-provisioned";
const LANES = 6;

interface Place {
  settings: Record<string, string>;
  backups: string;
  /** the names of the finished backups, oldest first */
  taken(): Promise<string[]>;
  backup(): ReturnType<typeof command>;
  restore(...args: string[]): ReturnType<typeof command>;
  /** starts the service and waits for the first backup */
  startBackedUp(): Promise<ServiceProcess>;
}

const test = base.extend<{ backups: string; disk: SmallDisk | undefined; place: Place }>({
  backups: async ({ folder }, use) => {
    // PostgreSQL's account writes the backups, and needs access.
    await chmod(folder, 0o711);
    // A name that an unquoted shell command would break on.
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
    const taken = async () => (await readdir(backups)).filter((name) => /^\d{4}-.*Z$/.test(name)).sort();
    await use({
      settings,
      backups,
      taken,
      async startBackedUp() {
        const service = await start(settings);
        await expect.poll(async () => (await taken()).length, { timeout: 60_000 }).toBe(1);
        return service;
      },
      backup: () => command(["backup"], settings),
      restore: (...args) => command(["restore", ...args], settings),
    });
  },
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.setTimeout(400_000);

/** A change of a group, with the times it was sent and acknowledged. */
interface Change {
  id: string;
  name: string;
  sent: number;
  acknowledged: number;
}

/** Creates groups, and renames one per lane continuously. */
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

/** The names of all groups by id. */
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

/** Each change acknowledged before `from` is present, and none sent after `to`. */
function expectBetween(names: Map<string, string>, changes: Change[], { from, to }: { from: number; to: number }) {
  const before = changes.filter(({ acknowledged }) => acknowledged < from);
  const after = changes.filter(({ sent }) => sent > to);
  expect(Math.min(before.length, after.length)).toBeGreaterThan(20);
  for (const { id, name } of before) {
    if (name === "new") expect(names.get(id), id).toBe("new");
    else expect(Number(names.get(id)), id).toBeGreaterThanOrEqual(Number(name));
  }
  for (const { id, name } of after) {
    if (name === "new") expect(names.get(id), id).toBeUndefined();
    else expect(Number(names.get(id) ?? -1), id).toBeLessThan(Number(name));
  }
}

/** Kills a command this long after the folder has a name with this prefix; returns null if it has ended by then. */
async function killAmid(
  name: "backup" | "restore",
  settings: Record<string, string>,
  { folder, prefix, delay = 0 }: { folder: string; prefix: string; delay?: number },
): Promise<NodeJS.Signals | null> {
  const child = spawn("./user-groups", [name], { env: environmentWith(settings), stdio: "ignore" });
  const ended = once(child, "exit");
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(1)) {
    if ((await readdir(folder)).some((file) => file.startsWith(prefix))) break;
  }
  if (delay > 0) await sleep(delay);
  child.kill("SIGKILL");
  const [, signal] = await ended;
  return signal;
}

/** Kills the service and its PostgreSQL. */
async function killAll(service: ServiceProcess, dataDir: string) {
  const pid = await postgresPid(dataDir);
  service.killGroup("SIGKILL");
  await service.exited;
  if (pid && (await isPostgres(pid))) process.kill(pid, "SIGKILL");
  await expect.poll(() => isPostgres(pid ?? 0)).toBe(false);
  // Its children end on their own once they notice.
  await sleep(1_000);
}

test("a restore has everything acknowledged before its backup, and nothing sent after it", async ({
  start,
  dataDir,
  place,
}) => {
  const first = await place.startBackedUp();
  const load = keepChanging(clientOf(first.url, API_TOKEN), "first");
  const takeUnderLoad = async () => {
    await sleep(2_000);
    const from = Date.now();
    const made = await place.backup();
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(made.stdout).toContain(`${place.backups}/`);
    return { from, to: Date.now() };
  };
  const early = await takeUnderLoad();
  const late = await takeUnderLoad();
  await sleep(2_000);
  await load.stop();
  expect((await place.restore()).stderr).toMatch(/is in use\. Stop the service/);
  await killAll(first, dataDir);

  const told = await place.restore();
  expect(told, told.stderr).toMatchObject({ code: 0 });
  const replaced = /The replaced data are in (\S+)\. /.exec(told.stdout)?.[1] ?? "";
  expect(existsSync(path.join(replaced, "PG_VERSION"))).toBe(true);
  const second = await start(place.settings);
  expectBetween(await namesOf(second), load.changes, late);
  expect((await clientOf(second.url, API_TOKEN).get("afterwards")).status).toBe(200);
  await second.stop();

  const [, name = ""] = await place.taken();
  expect((await place.restore("none")).stderr).toContain(`There is no such backup. Give one of`);
  expect((await place.restore(name)).code).toBe(0);
  const third = await start(place.settings);
  expectBetween(await namesOf(third), load.changes, early);
  expect((await clientOf(third.url, API_TOKEN).get("afterwards")).json.new_user_group).toBe(true);
});

test("after a restore, tokens replaced since the backup work until the command it prints replaces them", async ({
  start,
  folder,
  place,
}) => {
  const before = await place.startBackedUp();
  const client = clientOf(before.url, API_TOKEN);
  const tokenOf = async (id: string) => (await client.get(id)).json.user_group.token;
  const [old, kept, moved] = [await tokenOf("rotated"), await tokenOf("kept"), await tokenOf("moved")];
  expect((await client.rotate(await tokenOf("earlier"))).status).toBe(200);
  expect((await place.backup()).code).toBe(0);
  expect((await client.rotate(old)).status).toBe(200);
  expect((await client.rename("moved", "moved again")).status).toBe(200);
  expect((await client.rotate(moved)).status).toBe(200);
  expect((await client.rotate(await tokenOf("newer"))).status).toBe(200);
  const events = path.join(folder, "events.jsonl");
  const followed = await command(["events"], place.settings);
  // The last line is cut, as after a kill.
  await writeFile(events, `${followed.stdout}{"type":"user_group.tok`);
  await before.stop();

  const { stdout } = await place.restore();
  const [, typed = ""] = /^ {2}\.\/user-groups (user-group-token .*) < EVENTS$/m.exec(stdout) ?? [];
  expect(typed).toContain("rotate-replaced --since");
  const after = await start(place.settings);
  const again = clientOf(after.url, API_TOKEN);
  expect((await again.get("rotated")).json.user_group.token).toBe(old);
  const text = await readFile(events, "utf8");
  const rotateReplaced = (input: string) => run("./user-groups", typed.split(" "), { env: place.settings, input });
  const prefixed = await rotateReplaced(text.replace(/^/gm, "Nov 20 02:00:00 host user-groups[1]: "));
  expect(prefixed).toMatchObject({ code: 1, stderr: expect.stringContaining("With journalctl, add --output=cat") });
  const replaced = await rotateReplaced(text);
  expect(replaced).toMatchObject({ code: 0, stderr: "" });
  const [, ...lines] = replaced.stdout.trim().split("\n");
  expect(lines.pop()).toBe("Lines skipped because they are not entries: 1");
  const rows = lines.map((row) => row.split(/ {2,}/));
  expect(rows).toEqual([
    ["testing", '"rotated"', "rotated"],
    ["testing", '"moved again"', "rotated"],
    ["testing", '"newer"', expect.stringContaining("No such user group")],
  ]);
  expect((await again.get("rotated")).json.user_group.token).not.toBe(old);
  expect((await again.get("kept")).json.user_group.token).toBe(kept);
  for (const replacedBefore of [old, moved]) expect((await again.rotate(replacedBefore)).status).toBe(404);
});

test("after a restore, viewer tokens of lost groups show no other group, and pollers miss no revocation", async ({
  start,
  place,
}) => {
  const before = await place.startBackedUp();
  const send = (url: string) => async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Token ${API_TOKEN}`, "Content-Type": "application/json" };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(response.status, path).toBe(200);
    return response.json();
  };
  const first = send(before.url);
  const ids = (prefix: string) => Array.from({ length: 80 }, (_, n) => ({ user_group_id: `${prefix}-${n}` }));
  const mint = async (user_group_id: string) =>
    (await first("POST", "/api/viewer-tokens", { user_group_id })).viewer_token;
  await first("POST", "/api/user/get-or-create", { user_group_id: "kept" });
  const kept = await mint("kept");
  expect((await place.backup()).code).toBe(0);
  await first("POST", "/api/user-groups/batch", { mode: "upsert", user_groups: ids("lost") });
  const lost = await Promise.all(ids("lost").map(({ user_group_id }) => mint(user_group_id)));
  const { next_since } = await first("GET", "/api/revocations");
  await before.stop();
  expect((await place.restore()).code).toBe(0);

  const second = send((await start(place.settings)).url);
  const made = await second("POST", "/api/user-groups/batch", { mode: "upsert", user_groups: ids("new") });
  const numbers = new Set(made.results.map(({ team_id }: { team_id: number }) => team_id));
  const reused = lost.filter((token) => numbers.has(JSON.parse(atob(token.split(".")[1] ?? "")).team_id));
  expect(reused.length).toBeGreaterThan(0);
  for (const token of reused) {
    expect(await second("POST", "/api/viewer", { token })).toEqual({ success: 1, active: false });
  }
  expect(await second("POST", "/api/viewer", { token: kept })).toMatchObject({ active: true });

  const ended = await second("POST", "/api/user-groups/end-views", { user_group_id: "kept" });
  for (let n = 0; n < 200; n++) await second("PUT", "/api/user", { user_group_id: "kept", name: `Name ${n}` });
  const { revocations } = await second("GET", `/api/revocations?since=${next_since}`);
  expect(revocations).toContainEqual({ team_id: ended.team_id, gen: ended.gen });
});

test("losing the machine loses only changes since the last backup: that and the key restore the rest", async ({
  start,
  dataDir,
  place,
  folder,
}) => {
  const before = await place.startBackedUp();
  const client = clientOf(before.url, API_TOKEN);
  const { json } = await client.get("kept", { name: "kept" });
  expect((await place.backup()).code).toBe(0);
  await cp(path.join(dataDir, "secret-key"), path.join(folder, "secret-key"));
  await killAll(before, dataDir);
  await rm(dataDir, { recursive: true });

  const told = await place.restore();
  expect(told, told.stderr).toMatchObject({ code: 0 });
  expect(told.stdout).toContain("The secret key is not in the backup.");
  const refused = await start(place.settings, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toContain("restore the file from your own copy, or set SECRET_KEY");
  await cp(path.join(folder, "secret-key"), path.join(dataDir, "secret-key"));
  const after = await start(place.settings);
  const again = await clientOf(after.url, API_TOKEN).get("kept");
  expect(again.json).toMatchObject({ new_user_group: false, user_group: { token: json.user_group.token } });
  await after.stop();

  // A damaged backup is refused by name and changes nothing.
  await rm(path.join(dataDir, "postgres"), { recursive: true });
  const [first = "", second = ""] = await place.taken();
  const tar = await open(path.join(place.backups, second, "base.tar"), "r+");
  await tar.write("damaged", 5_000_000);
  await tar.close();
  expect((await place.restore()).stderr).toMatch(/^The backup .* is damaged: .* Move it away/);
  await truncate(path.join(place.backups, second, "base.tar"), 5_000_000);
  expect((await place.restore()).stderr).toMatch(
    /^Cannot unpack .*: tar: Unexpected EOF in archive\. Unless the disk is full, move .*\n$/,
  );
  expect(existsSync(path.join(dataDir, "postgres"))).toBe(false);
  expect((await place.restore(first)).code).toBe(0);
});

test("a killed backup does not count, and the next one removes it", async ({ place }) => {
  await place.startBackedUp();
  const all = place.backups;
  expect(await killAmid("backup", place.settings, { folder: all, prefix: "draft-" })).toBe("SIGKILL");
  expect((await readdir(all)).filter((name) => name.startsWith("draft-"))).toHaveLength(1);
  expect(await place.taken()).toHaveLength(1);
  await expect(async () => {
    const next = await place.backup();
    expect(next, next.stderr).toMatchObject({ code: 0 });
  }).toPass({ timeout: 60_000 });
  expect(await readdir(all)).toHaveLength(2);
});

test("a killed restore leaves working data: either the old or the restored", async ({ start, dataDir, place }) => {
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
    await killAmid("restore", place.settings, { folder: dataDir, prefix: "postgres.new-", delay });
    await expectKept();
  }
  // Between the two renames no data are in place.
  await cp(path.join(dataDir, "postgres"), path.join(dataDir, "postgres.restored"), {
    recursive: true,
    preserveTimestamps: true,
  });
  await run("chown", ["-R", "--reference", path.join(dataDir, "postgres"), path.join(dataDir, "postgres.restored")]);
  await rename(path.join(dataDir, "postgres"), path.join(dataDir, "postgres.replaced-by-test"));
  await expectKept();
  expect((await place.restore()).code).toBe(0);
  await expectKept();
  // Killed before the first rename, a restore leaves its data behind, which the next one replaces.
  await cp(path.join(dataDir, "postgres"), path.join(dataDir, "postgres.restored"), { recursive: true });
  const second = await place.restore();
  expect(second, second.stderr).toMatchObject({ code: 0 });
  await expectKept();
});

test("a full BACKUP_DIR fails the backup only; metrics and doctor show the age of the last one", async ({
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

  await disk.fill();
  const failed = await place.backup();
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The backup failed: .*No space left/) });
  expect((await clientOf(service.url, API_TOKEN).get("changed")).status).toBe(200);
  expect((await readdir(place.backups)).filter((name) => name !== "filler")).toEqual(await place.taken());
  await disk.free();
  expect((await place.backup()).code).toBe(0);
  await service.stop();
  const bare = await start({ ...place.settings, BACKUP_DIR: "" });
  const withoutBackups = await examine(new URL(bare.url), API_TOKEN);
  expect(withoutBackups.find(({ name }) => name === "backups")).toMatchObject({ state: "doubtful" });
  await bare.stop();

  // BACKUP_DIR serves one embedded database, and is outside DATA_DIR.
  const other = { ...place.settings, DATA_DIR: `${dataDir}-2` };
  for (const [settings, says] of [
    [other, "contains backups of a database other than"],
    [{ ...place.settings, BACKUP_DIR: path.join(dataDir, "backups") }, "is inside DATA_DIR"],
    [{ ...place.settings, DATABASE_URL: "postgresql://a:b@127.0.0.1/c" }, "BACKUP_DIR: only backs up the embedded"],
  ] as const) {
    const refused = await start(settings, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toContain(says);
  }
});
