import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf, keepDoing } from "../fixtures/client";
import { expect, query, test } from "../fixtures/own-service";
import { command, run } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";
import { wayTo } from "../fixtures/tcp-forwarder";

test.setTimeout(300_000);

const SECRET_KEY = "ad".repeat(32);

/** A printed entry. */
interface Line {
  id: string;
  type: string;
  environment: string | null;
  provided_id: string | null;
  before: object | null;
  after: object | null;
}

/** The complete lines of a text; a kill may cut off the last one. */
function linesIn(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

const idsOf = (lines: { id: string }[]) => lines.map(({ id }) => id);

/** The ids of all entries in feed order. */
async function entryIds(database: string): Promise<string[]> {
  return idsOf(await query<{ id: string }>(database, "SELECT id FROM audit_entry ORDER BY epoch, xid, id"));
}

/** Follows the history into a file; its messages go to another. */
function follow(
  settings: Record<string, string>,
  { output, cursor }: { output: string; cursor: string },
): ChildProcess {
  const [out, said] = [openSync(output, "a"), openSync(`${output}.said`, "a")];
  const child = spawn("./user-groups", ["events", "--follow", "--cursor-file", cursor], {
    env: environmentWith(settings),
    stdio: ["ignore", out, said],
  });
  for (const file of [out, said]) closeSync(file);
  return child;
}

const linesOf = async (file: string) => linesIn(await readFile(file, "utf8"));

/** Until then, other tests' transactions on the server delay entries. */
async function allSettled(database: string) {
  const settled = "SELECT max(xid) < pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS settled FROM audit_entry";
  await expect.poll(() => query<{ settled: boolean }>(database, settled)).toEqual([{ settled: true }]);
}

/** Prints the entries after this cursor file's place. */
async function print(settings: { DATABASE_URL: string; SECRET_KEY: string }, cursor: string) {
  await allSettled(settings.DATABASE_URL);
  return command(["events", "--cursor-file", cursor], settings);
}

async function noteOperator(database: string) {
  await query(
    database,
    "INSERT INTO audit_entry (action, actor_type, actor_name) VALUES ('member.invited', 'operator', 'test')",
  );
}

test("each entry is a line, from every environment and from none, oldest first; the next run continues", async ({
  start,
  createDatabase,
  folder,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const { url } = await start(settings);
  const client = clientOf(url, await insertApiToken(settings));
  const production = clientOf(url, await insertApiToken(settings, { environment: "production" }));
  const { json } = await client.get("acme", { properties: { plan: "free" } });
  await production.get("other");
  await client.put("acme", { properties: { plan: "pro" } });
  await client.rotate(json.user_group.token);
  await noteOperator(settings.DATABASE_URL);

  const file = path.join(folder, "cursor");
  const first = await print(settings, file);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const lines = linesIn(first.stdout);
  expect(idsOf(lines)).toEqual(await entryIds(settings.DATABASE_URL));
  const group = { provided_id: "acme", name: "acme", mapping: {} };
  expect(lines.slice(-5)).toMatchObject([
    { type: "user_group.created", environment: "testing", provided_id: "acme", before: null },
    { type: "user_group.created", environment: "production", provided_id: "other" },
    {
      type: "user_group.updated",
      environment: "testing",
      actor: { type: "api_token", name: "e2e" },
      team_id: json.user_group.team_id,
      changed: ["properties"],
      request_id: expect.any(String),
      before: { ...group, properties: { plan: "free" } },
      after: { ...group, properties: { plan: "pro" } },
    },
    { type: "user_group.token_rotated", changed: ["token"] },
    { type: "member.invited", environment: null, team_id: null },
  ]);
  expect(first.stdout).not.toMatch(/ugt_|fingerprint/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  expect(await print(settings, file)).toEqual({ code: 0, stdout: "", stderr: "" });
  await client.get("later");
  expect(linesIn((await print(settings, file)).stdout)).toMatchObject([{ provided_id: "later" }]);
  const full = await run("sh", ["-c", "./user-groups events > /dev/full"], { env: settings });
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENOSPC: no space left/) });
});

test("kill -9 between entries misses none, and SIGTERM ends the command cleanly", async ({
  start,
  createDatabase,
  folder,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const { url } = await start(settings);
  const client = clientOf(url, await insertApiToken(settings));
  await client.get("group");
  // With pauses, in which a busy machine can start the command.
  const load = keepDoing(4, async (lane, count) => {
    const { status, text } = await client.put("group", { properties: { lane, count } });
    if (status !== 200) throw new Error(text);
    await sleep(50);
  });
  const files = { output: path.join(folder, "lines"), cursor: path.join(folder, "cursor") };
  const place = () => readFile(files.cursor, "utf8").catch(() => "");
  for (let round = 0; round < 3; round++) {
    const before = await place();
    const child = follow(settings, files);
    // It has resumed and is about to print more.
    await expect.poll(place, { timeout: 60_000 }).not.toBe(before);
    const { length } = await linesOf(files.output);
    await expect.poll(async () => (await linesOf(files.output)).length).toBeGreaterThan(length);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await load.stop();
  const ids = await entryIds(settings.DATABASE_URL);
  const last = follow(settings, files);
  await expect.poll(async () => (await linesOf(files.output)).at(-1)?.id).toBe(ids.at(-1));
  last.kill("SIGTERM");
  expect(await once(last, "exit")).toEqual([0, null]);
  expect([...new Set(idsOf(await linesOf(files.output)))]).toEqual(ids);
});

test("it waits while the database is away, then continues", async ({ createDatabase, folder }) => {
  const direct = await createDatabase();
  const { way, url } = await wayTo(direct);
  const files = { output: path.join(folder, "lines"), cursor: path.join(folder, "cursor") };
  await noteOperator(direct);
  const child = follow({ DATABASE_URL: url, SECRET_KEY }, files);
  await expect.poll(async () => (await linesOf(files.output)).length).toBeGreaterThan(0);
  await way.cut();
  await expect.poll(() => readFile(`${files.output}.said`, "utf8")).toContain("The database is unavailable.");
  await noteOperator(direct);
  const ids = await entryIds(direct);
  await way.open();
  await expect.poll(async () => idsOf(await linesOf(files.output))).toEqual(ids);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  await way.cut();
});

test("a cursor whose entry is lost ends it with advice; one in a dropped month is reported and skipped", async ({
  createDatabase,
  folder,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  await noteOperator(settings.DATABASE_URL);
  const file = path.join(folder, "cursor");
  await print(settings, file);
  const [epoch, xid, id] = JSON.parse(await readFile(file, "utf8"));
  // As after a failover that lost it and reused its numbers for another entry.
  await writeFile(file, JSON.stringify([epoch, xid, id, "2026-01-01T00:00:00.000Z"]));
  await noteOperator(settings.DATABASE_URL);
  expect(await print(settings, file)).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`The entry at the position in ${file} is gone`),
  });
  await query(
    settings.DATABASE_URL,
    "INSERT INTO history_dropped (environment_id, epoch, xid, id, at) VALUES (0, $1, $2, $3::bigint + 1, '2026-01-02')",
    [epoch, xid, id],
  );
  const passed = await print(settings, file);
  expect(passed).toMatchObject({
    code: 0,
    stderr: "HISTORY_KEPT dropped entries before they were printed.\n",
  });
  expect(linesIn(passed.stdout)).toMatchObject([{ type: "member.invited" }]);
  await writeFile(file, "something else");
  expect(await print(settings, file)).toMatchObject({ code: 1, stderr: expect.stringContaining("Name another file") });
});
