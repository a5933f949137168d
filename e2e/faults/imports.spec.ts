import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { closePool, openPool } from "../../lib/db/pool";
import { purgeJobs } from "../../lib/jobs/service";
import { written } from "../fixtures/admin-client";
import { pagesOf } from "../fixtures/children";
import { browserOf } from "../fixtures/cookie-client";
import { dryRun, type ImportClient, read, settled, upload } from "../fixtures/jobs";
import { expect, OWNER, query, withOwner as test } from "../fixtures/own-service";
import { command } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";

/** Enough rows to leave time for an interruption. */
const GROUPS = 6_000;
const FILE = linesOf(GROUPS);

function linesOf(groups: number): string {
  return Array.from({ length: groups }, (_, n) => `{"user_group_id":"id-${n}","name":"Name ${n}"}\n`).join("");
}

/** Counts of the groups in a database and of their history. */
async function countsIn(url: string) {
  const [counts] = await query<{ groups: number; created: number; exact: number }>(
    url,
    `SELECT (SELECT count(*)::int FROM user_group) AS groups,
       (SELECT count(*)::int FROM audit_entry WHERE action LIKE 'user_group.%') AS created,
       (SELECT count(DISTINCT g.team_id)::int FROM user_group g JOIN audit_entry a USING (environment_id, team_id)
        WHERE action = 'user_group.created' AND after::json ->> 'name' = g.name) AS exact`,
  );
  return counts;
}

/** Calls from the owner's dashboard. */
async function clientOf(url: string): Promise<ImportClient & { cookie: string }> {
  const browser = browserOf(url);
  expect((await browser.signIn(OWNER)).status).toBe(200);
  return {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    get: (path, query) => browser.get(`/api/admin/${path}${written(query)}`),
    groups: (path, query) => browser.get(`/api/user-groups${path}${written(query)}`),
    post: (path, body) => browser.post(`/api/admin/${path}`, body),
    send: (method, path, body) => browser.send(method, path, body as object),
  };
}

/** Starts a command that will be interrupted. */
function begin(args: string[], settings: Record<string, string>) {
  const child = spawn("./user-groups", args, {
    env: environmentWith(settings),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { child, ended };
}

test("after kill -9 during an import, another instance finishes it, and every row is applied once", async ({
  start,
  settings,
}) => {
  const { DATABASE_URL } = settings;
  const first = await start(settings);
  const client = await clientOf(first.url);
  const { id, planned } = await dryRun(client, FILE, "many.jsonl");
  expect(planned.create).toBe(GROUPS);
  expect((await client.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(200);
  await expect.poll(async () => (await read(client, id)).done.created, { intervals: [20] }).toBeGreaterThan(0);
  first.killGroup("SIGKILL");
  await first.exited;
  const left = await countsIn(DATABASE_URL);
  expect(left?.groups).toBeLessThan(GROUPS);
  expect(left).toEqual({ groups: left?.groups, created: left?.groups, exact: left?.groups });
  const [at] = await query<{ created: number }>(DATABASE_URL, "SELECT created FROM job");
  expect(at?.created).toBe(left?.groups);

  const second = await start(settings);
  const again = await clientOf(second.url);
  expect(await settled(again, id)).toMatchObject({
    state: "done",
    done: { created: GROUPS, changed: 0, skipped: 0 },
  });
  expect(await countsIn(DATABASE_URL)).toEqual({ groups: GROUPS, created: GROUPS, exact: GROUPS });
  const outcomes = "SELECT outcome, count(*)::int FROM job_row GROUP BY outcome";
  expect(await query(DATABASE_URL, outcomes)).toEqual([{ outcome: "created", count: GROUPS }]);
});

test("rows that the database is slow to write are written in small batches", async ({ start, settings }) => {
  const { DATABASE_URL } = settings;
  const service = await start(settings);
  const client = await clientOf(service.url);
  const { id } = await dryRun(client, FILE.split("\n").slice(0, 200).join("\n"), "slow.jsonl");
  // A single statement for all would take 2 s, but none may exceed 0.9 s.
  await query(
    DATABASE_URL,
    `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END $$`,
  );
  await query(DATABASE_URL, "CREATE TRIGGER dawdle BEFORE INSERT ON user_group FOR EACH ROW EXECUTE FUNCTION dawdle()");
  expect((await client.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(200);
  expect(await settled(client, id)).toMatchObject({ state: "done", done: { created: 200, changed: 0, skipped: 0 } });
});

test("abandoned imports are cancelled after two days and removed seven days later", async ({ start, settings }) => {
  const { DATABASE_URL } = settings;
  const service = await start(settings);
  const client = await clientOf(service.url);
  const open = (await client.send("POST", "/api/jobs", { kind: "import", file_name: "open.csv", bytes: 180_001 })).json
    .job.id;
  const content = Buffer.alloc(180_000).toString("base64");
  expect((await client.send("PUT", `/api/jobs/${open}/pieces/0`, { content })).status).toBe(200);
  const { id } = await dryRun(client, FILE, "many.jsonl");
  const stored = async () => {
    const [counts] = await query(
      DATABASE_URL,
      `SELECT (SELECT count(*)::int FROM job WHERE state = 'cancelled') AS cancelled, (SELECT count(*)::int FROM job) AS imports,
         (SELECT count(*)::int FROM job_piece) AS pieces, (SELECT count(*)::int FROM job_row) AS rows`,
    );
    return counts;
  };
  openPool(DATABASE_URL, 1);
  try {
    await purgeJobs();
    expect(await stored()).toEqual({ cancelled: 0, imports: 2, pieces: 1, rows: GROUPS });
    await query(DATABASE_URL, "UPDATE job SET updated_at = now() - interval '49 hours'");
    await purgeJobs();
    expect(await stored()).toEqual({ cancelled: 2, imports: 2, pieces: 0, rows: GROUPS });
    expect((await client.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(409);
    await query(DATABASE_URL, "UPDATE job SET ended_at = now() - interval '169 hours'");
    await purgeJobs();
    expect(await stored()).toEqual({ cancelled: 0, imports: 0, pieces: 0, rows: 0 });
  } finally {
    await closePool();
  }
});

test("the command previews a file, applies it, and stops on SIGTERM", async ({ folder, start, settings }) => {
  const { DATABASE_URL } = settings;
  // The command migrates a new database, and also works alongside a running service.
  const file = path.join(folder, "groups.csv");
  await writeFile(file, 'user_group_id,name\na,"=1"\nb,B\nb,Again\n');
  const planned = await command(["import", file, "--environment", "testing", "--dry-run"], settings);
  expect(planned).toMatchObject({ code: 1, stderr: expect.stringContaining("Checked 3 rows") });
  expect(planned.stdout).toBe(
    'line 2: create "a"\nline 3: create "b"\nline 4: error "b": user_group_id is already in line 3: only the first row of an id counts\n' +
      "2 to create, 0 to change, 0 to delete, 0 unchanged, 1 with errors. Nothing was changed.\n",
  );
  expect((await countsIn(DATABASE_URL))?.groups).toBe(0);

  const service = await start(settings);
  const done = await command(["import", file], settings);
  expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining("Done 2 of 2") });
  expect(done.stdout).toContain("\ntesting: 2 created, 0 changed, 0 deleted, 0 unchanged, 0 skipped, 1 with errors.\n");
  expect(await countsIn(DATABASE_URL)).toEqual({ groups: 2, created: 2, exact: 2 });
  await writeFile(file, "user_group_id,name\na,A\nb,B\n");
  expect(await command(["import", file], settings)).toMatchObject({
    code: 0,
    stdout: "testing: 0 created, 1 changed, 0 deleted, 1 unchanged, 0 skipped, 0 with errors.\n",
  });
  await writeFile(file, "user_group_id,name\na,A\n");
  const sync = ["import", file, "--sync"];
  expect(await command([...sync, "--dry-run"], settings)).toMatchObject({
    code: 0,
    stdout:
      'not in the file: delete "b"\n0 to create, 0 to change, 1 to delete, 1 unchanged, 0 with errors. Nothing was changed.\n',
  });
  expect(await command(sync, settings)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("would delete 1 of 2 user groups, and max_deletions allows 0"),
  });
  expect(await command([...sync, "--max-deletions", "50%"], settings)).toMatchObject({
    code: 0,
    stdout: "testing: 0 created, 0 changed, 1 deleted, 1 unchanged, 0 skipped, 0 with errors.\n",
  });
  const empty = path.join(folder, "empty");
  await writeFile(empty, "");
  for (const [args, message] of [
    [[], "Give the FILE to import."],
    [[path.join(folder, "none")], "Cannot read the file"],
    [[folder], "is not a regular file"],
    [["/dev/null"], "is not a regular file"],
    [[empty], "is empty"],
    [[file, "--max-deletions", "3"], "--max-deletions needs --sync"],
    [[file, "--sync", "--max-deletions", "many"], "max_deletions must be a number of user groups"],
    [[file, "--environment", "nowhere"], 'Unknown environment "nowhere"'],
  ] as const) {
    expect(await command(["import", ...args], settings)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
  }

  const many = path.join(folder, "many.jsonl");
  await writeFile(many, linesOf(2 * GROUPS));
  const interrupted = begin(["import", many], settings);
  await expect.poll(async () => (await countsIn(DATABASE_URL))?.groups, { intervals: [20] }).toBeGreaterThan(1);
  interrupted.child.kill("SIGINT");
  const { code, stdout, stderr } = await interrupted.ended;
  expect(code, stderr).toBe(130);
  const counts = await countsIn(DATABASE_URL);
  const made = (counts?.groups ?? 0) - 1;
  expect(stdout).toBe(`Stopped after ${made} created, 0 changed, 0 deleted; ${2 * GROUPS - made} not done.\n`);
  expect(made).toBeLessThan(2 * GROUPS);
  await sleep(1_000);
  expect(await countsIn(DATABASE_URL)).toEqual(counts);

  // Before the import starts, as hashing a password would delay it.
  const client = await clientOf(service.url);
  const cancelled = begin(["import", many], settings);
  await expect
    .poll(async () => (await countsIn(DATABASE_URL))?.groups, { intervals: [20] })
    .toBeGreaterThan(counts?.groups ?? 0);
  const [{ id }] = (await client.send("GET", "/api/jobs")).json.jobs;
  const { done: before } = (await client.send("POST", `/api/jobs/${id}/cancel`, {})).json.job;
  expect(await cancelled.ended).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`the import was cancelled after ${before.created} created, 0 changed, 0 deleted.`),
  });
  const { json } = await client.groups("/history", { action: "user_groups.import_cancelled" });
  const fields = { file: "many.jsonl", changed: 0 };
  expect(json.entries).toMatchObject([
    { actor: { type: "member" }, after: { ...fields, created: before.created } },
    { actor: { type: "operator" }, after: { ...fields, created: made } },
  ]);
});

test("an export waits for a slow reader, and a database fault cuts it short", async ({ start, settings }) => {
  const { DATABASE_URL } = settings;
  const service = await start(settings);
  const { cookie } = await clientOf(service.url);
  const rows = 6_000;
  await query(
    DATABASE_URL,
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, 'bulk-' || n, 'Bulk', '{"text":"' || repeat(md5(n::text), 400) || '"}', sha256(n::text::bytea), '\\x00'
     FROM environment e, generate_series(1, $1::int) AS n WHERE slug = 'testing'`,
    [rows],
  );
  const begin = async (): Promise<IncomingMessage> => {
    const headers = { cookie, "x-environment": "testing" };
    const [response] = await once(get(`${service.url}/api/user-groups/export?format=jsonl`, { headers }), "response");
    expect(response.statusCode).toBe(200);
    return response;
  };
  (await begin()).destroy();
  const response = await begin();
  const [pages] = await pagesOf(service.pid);
  expect(pages).toBeDefined();
  // No one reads: the buffers between both ends hold less than 80 MB.
  await sleep(1_000);
  await query(DATABASE_URL, "ALTER TABLE user_group RENAME COLUMN mapping TO elsewhere");
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
  });
  const end = await new Promise((resolve) => {
    response.on("end", () => resolve("end"));
    response.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  expect(end).toBe("ECONNRESET");
  expect(text.split("\n").length).toBeGreaterThan(1);
  expect(text.split("\n").length).toBeLessThan(rows);
  // A client that left is not logged.
  const lines = async () => (await readFile(service.log, "utf8")).split("a response was cut short").length - 1;
  await expect.poll(lines).toBe(1);
});

for (const [fileName, content] of [
  ["groups.csv", `user_group_id\na\n${"\n".repeat(5_000_000)}b\n`],
  ["groups.csv", `user_group_id,name\na,b\n${",\r\n".repeat(1_600_000)}`],
  ["groups.jsonl", `{"user_group_id":"a"}\n${"\n".repeat(5_000_000)}`],
] as const) {
  test(`5 MB of blank lines (${fileName}, ${JSON.stringify(content.slice(-2))}) delay no other request`, async ({
    start,
    settings,
  }) => {
    const service = await start(settings);
    const client = await clientOf(service.url);
    const { id } = await upload(client, fileName, content);
    let slowest = 0;
    for (const begin = performance.now(); ; ) {
      const asked = performance.now();
      const { state, problem } = await read(client, id);
      slowest = Math.max(slowest, performance.now() - asked);
      if (state !== "checking") {
        expect({ state, problem }).toEqual({
          state: "failed",
          problem: "The file has more than 200,000 rows, including blank ones. Split it.",
        });
        break;
      }
      expect(performance.now() - begin).toBeLessThan(20_000);
      await sleep(20);
    }
    // The pages process keeps answering while it checks the file.
    expect(slowest).toBeLessThan(1_000);
  });
}
