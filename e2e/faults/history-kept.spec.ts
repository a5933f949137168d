import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import pg from "pg";
import { ageHistory, monthsOf, partitionOf } from "../fixtures/aged-history";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { askFeed, readFeed } from "../fixtures/feed";
import { test as base, expect, query, rolesOf } from "../fixtures/own-service";
import { command } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";

const SECRET_KEY = "4b".repeat(32);
const HISTORY_KEPT = "1 month";
const scopes = ["events:read", "groups:read", "groups:create", "groups:write", "tokens:read"] as const;

interface Fixtures {
  /** a migrated database with two roles */
  roles: ReturnType<typeof rolesOf>["settings"];
}

const test = base.extend<Fixtures>({
  roles: async ({ createDatabase }, use) => {
    const { settings, drop } = rolesOf(await createDatabase("empty"), SECRET_KEY);
    expect((await command(["migrate"], settings)).code).toBe(0);
    await use(settings);
    await drop();
  },
});

interface Place {
  url: string;
  /** of the tables' owner */
  database: string;
}

/**
 * Groups of two environments: Testing's last changed three months ago, Production's changed in each of the three
 * months since.
 */
async function makeHistory({ url, database }: Place) {
  const settings = { DATABASE_URL: database, SECRET_KEY };
  const idle = await insertApiToken(settings, { scopes });
  const busy = await insertApiToken(settings, { scopes, environment: "production" });
  const [testing, production] = [clientOf(url, idle), clientOf(url, busy)];
  for (const id of ["first", "second"]) expect((await testing.get(id)).status).toBe(200);
  expect((await production.get("busy")).status).toBe(200);
  await ageHistory(database, 3);
  await production.put("busy", { name: "once" });
  await ageHistory(database, 2);
  await production.put("busy", { name: "twice" });
  await expect.poll(async () => (await readFeed(url, busy)).events).toHaveLength(3);
  return { idle, busy, testing };
}

test("the service drops expired months; consumers that have read them continue, others get an error", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const first = await start(settings);
  const { idle, busy } = await makeHistory({ url: first.url, database: settings.DATABASE_URL });
  /** the cursor after this many entries */
  const after = async (token: string, entries: number) =>
    (await askFeed(first.url, token, { limit: String(entries) })).next_cursor;
  const readAll = [await after(idle, 2), await after(busy, 3)] as const;
  const readTheDropped = await after(busy, 2);
  const tooEarly = [[idle, await after(idle, 1)] as const, [busy, await after(busy, 1)] as const];
  await first.stop();
  expect((await monthsOf(settings.DATABASE_URL)).slice(0, 2)).toEqual([partitionOf(3), partitionOf(2)]);

  const { url, log } = await start({ ...settings, HISTORY_KEPT });
  await expect.poll(async () => (await monthsOf(settings.DATABASE_URL))[0]).toBe(partitionOf(1));
  await expect.poll(() => readFile(log, "utf8")).toContain("months of the history were dropped");
  for (const month of [3, 2]) {
    const [found] = await query(settings.DATABASE_URL, "SELECT to_regclass($1) AS table", [partitionOf(month)]);
    expect(found).toEqual({ table: null });
  }
  // Testing has no entries left.
  expect(await askFeed(url, idle)).toMatchObject({ status: 200, events: [], caught_up: true });
  expect(await askFeed(url, idle, { after: readAll[0] })).toMatchObject({ status: 200, events: [] });
  expect(await askFeed(url, busy, { after: readAll[1] })).toMatchObject({ status: 200, events: [] });
  expect((await askFeed(url, busy, { after: readTheDropped })).events).toHaveLength(1);
  expect((await askFeed(url, busy)).events).toHaveLength(1);
  for (const [token, cursor] of tooEarly) {
    expect(await askFeed(url, token, { after: cursor })).toMatchObject({ status: 410, error: { code: "cursor_gone" } });
  }
  await clientOf(url, idle).get("next");
  await expect.poll(async () => (await askFeed(url, idle, { after: readAll[0] })).events).toHaveLength(1);
  // Groups with dropped history are sound.
  const verified = await command(["verify"], settings);
  expect(verified.stdout).toBe("4 user groups checked, and all match the history.\n");
  const diagnosis = await fetch(`${url}/api/diagnosis`, { headers: { authorization: `Token ${idle}` } });
  expect(await diagnosis.json()).toMatchObject({ overdue_months: 0 });
});

test("a cursor from before the first entry is gone once that entry is dropped unread", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const token = await insertApiToken(settings, { scopes });
  const { url } = await start(settings);
  const { next_cursor: empty } = await askFeed(url, token, { after: "latest" });
  await clientOf(url, token).get("first");
  await ageHistory(settings.DATABASE_URL, 2);
  const pruned = await command(["prune-history"], { ...settings, HISTORY_KEPT });
  expect(pruned).toEqual({ code: 0, stdout: `Dropped: ${partitionOf(2)}.\n`, stderr: "" });
  expect(await askFeed(url, token, { after: empty })).toMatchObject({ status: 410 });
  const { next_cursor: beginning } = await askFeed(url, token);
  expect(await askFeed(url, token, { after: beginning })).toMatchObject({ status: 200, events: [] });
});

test("with two roles a command drops months, and until it runs the log and the doctor say so", {
  tag: "@release",
}, async ({ start, roles }) => {
  const { DATABASE_OWNER_URL, ...ofService } = { ...roles, HISTORY_KEPT };
  const first = await start(ofService);
  const { idle } = await makeHistory({ url: first.url, database: DATABASE_OWNER_URL });
  await first.stop();
  const { url, log } = await start(ofService);
  await expect.poll(() => readFile(log, "utf8")).toContain("run ./user-groups prune-history daily");
  const doctor = await command(["doctor", url], { DOCTOR_TOKEN: idle });
  expect(doctor.stdout).toMatch(/\d months? (?:is|are) older than HISTORY_KEPT/);
  const denied = await command(["prune-history"], ofService);
  expect(denied).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^PostgreSQL refused the role of DATABASE_URL: permission denied .*\. Set DATABASE_OWNER_URL/,
    ),
  });
  const unset = await command(["prune-history"], roles);
  expect(unset).toMatchObject({ code: 1, stderr: "HISTORY_KEPT is not set: the history is kept forever.\n" });
  const kept = { ...roles, HISTORY_KEPT };
  const earlier = await command(["prune-history"], { ...kept, HISTORY_KEPT: "2 months" });
  expect(earlier).toEqual({ code: 0, stdout: `Dropped: ${partitionOf(3)}.\n`, stderr: "" });
  expect((await command(["prune-history"], kept)).stdout).toBe(`Dropped: ${partitionOf(2)}.\n`);
  expect((await command(["prune-history"], kept)).stdout).toBe("No month is old enough.\n");
  expect((await monthsOf(DATABASE_OWNER_URL))[0]).toBe(partitionOf(1));
});

test("a month read by a long transaction is detached, then dropped after the transaction ends, even after kill -9", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const { DATABASE_URL: database } = settings;
  const { url } = await start(settings);
  const { idle, testing } = await makeHistory({ url, database });
  // Detached manually, and kept.
  await query(database, `CREATE TABLE ${partitionOf(5)} (LIKE audit_entry)`);
  const reader = new pg.Client({ connectionString: database });
  await reader.connect();
  await reader.query("BEGIN; SELECT count(*) FROM audit_entry");
  const child = spawn("./user-groups", ["prune-history"], {
    env: environmentWith({ ...settings, HISTORY_KEPT }),
    stdio: "ignore",
  });
  const detaching = () =>
    query(database, "SELECT inhrelid::regclass::text AS month FROM pg_inherits WHERE inhdetachpending");
  await expect.poll(detaching, { timeout: 30_000 }).toEqual([{ month: partitionOf(3) }]);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  expect((await testing.put("first", { name: "Other" })).status).toBe(200);
  await expect.poll(async () => (await readFeed(url, idle)).events).toHaveLength(1);
  expect(await detaching()).toEqual([{ month: partitionOf(3) }]);
  await reader.query("COMMIT");
  await reader.end();
  const others =
    "SELECT FROM pg_stat_activity WHERE application_name = 'user-group-service history' AND datname = current_database()";
  await expect.poll(() => query(database, others)).toEqual([]);
  const pruned = await command(["prune-history"], { ...settings, HISTORY_KEPT });
  expect(pruned).toEqual({ code: 0, stdout: `Dropped: ${partitionOf(3)}, ${partitionOf(2)}.\n`, stderr: "" });
  expect((await monthsOf(database))[0]).toBe(partitionOf(1));
  const [kept] = await query(database, "SELECT to_regclass($1)::text AS table", [partitionOf(5)]);
  expect(kept).toEqual({ table: partitionOf(5) });
});

test("an export that is open while a month is dropped has every remaining entry", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const { DATABASE_URL: database } = settings;
  const { url } = await start(settings);
  const { idle } = await makeHistory({ url, database });
  const fill = (at: string) =>
    query(
      database,
      `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, after, at)
       SELECT e.id, 'environment.updated', 'operator', 'test', '{"text":"' || repeat(md5(n::text), 300) || '"}', ${at}
       FROM environment e, generate_series(1, 4000) AS n WHERE slug = 'testing'`,
    );
  await fill("date_trunc('month', now()) - interval '50 days'");
  await fill("now()");
  const left = await query<{ id: string }>(
    database,
    "SELECT id FROM audit_entry WHERE action = 'environment.updated' AND at > now() - interval '1 hour' ORDER BY id DESC",
  );
  const response = await fetch(`${url}/api/user-groups/history/export?format=jsonl&action=environment.updated`, {
    headers: { authorization: `Token ${idle}`, "accept-encoding": "identity" },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error("no body");
  let { value: text = "" } = await reader.read();
  expect((await command(["prune-history"], { ...settings, HISTORY_KEPT })).code).toBe(0);
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
  const ids = text.split("\n").flatMap((line) => (line ? [JSON.parse(line).id] : []));
  expect(ids.slice(0, left.length)).toEqual(left.map(({ id }) => id));
});
