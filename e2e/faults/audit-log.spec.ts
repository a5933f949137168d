import { execFile } from "node:child_process";
import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf, keepDoing } from "../fixtures/client";
import { expect, query, test } from "../fixtures/own-service";

const SECRET_KEY = "ad".repeat(32);

/** An entry as it is written. */
interface Line {
  id: string;
  type: string;
  environment: string | null;
  provided_id: string | null;
  before: object | null;
  after: object | null;
}

/** The whole lines of a file, oldest first. */
async function linesOf(file: string): Promise<Line[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** The ids of all entries, in the order of the feed. */
async function entryIds(database: string): Promise<string[]> {
  return (await query<{ id: string }>(database, "SELECT id FROM audit_entry ORDER BY epoch, xid, id")).map(
    ({ id }) => id,
  );
}

/** Resolves once an instance writes. */
async function isLed(database: string) {
  await expect.poll(() => query(database, "SELECT FROM audit_log_reader WHERE leased_by IS NOT NULL")).toHaveLength(1);
}

const idsOf = (lines: { id: string }[]) => lines.map(({ id }) => id);
/** The first time that each is there. */
const firsts = (ids: string[]) => [...new Set(ids)];

test("every entry is a line, in order, also of entries without an environment; never a token", {
  tag: "@release",
}, async ({ start, createDatabase, folder }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const token = await insertApiToken(settings);
  const production = await insertApiToken(settings, { environment: "production" });
  const file = path.join(folder, "audit.jsonl");
  const before = await start(settings);
  await clientOf(before.url, token).get("before");
  await before.stop();
  const earlier = await entryIds(settings.DATABASE_URL);

  const { url } = await start({
    ...settings,
    AUDIT_LOG: file,
    ADMIN_EMAIL: "a@example.com",
    ADMIN_PASSWORD: "correct horse",
  });
  await isLed(settings.DATABASE_URL);
  const client = clientOf(url, token);
  const { json } = await client.get("acme", { properties: { plan: "free" } });
  await clientOf(url, production).get("other");
  await client.put("acme", { properties: { plan: "pro" } });
  await client.rotate(json.user_group.token);
  await query(
    settings.DATABASE_URL,
    "INSERT INTO audit_entry (action, actor_type, actor_name) VALUES ('member.invited', 'operator', 'test')",
  );
  const all = (await entryIds(settings.DATABASE_URL)).filter((id) => !earlier.includes(id));
  await expect.poll(async () => idsOf(await linesOf(file))).toEqual(expect.arrayContaining(all.slice(-5)));
  const lines = await linesOf(file);
  expect(idsOf(lines)).toEqual(all.slice(-lines.length));
  const group = { provided_id: "acme", name: "acme", mapping: {} };
  expect(lines.slice(-5)).toMatchObject([
    { type: "user_group.created", environment: "testing", provided_id: "acme", before: null },
    { type: "user_group.created", environment: "production", provided_id: "other" },
    {
      ...{ type: "user_group.updated", environment: "testing", actor: { type: "api_token", name: "e2e" } },
      ...{ team_id: json.user_group.team_id, changed: ["properties"], request_id: expect.any(String) },
      before: { ...group, properties: { plan: "free" } },
      after: { ...group, properties: { plan: "pro" } },
    },
    { type: "user_group.token_rotated", changed: ["token"] },
    { type: "member.invited", environment: null, team_id: null },
  ]);
  expect(await readFile(file, "utf8")).not.toMatch(/ugt_|fingerprint/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // As logrotate does.
  await rename(file, `${file}.1`);
  await client.get("rotated");
  await expect.poll(() => linesOf(file)).toMatchObject([{ provided_id: "rotated" }]);
});

test("kill -9 in the middle loses no entry, and two instances take turns", { tag: "@release" }, async ({
  start,
  createDatabase,
  folder,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const token = await insertApiToken(settings);
  const files = [path.join(folder, "one"), path.join(folder, "two")] as const;
  const one = await start({ ...settings, AUDIT_LOG: files[0] });
  await isLed(settings.DATABASE_URL);
  const two = await start({ ...settings, AUDIT_LOG: files[1] });
  const client = clientOf(two.url, token);
  await client.get("group");
  const begun = (await entryIds(settings.DATABASE_URL)).length;
  const load = keepDoing(4, async (lane, count) => {
    const { status, text } = await client.put("group", { properties: { lane, count } });
    if (status !== 200) throw new Error(text);
  });
  await expect.poll(async () => (await linesOf(files[0])).length).toBeGreaterThan(begun + 50);
  expect(await linesOf(files[1])).toEqual([]);
  one.killGroup("SIGKILL");
  await one.exited;
  await expect.poll(async () => (await linesOf(files[1])).length, { timeout: 30_000 }).toBeGreaterThan(50);
  await load.stop();
  const ids = await entryIds(settings.DATABASE_URL);
  const written = async () => (await Promise.all(files.map(linesOf))).flat();
  await expect.poll(async () => (await written()).at(-1)?.id).toBe(ids.at(-1));
  const all = idsOf(await written());
  expect(firsts(all)).toEqual(ids.slice(ids.indexOf(all[0] ?? "")));
  expect(ids.indexOf(all[0] ?? "")).toBeLessThan(begun);
  // Started again, the first one waits for its turn.
  const again = await start({ ...settings, AUDIT_LOG: files[0] });
  const count = (await linesOf(files[0])).length;
  await clientOf(again.url, token).put("group", { name: "last" });
  await expect.poll(async () => (await linesOf(files[1])).at(-1)).toMatchObject({ changed: ["name"] });
  expect((await linesOf(files[0])).length).toBe(count);
});

test("on stdout entries are lines of their own between those of the log", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const token = await insertApiToken(settings);
  const { url, log } = await start({ ...settings, AUDIT_LOG: "stdout", LOG_LEVEL: "info" });
  await isLed(settings.DATABASE_URL);
  const client = clientOf(url, token);
  await client.get("small");
  await client.get("large", { properties: { text: "x".repeat(5_000) } });
  const found = async () => {
    const lines = (await readFile(log, "utf8")).split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line)).flatMap(({ audit }) => (audit ? [audit] : []));
  };
  await expect.poll(found).toMatchObject([
    { type: "user_group.created", provided_id: "small", after: { provided_id: "small" } },
    { type: "user_group.created", provided_id: "large", has_states: false },
  ]);
  expect((await found())[1]).not.toHaveProperty("after");
});

test("a file that cannot be written ends the start; later it is retried, and nothing is lost", {
  tag: "@release",
}, async ({ start, createDatabase, folder }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const place = path.join(folder, "logs");
  const file = path.join(place, "audit.jsonl");
  await expect(start({ ...settings, AUDIT_LOG: file })).rejects.toThrow(/AUDIT_LOG cannot be written: ENOENT/);
  await mkdir(place);
  await promisify(execFile)("mkfifo", [file]);
  await expect(start({ ...settings, AUDIT_LOG: file })).rejects.toThrow(
    /AUDIT_LOG cannot be written: .* is not a regular file/,
  );
  await rm(file);
  const { url, log } = await start({ ...settings, AUDIT_LOG: file });
  await isLed(settings.DATABASE_URL);
  const client = clientOf(url, await insertApiToken(settings));
  await rename(place, `${place}-away`);
  await client.get("group");
  await expect.poll(() => readFile(log, "utf8")).toContain("writeToAuditLog");
  await rename(`${place}-away`, place);
  await expect.poll(() => linesOf(file), { timeout: 30_000 }).toMatchObject([{ provided_id: "group" }]);
});
