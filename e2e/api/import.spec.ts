import type { Scope } from "@/lib/authority/scopes";
import { jobList } from "@/lib/jobs/schema";
import { type AdminClient, adminClient, adminElsewhere, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { apply, dryRun, exported, read, rowsOf, settled, upload } from "../fixtures/jobs";

/** An environment's groups without their times, in any order. */
async function contents(client: AdminClient): Promise<string[]> {
  const text = await exported(client, { format: "jsonl" });
  const lines = text.split("\n").map((line) => line.replace(/,"created_at":.*/, ""));
  return lines.slice(0, -1).sort();
}

const PIECES = `
  SELECT n FROM job_piece p JOIN job i ON i.id = p.job_id JOIN environment e ON e.id = i.environment_id WHERE slug = $1`;

const entriesOf = (database: Database, environment: string) =>
  database.query(
    `SELECT a.action, a.actor_name, a.request_id, a.before::json ->> 'name' AS before, a.after::json ->> 'name' AS after
     FROM audit_entry a JOIN environment e ON e.id = a.environment_id WHERE slug = $1 AND team_id IS NOT NULL ORDER BY a.id`,
    [environment],
  );

test("a dry run shows each row's outcome and changes nothing; applied, a second dry run finds nothing to do", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  const properties = { plan: "free", seats: 1 };
  const kept = await makeGroup(client, "kept", { name: "Kept", mapping: { 40: "213" }, properties });
  await makeGroup(client, "changed", { name: "Before", mapping: { 40: "213" }, properties });
  await makeGroup(client, "cleared", { properties });
  const csv = [
    "user_group_id,name,mapping,properties",
    "kept,,,",
    'changed,After,,"{""plan"": ""pro""}"',
    "cleared,,,null",
    'new,,"{""40"":""7""}",',
    "new,Twice,,",
    'broken,"",[1],"{""a"":1,""a"":2}"',
    ",Nameless,,",
  ].join("\n");
  const before = await contents(client);
  const checked = await dryRun(client, csv);
  expect(checked).toMatchObject({
    state: "checked",
    name: "groups.csv",
    by: client.member.name,
    problem: null,
    read: 1,
    planned: { create: 1, change: 2, same: 1, delete: 0, restore: 0, error: 3 },
    done: { created: 0, changed: 0, deleted: 0, restored: 0, skipped: 0 },
  });
  const was = { mapping: '{"40":"213"}', properties: JSON.stringify(properties) };
  const rows = await rowsOf(client, checked.id);
  expect(rows.map(({ line, outcome, before, after }) => [line, outcome, before, after])).toEqual([
    [2, "same", null, null],
    [3, "change", { name: "Before", ...was }, { name: "After", ...was, properties: '{"plan":"pro"}' }],
    [4, "change", { name: "cleared", ...was, mapping: "{}" }, { name: "cleared", mapping: "{}", properties: null }],
    [5, "create", null, { name: "new", mapping: '{"40":"7"}', properties: null }],
    [6, "error", null, null],
    [7, "error", null, null],
    [8, "error", null, null],
  ]);
  expect(
    rows
      .slice(4)
      .map(({ provided_id, issues }) => [provided_id, issues.map(({ path, message }) => [...path, message].join(" "))]),
  ).toEqual([
    ["new", ["user_group_id is already in line 5: only the first row of an id counts"]],
    ["broken", [expect.stringMatching(/^properties .*duplicate/), expect.stringMatching(/^mapping must be/)]],
    [null, ["user_group_id is required"]],
  ]);
  expect((await rowsOf(client, checked.id, { outcome: "change" })).map(({ line }) => line)).toEqual([3, 4]);
  expect(await contents(client)).toEqual(before);

  const applied = await apply(client, checked.id);
  expect(applied).toMatchObject({ state: "done", done: { created: 1, changed: 2, skipped: 0 } });
  expect(await contents(client)).toEqual([
    '{"user_group_id":"changed","name":"After","mapping":{"40":"213"},"properties":{"plan":"pro"}',
    '{"user_group_id":"cleared","name":"cleared","mapping":{},"properties":null',
    '{"user_group_id":"kept","name":"Kept","mapping":{"40":"213"},"properties":{"plan":"free","seats":1}',
    '{"user_group_id":"new","name":"new","mapping":{"40":"7"},"properties":null',
  ]);
  const entries = await entriesOf(database, client.environment);
  expect(entries.slice(3).map(({ action, before, after, actor_name }) => [action, before, after, actor_name])).toEqual([
    ["user_group.updated", "Before", "After", client.member.name],
    ["user_group.updated", "cleared", "cleared", client.member.name],
    ["user_group.created", null, "new", client.member.name],
  ]);
  expect(new Set(entries.slice(3).map(({ request_id }) => request_id)).size).toBe(1);
  const token = await client.user("GET", { user_group_id: "kept" });
  expect(token.json.user_group.token).toBe(kept.token);
  const report = await client.send("GET", `/api/jobs/${applied.id}/failed`);
  expect(report.headers["content-disposition"]).toBe(
    `attachment; filename="job-${client.environment}-${applied.id}-failed.csv"`,
  );
  expect(report.text.split("\r\n").slice(0, 2)).toEqual([
    "line,user_group_id,outcome,field,message",
    "6,new,error,user_group_id,is already in line 5: only the first row of an id counts",
  ]);
  expectError(await client.send("POST", `/api/jobs/${applied.id}/apply`, {}), 409, "conflict");
  expectError(await client.send("POST", `/api/jobs/${applied.id}/cancel`, {}), 409, "conflict");

  expect(await dryRun(client, csv)).toMatchObject({ planned: { create: 0, change: 0, same: 4, error: 3 } });
  const { json } = await client.groups("/history", { action: "user_groups.imported" });
  expect(json.entries[0].after).toEqual({ file: "groups.csv", creates: 1, changes: 2 });
});

test("a row that repeats a refused row's id is refused too", async ({ database }) => {
  const client = await adminElsewhere(database);
  const checked = await dryRun(client, "user_group_id,name,mapping\ntwice,First,{bad\ntwice,Second,");
  expect(checked).toMatchObject({ state: "checked", planned: { create: 0, error: 2 } });
  const [, second] = await rowsOf(client, checked.id);
  expect(second?.issues[0]?.message).toBe("is already in line 2: only the first row of an id counts");
});

test("spreadsheet artefacts are understood, and an id that a spreadsheet may have changed is a warning", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  await makeGroup(client, "1.5E+10");
  const lines = [
    "a,Ada,,",
    "4.9E+12,,,",
    '"4,90E+12",,',
    "1.5E+10,Kept,,,",
    "#NAME?,,,",
    "2-Jan,,,",
    "4e12,,,",
    "b,,,stray",
  ];
  const csv = ["sep=,", "user_group_id,name,,", ...lines, ",,,"].join("\r\n");
  const { id } = await dryRun(client, Buffer.from(`\uFEFF${csv}`));
  const rows = await rowsOf(client, id);
  const warned = [{ path: ["user_group_id"], message: expect.stringContaining("format the column as text") }];
  expect(rows.map(({ line, outcome, provided_id, warnings }) => [line, outcome, provided_id, warnings])).toEqual([
    [3, "create", "a", undefined],
    [4, "create", "4.9E+12", warned],
    [5, "create", "4,90E+12", warned],
    [6, "change", "1.5E+10", undefined],
    [7, "create", "#NAME?", warned],
    [8, "create", "2-Jan", warned],
    [9, "create", "4e12", undefined],
    [10, "error", null, undefined],
  ]);
  expect(rows.at(-1)?.issues[0]?.message).toContain("has “stray” in column D");
});

test("a group changed, created or deleted since the dry run is left alone", async ({ database }) => {
  const client = await adminElsewhere(database);
  for (const id of ["theirs", "gone", "mine"]) await makeGroup(client, id);
  const lines = ["theirs", "gone", "mine", "racing"].map((id) => `{"user_group_id":"${id}","name":"Imported"}`);
  const checked = await dryRun(client, lines.join("\n"), "groups.jsonl");
  expect(checked.planned).toEqual({ create: 1, change: 3, same: 0, delete: 0, restore: 0, error: 0 });
  expect((await client.user("PUT", { user_group_id: "theirs", name: "Theirs" })).status).toBe(200);
  expect((await client.user("DELETE", { user_group_id: "gone" })).status).toBe(200);
  await makeGroup(client, "racing", { name: "First" });
  expect(await apply(client, checked.id)).toMatchObject({
    state: "done",
    done: { created: 0, changed: 1, skipped: 3 },
  });
  expect(
    (await rowsOf(client, checked.id, { outcome: "skipped" })).map(({ provided_id, issues }) => [
      provided_id,
      issues[0]?.message,
    ]),
  ).toEqual([
    ["theirs", "was changed by someone else in the meantime, and was left unchanged"],
    ["gone", "was deleted or renamed in the meantime"],
    ["racing", "was created or renamed by someone else in the meantime, and was left unchanged"],
  ]);
  expect((await contents(client)).map((line) => /"name":"(\w+)"/.exec(line)?.[1])).toEqual([
    "Imported",
    "First",
    "Theirs",
  ]);
});

test("a merging import keeps the members that its rows omit", async ({ database }) => {
  const client = await adminElsewhere(database);
  await makeGroup(client, "a", {
    properties: { seats: 1, plan: "free", limits: { rows: 1 } },
    mapping: { 40: "1", 41: "2" },
  });
  const rows = [
    '{"user_group_id":"a","properties":{"plan":"pro","limits":{"columns":2}},"mapping":{"41":null}}',
    '{"user_group_id":"b","properties":{"plan":"pro","gone":null}}',
  ];
  expect((await client.user("PATCH", { user_group_id: "a", properties: { seats: 2 } })).status).toBe(200);
  const { id } = await dryRun(client, rows.join("\n"), "groups.jsonl", { merge: true });
  expect(await apply(client, id)).toMatchObject({ done: { changed: 1, created: 1 } });
  expect((await contents(client)).map((line) => /"properties":(\{.*?\}+)/.exec(line)?.[1])).toEqual([
    '{"seats":2,"plan":"pro","limits":{"columns":2}}',
    '{"plan":"pro"}',
  ]);
  expect((await contents(client))[0]).toContain('"mapping":{"40":"1"}');
});

test("an export restores byte for byte into an empty environment, in either format", async ({ database }) => {
  const client = await adminElsewhere(database);
  const odd = ["=1+1", "'=1+1", "'-", "@x", "+", "ümläut 😀", 'say "x", ok', "＝wide", "a;b", "a;=1", `;"=1`, "a;'=1"];
  for (const id of odd) await makeGroup(client, id, { name: `-${id}`, properties: { [id]: id } });
  const exact =
    '{"user_group_id":"exact","mapping":{"40":"213","__proto__":{"a":[1.50,1e2]}},"properties":{"\\u0062":null,"a":"\\u2028 \u2028"}}';
  expect((await client.send("GET", "/api/user", exact)).status).toBe(200);
  const before = await contents(client);
  expect(before).toHaveLength(odd.length + 1);
  for (const format of ["csv", "jsonl"]) {
    const file = await exported(client, { format });
    const other = client.in(await createEnvironment(database));
    const { id, planned } = await dryRun(other, file, `all.${format}`);
    expect(planned).toEqual({ create: before.length, change: 0, same: 0, delete: 0, restore: 0, error: 0 });
    expect((await apply(other, id)).state).toBe("done");
    expect(await contents(other)).toEqual(before);
    expect((await dryRun(client, file)).planned).toEqual({
      create: 0,
      change: 0,
      same: before.length,
      delete: 0,
      restore: 0,
      error: 0,
    });
  }
});

test("an unreadable file fails with a reason, and a cancelled import is closed", async ({ database }) => {
  const client = await adminElsewhere(database);
  expect(await dryRun(client, "name\nx\n")).toMatchObject({
    state: "failed",
    problem: "The first line must name a user_group_id column.",
  });
  expect(await dryRun(client, Buffer.from("user_group_id\n\xfc", "latin1"))).toMatchObject({
    state: "failed",
    problem: expect.stringContaining("is not UTF-8"),
  });
  expect(await dryRun(client, Buffer.from("user_group_id\nname\n", "utf16le"))).toMatchObject({
    state: "failed",
    problem: "The file contains NUL characters, as UTF-16 files do. Save it as UTF-8.",
  });
  expect(await database.query(PIECES, [client.environment])).toEqual([]);
  const { id } = await dryRun(client, '{"user_group_id":"never"}');
  const twice = expectError(await client.send("POST", `/api/jobs/${id}/cancel`, { id: 1 }), 422, "invalid_fields");
  expect(twice.json.error.issues).toEqual([{ path: ["id"], message: "is in the path already" }]);
  expect((await client.send("POST", `/api/jobs/${id}/cancel`, {})).json.job.state).toBe("cancelled");
  expectError(await client.send("POST", `/api/jobs/${id}/apply`, {}), 409, "conflict");
  expect(await contents(client)).toEqual([]);
  // Cancelled jobs leave no history entry.
  const { json } = await client.groups("/history", { action: "user_groups.import_cancelled" });
  expect(json.entries).toEqual([]);
});

test("a file of two pieces has no third one, and is deleted when the import is cancelled", async ({ database }) => {
  const client = await adminElsewhere(database);
  const { id } = (await client.send("POST", "/api/jobs", { kind: "import", file_name: "even.csv", bytes: 360_000 }))
    .json.job;
  const send = (n: number, bytes: number) =>
    client.send("PUT", `/api/jobs/${id}/pieces/${n}`, {
      content: Buffer.alloc(bytes, "x").toString("base64"),
    });
  expect((await send(0, 180_000)).json.job.state).toBe("receiving");
  expectError(await send(2, 0), 422, "invalid_fields");
  expect(await database.query(PIECES, [client.environment])).toEqual([{ n: 0 }]);
  expect((await client.send("POST", `/api/jobs/${id}/cancel`, {})).json.job.state).toBe("cancelled");
  expect(await database.query(PIECES, [client.environment])).toEqual([]);
  expectError(await send(1, 180_000), 409, "conflict");
});

test("pieces may come twice and in any order, and must fit", async ({ database }) => {
  const client = await adminElsewhere(database);
  const content = `user_group_id,name\n${Array.from({ length: 12_000 }, (_, n) => `id-${n},${"x".repeat(20)}\n`).join("")}`;
  const bytes = Buffer.from(content);
  const created = (
    await client.send("POST", "/api/jobs", { kind: "import", file_name: "two.csv", bytes: bytes.length })
  ).json.job;
  const send = (n: number, part: Buffer) =>
    client.send("PUT", `/api/jobs/${created.id}/pieces/${n}`, { content: part.toString("base64") });
  const [first, second] = [bytes.subarray(0, 180_000), bytes.subarray(180_000)];
  expectError(await send(0, second), 422, "invalid_fields");
  expectError(await send(2, second), 422, "invalid_fields");
  for (const [n, part] of [
    [1, second],
    [1, second],
  ] as const)
    expect((await send(n, part)).json.job.state).toBe("receiving");
  expect((await send(0, first)).json.job.state).toBe("checking");
  expectError(await send(0, second), 422, "invalid_fields");
  expect((await send(0, first)).status).toBe(200);
  expect((await settled(client, created.id)).planned.create).toBe(12_000);
  expect((await send(1, second)).json.job.state).toBe("checked");
  await client.send("POST", `/api/jobs/${created.id}/cancel`, {});
  expectError(await send(1, second), 409, "conflict");
  expectError(
    await client.send("POST", "/api/jobs", { kind: "import", file_name: "x", bytes: 67_108_865 }),
    422,
    "invalid_fields",
  );
});

test("only the caller that began an import sends its file, whatever others may do", async ({ database, stage }) => {
  const client = await adminElsewhere(database);
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const scopes: Scope[] = ["groups:read", "groups:write"];
  const token = await insertApiToken(settings, { environment: client.environment, scopes });
  await makeGroup(client, "kept");
  const sync = { kind: "import", file_name: "x.jsonl", bytes: 24, mode: "sync", max_deletions: "100%" };
  const { id } = (await client.send("POST", "/api/jobs", sync)).json.job;
  const body = (user_group_id: string) => ({
    content: Buffer.from(JSON.stringify({ user_group_id })).toString("base64"),
  });
  const path = `/api/jobs/${id}/pieces/0`;
  // This token must not delete, but the file would.
  const refused = expectError(await call("PUT", path, { token, body: body("evil") }), 409, "conflict");
  expect(refused.json.error.message).toContain("the caller that began it");
  const colleague = (await adminClient(database)).in(client.environment);
  expectError(await colleague.send("PUT", path, body("evil")), 409, "conflict");
  expect((await client.send("PUT", path, body("kept"))).status).toBe(200);
  expect(await settled(client, id)).toMatchObject({ state: "checked", planned: { same: 1, delete: 0, create: 0 } });
});

test("imports belong to one environment, and the number of open ones is limited", async ({ database }) => {
  const client = await adminElsewhere(database);
  const other = client.in(await createEnvironment(database));
  const { id } = await upload(client, "x.csv", "user_group_id\nx\n");
  for (const path of ["", "/rows", "/failed"]) {
    expectError(await other.send("GET", `/api/jobs/${id}${path}`), 404, "not_found");
  }
  for (const verb of ["apply", "cancel"])
    expectError(await other.send("POST", `/api/jobs/${id}/${verb}`, {}), 404, "not_found");
  for (let n = 1; n < 10; n++) await client.send("POST", "/api/jobs", { kind: "import", file_name: "x", bytes: 1 });
  expectError(await client.send("POST", "/api/jobs", { kind: "import", file_name: "x", bytes: 1 }), 409, "conflict");
  expect(jobList.parse((await client.send("GET", "/api/jobs")).json).jobs).toHaveLength(10);
  const ended = `INSERT INTO job (environment_id, kind, name, mode, bytes, state, ended_at, actor_type, actor_name)
    SELECT environment_id, kind, 'ended', mode, bytes, 'cancelled', now(), actor_type, actor_name
    FROM job, generate_series(1, 20) WHERE id = $1`;
  await database.query(ended, [id]);
  const { jobs } = jobList.parse((await client.send("GET", "/api/jobs")).json);
  expect(jobs.map(({ state }) => state === "cancelled")).toEqual([...Array(10).fill(false), ...Array(10).fill(true)]);
  expect((await other.send("GET", "/api/jobs")).json.jobs).toEqual([]);
  expect((await read(client, id)).name).toBe("x.csv");
});
