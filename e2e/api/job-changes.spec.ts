import { type Job, jobAnswer } from "@/lib/jobs/schema";
import { type AdminClient, adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { holdingLock } from "../fixtures/hold";
import { apply, read, rowsOf, settled } from "../fixtures/jobs";

async function place(database: Database, ids: string[] = [], fields: object = {}): Promise<AdminClient> {
  const client = await adminElsewhere(database);
  for (const id of ids) await makeGroup(client, id, fields);
  return client;
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `g-${n}`);

/** Inserts groups without usable tokens. */
async function insertGroups(database: Database, { environment }: AdminClient, count: number) {
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, 'g-' || n, 'G ' || n, '{"n":' || n || '}', sha256(($1 || n)::bytea), '' FROM environment e, generate_series(0, $2 - 1) AS n WHERE slug = $1`,
    [environment, count],
  );
}

async function begin(client: Pick<AdminClient, "send">, change: object): Promise<Job> {
  const answer = await client.send("POST", "/api/jobs", { kind: "change", ...change });
  expect(answer.status, answer.text).toBe(200);
  return settled(client, jobAnswer.parse(answer.json).job.id);
}

async function undo(client: AdminClient, id: number): Promise<Job> {
  const answer = await client.send("POST", `/api/jobs/${id}/undo`, { apply: true });
  expect(answer.status, answer.text).toBe(200);
  return settled(client, jobAnswer.parse(answer.json).job.id);
}

const stored = (database: Database, { environment }: AdminClient) =>
  database.query(
    `SELECT provided_id AS id, mapping, properties, g.state, encode(token_index, 'hex') AS token FROM user_group g
     JOIN environment e ON e.id = environment_id WHERE slug = $1 ORDER BY team_id`,
    [environment],
  );

/** The history's entries of one action. */
const recorded = async (client: AdminClient, action: string) =>
  (await client.groups("/history", { action, limit: 200 })).json.entries.length;

const CHANGES: [change: object, done: object][] = [
  [{ mode: "set", properties: { only: 1.5 } }, { properties: '{"only":1.5}' }],
  [
    { mode: "merge", mapping: { 40: "2" }, properties: { plan: "pro", x: null } },
    { mapping: '{"40":"2"}', properties: '{"Plan":1.0,"plan":"pro"}' },
  ],
  [{ mode: "rename", properties: { Plan: "tier" } }, { properties: '{"tier":1.0,"x":null}' }],
  [
    { mode: "remove", mapping: ["40"], properties: ["Plan", "none"] },
    { mapping: "{}", properties: '{"x":null}' },
  ],
  [{ mode: "set", properties: null }, { properties: null }],
  [{ mode: "suspend", reason: "Unpaid" }, { state: "suspended" }],
];

for (const [change, after] of CHANGES) {
  test(`a change is checked, applied and undone exactly: ${JSON.stringify(change)}`, async ({ database }) => {
    const client = await place(database);
    const body = '{"user_group_id":"a","mapping":{"40":"1"},"properties":{"Plan":1.0,"x":null}}';
    expect((await client.send("GET", "/api/user", body)).status).toBe(200);
    const before = await stored(database, client);
    const checked = await begin(client, { ...change, user_group_ids: ["a", "nobody", "a"] });
    expect(checked).toMatchObject({ state: "checked", planned: { change: 1, error: 1 }, can_apply: true, left: 1 });
    expect(await stored(database, client)).toEqual(before);
    const done = await apply(client, checked.id);
    expect(done).toMatchObject({ state: "done", done: { changed: 1, skipped: 0 }, left: 0, can_undo: true });
    expect(await stored(database, client)).toMatchObject([after]);
    // Applying or starting it again does nothing.
    expectError(await client.send("POST", `/api/jobs/${done.id}/apply`, {}), 409, "conflict");
    expect(await begin(client, { ...change, user_group_ids: ["a"], apply: true })).toMatchObject({
      state: "done",
      planned: { change: 0, same: 1 },
      can_undo: false,
    });
    expect(await undo(client, done.id)).toMatchObject({ state: "done", done: { changed: 1 } });
    expect(await stored(database, client)).toEqual(before);
    // After a second undo nothing remains to do.
    expect(await undo(client, done.id)).toMatchObject({ state: "done", planned: { same: 1, change: 0, error: 0 } });
  });
}

test("deleted groups return with their tokens, and resumed ones are suspended again", async ({ database }) => {
  const client = await place(database, names(3));
  const before = await stored(database, client);
  const { id, done } = await begin(client, { mode: "delete", where: {}, apply: true });
  expect(done).toMatchObject({ deleted: 3, skipped: 0 });
  expect(await stored(database, client)).toEqual([]);
  const undone = await undo(client, id);
  expect(undone).toMatchObject({ done: { restored: 3 } });
  const again = expectError(await client.send("POST", `/api/jobs/${undone.id}/undo`, {}), 409, "conflict");
  expect(again.json.error.message).toBe("The job was not undone: nothing that it did can be undone.");
  expect(await stored(database, client)).toEqual(before);
  expect(await undo(client, id)).toMatchObject({ planned: { error: 3, restore: 0 } });
  await begin(client, { mode: "suspend", where: { search: "g-1" }, apply: true });
  const resumed = await begin(client, { mode: "resume", where: { state: "suspended" }, apply: true });
  expect(resumed).toMatchObject({ done: { changed: 1 } });
  expect(await undo(client, resumed.id)).toMatchObject({ done: { changed: 1 } });
  expect((await stored(database, client)).map(({ state }) => state)).toEqual(["active", "suspended", "active"]);
});

test("an undo restores no group that others have restored and deleted again, or with a reserved id", async ({
  database,
}) => {
  const client = await place(database, names(4));
  const { id } = await begin(client, { mode: "delete", user_group_ids: names(4), apply: true });
  const deleteAgain = async (user_group_id: string) => {
    expect((await client.act("restore", { user_group_id })).status).toBe(200);
    expect((await client.user("DELETE", { user_group_id })).status).toBe(200);
  };
  await deleteAgain("g-1");
  const begun = await client.send("POST", `/api/jobs/${id}/undo`, {});
  const checked = await settled(client, jobAnswer.parse(begun.json).job.id);
  expect(checked.planned).toMatchObject({ restore: 3, error: 1 });
  const [refused] = await rowsOf(client, checked.id, { outcome: "error" });
  const message = "was restored since, and deleted again";
  expect(refused).toMatchObject({ provided_id: "g-1", issues: [{ message }] });
  await deleteAgain("g-2");
  await makeGroup(client, "g-3");
  expect((await client.user("PATCH", { user_group_id: "g-3", new_user_group_id: "renamed" })).status).toBe(200);
  expect(await apply(client, checked.id)).toMatchObject({ done: { restored: 1, skipped: 2 } });
  const skipped = await rowsOf(client, checked.id, { outcome: "skipped" });
  expect(skipped.map(({ issues }) => issues[0]?.message)).toEqual([
    "was restored or erased in the meantime",
    "another user group has its id now, or had it recently",
  ]);
  expect((await stored(database, client)).map((group) => group.id)).toEqual(["g-0", "renamed"]);
});

test("concurrent jobs that delete and undo in different orders delete and restore each group once", async ({
  database,
}) => {
  const ids = names(8);
  const client = await place(database, ids);
  const before = await stored(database, client);
  const removal = { mode: "delete", apply: true };
  const jobs = await Promise.all(
    [ids, ids.toReversed()].map((user_group_ids) => begin(client, { ...removal, user_group_ids })),
  );
  const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);
  expect(sum(jobs.map(({ done }) => done.deleted))).toBe(8);
  expect(await stored(database, client)).toEqual([]);
  const undone = await Promise.all(jobs.filter(({ can_undo }) => can_undo).map(({ id }) => undo(client, id)));
  expect(sum(undone.map(({ done }) => done.restored))).toBe(8);
  expect(await stored(database, client)).toEqual(before);
});

test("a rotation job gives each group one new token, shows none and cannot be undone", async ({ database }) => {
  const client = await place(database, names(3));
  const before = await stored(database, client);
  const first = await begin(client, { mode: "rotate", user_group_ids: ["g-0"], overlap_seconds: 600, apply: true });
  expect(first).toMatchObject({ done: { changed: 1 } });
  const job = await begin(client, { mode: "rotate", user_group_ids: names(3), overlap_seconds: 600, apply: true });
  expect(job).toMatchObject({ done: { changed: 2, skipped: 1 }, can_undo: false });
  const after = await stored(database, client);
  expect(after.filter(({ token }, n) => token === before[n]?.token)).toEqual([]);
  const text = JSON.stringify([job, await rowsOf(client, job.id)]);
  expect(text).toContain("has an earlier token that still works");
  expect(text).not.toContain("ugt_");
  expect(await recorded(client, "user_group.token_rotated")).toBe(3);
  expectError(await client.send("POST", `/api/jobs/${job.id}/undo`, {}), 409, "conflict");
});

test("an undo restores the members that the job changed, and keeps others' changes", async ({ database }) => {
  const client = await place(database);
  const body = '{"user_group_id":"a","properties":{"seats":1,"\\u0070lan":1.0,"old":{"x":1}}}';
  expect((await client.send("GET", "/api/user", body)).status).toBe(200);
  const change = { user_group_ids: ["a"], apply: true };
  const merged = await begin(client, { ...change, mode: "merge", properties: { plan: "pro", tier: 1, old: null } });
  await client.user("PATCH", { user_group_id: "a", properties: { seats: 1_000, tags: [] } });
  await client.user("PATCH", { user_group_id: "a", mapping: { 40: "1" } });
  expect(await undo(client, merged.id)).toMatchObject({ done: { changed: 1 }, planned: { error: 0 } });
  expect(await stored(database, client)).toMatchObject([
    { mapping: '{"40":"1"}', properties: '{"seats":1000,"\\u0070lan":1.0,"tags":[],"old":{"x":1}}' },
  ]);
});

test("an undo keeps groups changed or used since, and lists each with its reason", async ({ database, stage }) => {
  const client = await place(database, ["theirs", "ours", "gone"], { properties: { plan: "free" } });
  const file = ["fresh", "used", "edited", "placed"].map((id) => `{"user_group_id":"${id}"}\n`).join("");
  const created = await client.send("POST", "/api/jobs", {
    kind: "import",
    file_name: "new.jsonl",
    bytes: file.length,
  });
  const { id: importId } = created.json.job;
  await client.send("PUT", `/api/jobs/${importId}/pieces/0`, { content: Buffer.from(file).toString("base64") });
  await settled(client, importId);
  expect(await apply(client, importId)).toMatchObject({ done: { created: 4 }, can_undo: true });
  const origins = { user_group_id: "placed", allowed_origins: ["https://app.example.com"] };
  expect((await client.send("PUT", "/api/user-groups/allowed-origins", origins)).status).toBe(200);
  const { token } = (await client.user("GET", { user_group_id: "used" })).json.user_group;
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const renderer = await insertApiToken(settings, { environment: client.environment, scopes: ["viewers:ask"] });
  expect((await call("POST", "/api/viewer", { token: renderer, body: { token } })).json.active).toBe(true);
  const used =
    "SELECT FROM group_use u JOIN user_group g USING (team_id) WHERE provided_id = 'used' AND last_used_at > '-infinity'";
  await expect.poll(async () => (await database.query(used)).length).toBe(1);
  await client.user("PUT", { user_group_id: "edited", name: "Edited" });
  const undone = await undo(client, importId);
  expect(undone).toMatchObject({ done: { deleted: 1 }, planned: { error: 3 } });
  const reasons = async (id: number) =>
    Object.fromEntries(
      (await rowsOf(client, id, { outcome: "error" })).map((row) => [row.provided_id, row.issues[0]?.message]),
    );
  expect(await reasons(undone.id)).toEqual({
    used: "was used since, and is kept",
    edited: "was changed since, and is kept",
    placed: "was changed since, and is kept",
  });
  expect((await client.send("GET", "/api/user-groups/deleted")).json.user_groups).toMatchObject([
    { provided_id: "fresh" },
  ]);

  const changed = await begin(client, {
    mode: "merge",
    properties: { plan: "pro" },
    user_group_ids: ["theirs", "ours", "gone"],
    apply: true,
  });
  await client.user("PATCH", { user_group_id: "theirs", properties: { plan: "gold" } });
  await client.user("DELETE", { user_group_id: "gone" });
  const back = await undo(client, changed.id);
  expect(back).toMatchObject({ done: { changed: 1 }, planned: { error: 2 } });
  expect(await reasons(back.id)).toEqual({
    theirs: "was changed since, and is left unchanged",
    gone: "was deleted since",
  });
});

test("an undo leaves groups alone that were suspended or resumed since", async ({ database }) => {
  const client = await place(database, names(2));
  const { id } = await begin(client, { mode: "suspend", user_group_ids: names(2), apply: true });
  for (const verb of ["resume", "suspend"] as const) await client.act(verb, { user_group_id: "g-0" });
  // As when the job was cancelled before them, and continued after.
  await database.query("UPDATE job SET ended_at = now() WHERE id = $1", [id]);
  const undone = await undo(client, id);
  expect(undone).toMatchObject({ done: { changed: 1 }, planned: { error: 1 } });
  const [refused] = await rowsOf(client, undone.id, { outcome: "error" });
  expect(refused?.issues[0]?.message).toBe("was suspended or resumed since");
  expect((await stored(database, client)).map(({ state }) => state)).toEqual(["suspended", "active"]);
});

test("a job for unused groups leaves a group alone that was used since its check", async ({ database, stage }) => {
  const client = await place(database, names(2));
  const checked = await begin(client, { mode: "suspend", where: { used: "never" } });
  const { token } = (await client.user("GET", { user_group_id: "g-0" })).json.user_group;
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const renderer = await insertApiToken(settings, { environment: client.environment, scopes: ["viewers:ask"] });
  expect((await call("POST", "/api/viewer", { token: renderer, body: { token } })).json.active).toBe(true);
  const used = `SELECT FROM group_use u JOIN environment e ON e.id = environment_id
    WHERE slug = $1 AND last_used_at > '-infinity'`;
  await expect.poll(async () => (await database.query(used, [client.environment])).length).toBe(1);
  expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 1, skipped: 1 } });
  const [skipped] = await rowsOf(client, checked.id, { outcome: "skipped" });
  expect(skipped).toMatchObject({
    provided_id: "g-0",
    issues: [{ message: "was used in the meantime, and was left unchanged" }],
  });
});

test("named groups are changed in their current state, filtered ones only as checked", async ({ database }) => {
  const client = await place(database, ["a", "b"], { properties: { plan: "free" } });
  const change = { mode: "merge", properties: { tier: 1 } };
  const named = await begin(client, { ...change, user_group_ids: ["a"] });
  const matching = await begin(client, { ...change, where: { filter: ['plan:is:"free"'] } });
  for (const user_group_id of ["a", "b"]) await client.user("PATCH", { user_group_id, properties: { plan: "pro" } });
  expect(await apply(client, named.id)).toMatchObject({ done: { changed: 1 } });
  expect(await apply(client, matching.id)).toMatchObject({ done: { changed: 0, skipped: 2 } });
  expect((await stored(database, client)).map(({ properties }) => properties)).toEqual([
    '{"plan":"pro","tier":1}',
    '{"plan":"pro"}',
  ]);
});

test("a job suspends the other groups when the first one is suspended already", async ({ database }) => {
  const client = await place(database, names(3));
  const checked = await begin(client, { mode: "suspend", user_group_ids: names(3) });
  expect((await client.act("suspend", { user_group_id: "g-0" })).status).toBe(200);
  expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 2, skipped: 0 }, planned: { same: 1 } });
  expect((await stored(database, client)).map(({ state }) => state)).toEqual(Array(3).fill("suspended"));
  expect(await recorded(client, "user_group.suspended")).toBe(3);
});

test("a group that a rename or an undo would make too large is left alone, and the others change", async ({
  database,
}) => {
  const client = await place(database, ["small", "other"], { properties: { a: "x" } });
  await makeGroup(client, "large", { properties: { a: "x".repeat(65_500) } });
  const apply = { user_group_ids: ["small", "large"], apply: true };
  const renamed = await begin(client, { ...apply, mode: "rename", properties: { a: "n".repeat(255) } });
  expect(renamed).toMatchObject({ state: "done", planned: { error: 1 }, done: { changed: 1 }, problem: null });
  const removed = await begin(client, { mode: "remove", where: {}, properties: ["a"], apply: true });
  expect(removed.done.changed).toBe(2);
  await client.user("PATCH", { user_group_id: "large", properties: { b: "y".repeat(65_000) } });
  const undone = await undo(client, removed.id);
  expect(undone).toMatchObject({ state: "done", planned: { error: 1 }, done: { changed: 1 }, problem: null });
  const message = "would have more than 64 KiB after this change";
  for (const { id } of [renamed, undone]) {
    const rows = await rowsOf(client, id, { outcome: "error" });
    expect(rows).toMatchObject([{ provided_id: "large", issues: [{ path: ["properties"], message }] }]);
  }
});

test("thousands of names are looked for in a group with thousands of members", async ({ database }) => {
  const client = await place(database);
  const members = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`);
  await makeGroup(client, "many", { properties: Object.fromEntries(members(6_000).map((name) => [name, 1])) });
  const change = { user_group_ids: ["many"], apply: true };
  for (let at = 1; at < 6_000; at += 1_000) {
    const removed = await begin(client, { ...change, mode: "remove", properties: members(at + 1_000).slice(at) });
    expect(removed).toMatchObject({ state: "done", done: { changed: 1 } });
  }
  const properties = Object.fromEntries(members(1_000).map((name) => [name, `${name}-new`]));
  const renamed = await begin(client, { ...change, mode: "rename", properties });
  expect(renamed).toMatchObject({ state: "done", done: { changed: 1 } });
  expect(await stored(database, client)).toMatchObject([{ properties: '{"k0-new":1}' }]);
});

test("a stopped job resumes with the remaining rows, and repeats none", { tag: "@release" }, async ({
  database,
  stage,
}) => {
  const client = await place(database);
  await insertGroups(database, client, 588);
  const checked = await begin(client, { mode: "merge", where: {}, properties: { tier: "bronze" } });
  expect(checked.planned.change).toBe(588);
  // One batch passes; the next waits for this row and is retried with fewer rows.
  const lock = await holdingLock(
    stage.databaseUrl,
    `SELECT pg_backend_pid() AS pid, provided_id FROM user_group
     WHERE provided_id = 'g-250' AND environment_id = (SELECT id FROM environment WHERE slug = $1) FOR UPDATE`,
    client.environment,
  );
  await client.send("POST", `/api/jobs/${checked.id}/apply`, {});
  await expect.poll(async () => (await read(client, checked.id)).done.changed).toBeGreaterThanOrEqual(200);
  const cancel = async () => (await client.send("POST", `/api/jobs/${checked.id}/cancel`, {})).status;
  await expect.poll(cancel, { timeout: 30_000 }).not.toBe(503);
  await lock.release();
  const stopped = await settled(client, checked.id);
  expect(stopped).toMatchObject({ state: "cancelled", can_apply: true, left: 588 - stopped.done.changed });
  expect(stopped.done.changed).toBeLessThanOrEqual(250);
  const leases = await database.query("SELECT leased_by FROM job WHERE id = $1", [checked.id]);
  expect(leases).toEqual([{ leased_by: null }]);
  expect(await apply(client, checked.id)).toMatchObject({
    state: "done",
    done: { changed: 588 },
    left: 0,
    problem: null,
  });
  const updates =
    "SELECT count(*)::int AS n FROM audit_entry a JOIN environment e ON e.id = environment_id WHERE slug = $1 AND action = 'user_group.updated'";
  expect(await database.query(updates, [client.environment])).toEqual([{ n: 588 }]);
});

for (const count of [0, 1, 500]) {
  test(`a job accepts ids and a filter of ${count} groups`, async ({ database }) => {
    const client = await place(database);
    await insertGroups(database, client, count);
    const by: object[] = [
      { user_group_ids: names(count) },
      { where: { search: "g-" } },
      {
        team_ids: (
          await database.query(
            "SELECT team_id FROM user_group g JOIN environment e ON e.id = environment_id WHERE slug = $1",
            [client.environment],
          )
        ).map(({ team_id }) => team_id),
      },
    ];
    for (const [n, groups] of by.entries()) {
      const job = await begin(client, { mode: "merge", properties: { n }, ...groups, apply: true });
      expect(job).toMatchObject({ state: "done", read: 1, done: { skipped: 0 } });
      // One already has n 0.
      expect(job.done.changed + job.planned.same).toBe(count);
    }
  });
}

test("an Idempotency-Key starts one job, and an API token has at most two open ones", async ({ database, stage }) => {
  const client = await place(database, ["a"]);
  const token = await insertApiToken(
    { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
    { environment: client.environment, scopes: ["groups:read", "groups:delete"] },
  );
  const body = { kind: "change", mode: "delete", user_group_ids: ["a"] };
  const send = (sent: object, key?: string) =>
    call("POST", "/api/jobs", { token, body: sent, ...(key && { headers: { "idempotency-key": key } }) });
  const [one, other] = await Promise.all([send(body, "k"), send(body, "k")]);
  expect(one.json.job.id).toBe(other.json.job.id);
  expectError(await send({ ...body, user_group_ids: ["b"] }, "k"), 409, "idempotency_conflict");
  expect((await send(body)).status).toBe(200);
  const third = await send(body);
  expectError(third, 409, "conflict");
  expect(third.text).toContain("2 jobs of this API token are open");
});

test("a malformed job is refused with a reason", async ({ database }) => {
  const client = await place(database);
  const REFUSED: [body: object, message: string][] = [
    [{}, "kind must be import or change"],
    [{ kind: "change", mode: "frobnicate", where: {} }, "must be one of set"],
    [{ kind: "change", mode: "delete" }, "must have one of user_group_ids, team_ids and where"],
    [{ kind: "change", mode: "delete", where: {}, team_ids: [1] }, "must have one of"],
    [{ kind: "change", mode: "delete", where: { serch: "x" } }, "did you mean search"],
    [{ kind: "change", mode: "delete", where: {}, properties: {} }, "properties"],
    [{ kind: "change", mode: "merge", where: {} }, "must have mapping or properties"],
    [{ kind: "change", mode: "remove", where: {}, properties: [] }, "must not be empty"],
    [{ kind: "change", mode: "remove", where: {}, properties: { a: 1 } }, "must be a list of names"],
    [{ kind: "change", mode: "rename", where: {}, properties: { a: 1 } }, "properties.a"],
    [{ kind: "change", mode: "delete", team_ids: Array(1_000_000).fill("") }, "must name at most 200000 groups"],
    [
      { kind: "change", mode: "rename", where: {}, mapping: Object.fromEntries(names(1_001).map((id) => [id, "x"])) },
      "must have at most 1000 names",
    ],
    [{ kind: "change", mode: "rotate", where: {}, overlap_seconds: -1 }, "overlap_seconds"],
    [{ kind: "change", mode: "delete", team_ids: ["1"] }, "team_ids"],
  ];
  for (const [body, message] of REFUSED) {
    const answer = await client.send("POST", "/api/jobs", body);
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.message).toContain(message);
  }
});

test("the former import routes name their replacement", async ({ database }) => {
  const client = await place(database);
  const gone = await client.send("GET", "/api/imports/7");
  expectError(gone, 404, "not_found");
  expect(gone.json.error.message).toContain("/api/jobs");
});
