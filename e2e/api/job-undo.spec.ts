import { jobAnswer } from "@/lib/jobs/schema";
import { type AdminClient, adminElsewhere, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { apply, dryRun, rowsOf, settled } from "../fixtures/jobs";

/** An environment's groups as stored, byte for byte. */
const stored = (database: Database, { environment }: AdminClient) =>
  database.query(
    `SELECT provided_id, g.name, mapping, properties FROM user_group g JOIN environment e ON e.id = environment_id
     WHERE slug = $1 ORDER BY team_id`,
    [environment],
  );

/** Uploads a file and applies it. */
async function imported(client: AdminClient, lines: string[], options = {}) {
  const { id } = await dryRun(client, lines.join("\n"), "changes.jsonl", options);
  return apply(client, id);
}

/** Starts the dry run of an undo. */
async function undo(client: AdminClient, id: number) {
  const begun = await client.send("POST", `/api/jobs/${id}/undo`, {});
  expect(begun.status, begun.text).toBe(200);
  const { job } = jobAnswer.parse(begun.json);
  expect(job).toMatchObject({ state: "checking", kind: "undo", mode: "undo", undoes: id });
  return settled(client, job.id);
}

const messages = async (client: AdminClient, id: number, outcome: string) =>
  (await rowsOf(client, id, { outcome })).map(({ provided_id, issues }) => [provided_id, issues[0]?.message]);

test("an undo starts with a dry run and restores exact bytes; undoing it reapplies everything", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  const exact =
    '{"user_group_id":"exact","name":"Exact","mapping":{"40":"213","a":1.50},"properties":{"\\u0062":[9007199254740991,1.50,1e2],"a":null,"c":"\\u2028"}}';
  expect((await client.send("GET", "/api/user", exact)).status).toBe(200);
  await makeGroup(client, "bare", { name: "Bare", mapping: {}, properties: null });
  await makeGroup(client, "named", { name: "Before", properties: { z: 1, a: 2 } });
  await makeGroup(client, "same", { name: "Same" });
  const before = await stored(database, client);
  const { id } = await imported(client, [
    '{"user_group_id":"exact","mapping":{},"properties":null}',
    '{"user_group_id":"bare","properties":{"plan":"pro"}}',
    '{"user_group_id":"named","name":"After"}',
    '{"user_group_id":"same","name":"Same"}',
    '{"user_group_id":"new","name":"New"}',
  ]);
  const after = await stored(database, client);
  expect(after).not.toEqual(before);

  const checked = await undo(client, id);
  expect(checked).toMatchObject({
    state: "checked",
    name: "Undo of changes.jsonl",
    by: client.member.name,
    read: 1,
    planned: { create: 0, change: 3, same: 0, delete: 1, restore: 0, error: 0 },
  });
  const rows = await rowsOf(client, checked.id);
  expect(rows.map(({ line, outcome, provided_id, issues }) => [line, outcome, provided_id, issues])).toEqual([
    [1, "change", "exact", []],
    [2, "change", "bare", []],
    [3, "change", "named", []],
    [null, "delete", "new", []],
  ]);
  expect(rows[1]).toMatchObject({ before: { properties: '{"plan":"pro"}' }, after: { properties: null } });
  expect(rows[2]).toMatchObject({ before: { name: "After" }, after: { name: "Before", properties: '{"z":1,"a":2}' } });
  expect(await stored(database, client)).toEqual(after);

  expect(await apply(client, checked.id)).toMatchObject({
    state: "done",
    done: { changed: 3, deleted: 1, skipped: 0 },
  });
  expect(await stored(database, client)).toEqual(before);
  const { json } = await client.groups("/history", { limit: 5 });
  expect(json.entries.map(({ action }: { action: string }) => action)).toEqual([
    "user_group.deleted",
    ...Array(3).fill("user_group.updated"),
    "user_group.created",
  ]);

  const again = await undo(client, checked.id);
  expect(await apply(client, again.id)).toMatchObject({ done: { changed: 3, restored: 1 } });
  expect(await stored(database, client)).toEqual(after);
});

test("an undo deletes, changes and restores groups in whatever order the file names them", async ({ database }) => {
  const client = await adminElsewhere(database);
  for (const id of ["first", "second", "third"]) await makeGroup(client, id, { name: "Before" });
  const before = await stored(database, client);
  const line = (id: string) => `{"user_group_id":"${id}","name":"After"}`;
  const lines = ["new-1", "first", "new-2", "second", "new-3"].map(line);
  const { id } = await imported(client, lines, { mode: "sync", max_deletions: "100%" });
  const checked = await undo(client, id);
  expect(checked.planned).toMatchObject({ change: 2, delete: 3, restore: 1, error: 0 });
  expect(await apply(client, checked.id)).toMatchObject({
    state: "done",
    left: 0,
    done: { changed: 2, deleted: 3, restored: 1, skipped: 0 },
  });
  expect(await stored(database, client)).toEqual(before);
});

test("groups changed, deleted or recreated since are left alone, also between dry run and apply", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  const ids = ["changed", "gone", "again", "rotated", "back", "late", "beside"];
  for (const id of ids) await makeGroup(client, id, { name: "Before" });
  const { id } = await imported(
    client,
    ids.map((one) => `{"user_group_id":"${one}","name":"Imported"}`),
  );
  const put = async (user_group_id: string, fields: object) =>
    expect((await client.user("PUT", { user_group_id, ...fields })).status).toBe(200);
  await put("changed", { name: "Theirs" });
  await put("beside", { properties: { theirs: true } });
  for (const user_group_id of ["gone", "again"]) {
    expect((await client.user("DELETE", { user_group_id })).status).toBe(200);
  }
  await makeGroup(client, "again", { name: "Imported" });
  const { token } = (await client.user("GET", { user_group_id: "rotated" })).json.user_group;
  expect((await client.user("POST", { current_token: token })).status).toBe(200);
  await put("back", { name: "Before" });

  const checked = await undo(client, id);
  expect(checked.planned).toEqual({ create: 0, change: 3, same: 1, delete: 0, restore: 0, error: 3 });
  expect(await messages(client, checked.id, "error")).toEqual([
    ["changed", "was changed since, and is left unchanged"],
    ["gone", "was deleted since"],
    ["again", "was deleted since"],
  ]);
  await put("late", { name: "Theirs" });
  expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 2, skipped: 1 } });
  expect(await messages(client, checked.id, "skipped")).toEqual([
    ["late", "was changed by someone else in the meantime, and was left unchanged"],
  ]);
  const names = (await stored(database, client)).map(({ provided_id, name }) => [provided_id, name]);
  expect(names).toEqual([
    ["changed", "Theirs"],
    ...["rotated", "back"].map((one) => [one, "Before"]),
    ["late", "Theirs"],
    ["beside", "Before"],
    ["again", "Imported"],
  ]);
  const beside = await client.groups("", { user_group_id: "beside" });
  expect(beside.json.user_groups[0].properties).toEqual({ theirs: true });
});

test("groups deleted by a sync return with their tokens, and erased ones are reported", async ({ database }) => {
  const client = await adminElsewhere(database);
  for (const id of ["a", "b", "c"]) await makeGroup(client, id, { name: "Before" });
  const sync = { mode: "sync", max_deletions: "100%" };
  const { token } = (await client.user("GET", { user_group_id: "c" })).json.user_group;
  const { id } = await imported(
    client,
    ['{"user_group_id":"a","name":"Imported"}', '{"user_group_id":"b","name":"Imported"}'],
    sync,
  );
  const { team_id } = (await client.groups("", { search: "b" })).json.user_groups[0];
  expect((await client.user("DELETE", { user_group_id: "b" })).status).toBe(200);
  expect((await client.act("purge", { team_id })).status).toBe(200);
  const checked = await undo(client, id);
  expect(checked).toMatchObject({
    read: 1,
    planned: { create: 0, change: 1, same: 0, delete: 0, restore: 1, error: 0 },
  });
  expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 1, restored: 1 } });
  const { json } = await client.user("GET", { user_group_id: "c" });
  expect(json).toMatchObject({ new_user_group: false, user_group: { token } });
});

test("definitions apply to an undo as to any import: enforced they refuse rows, else they warn", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  for (const id of ["a", "b"]) await makeGroup(client, id, { properties: { plan: "old" } });
  const line = (id: string) => `{"user_group_id":"${id}","properties":{"plan":"pro"},"name":"New"}`;
  const { id } = await imported(client, ["a", "b"].map(line));
  const define = async (enforcement: string) => {
    const definitions = { properties: { plan: { type: "string", enum: ["free", "pro"] } }, enforcement };
    expect((await client.send("PUT", "/api/definitions", definitions)).status).toBe(200);
  };
  const issue = { path: ["properties", "plan"], message: "must be one of free, pro" };
  await define("report");
  const reported = await undo(client, id);
  expect(reported.planned).toMatchObject({ change: 2, error: 0 });
  const [row] = await rowsOf(client, reported.id);
  expect(row).toMatchObject({ outcome: "change", issues: [], warnings: [issue] });
  await define("enforce");
  expect(await apply(client, reported.id)).toMatchObject({ done: { changed: 0, skipped: 2 } });
  const refused = await undo(client, id);
  expect(refused.planned).toMatchObject({ change: 0, error: 2 });
  const [error] = await rowsOf(client, refused.id);
  expect(error).toMatchObject({ outcome: "error", issues: [issue] });
  expect(error).not.toHaveProperty("warnings");
});

test("only a finished import with changes can be undone, in its environment, by callers who may import", async ({
  database,
  stage,
}) => {
  const client = await adminElsewhere(database);
  await makeGroup(client, "a", { name: "Before" });
  const ask = (job: unknown, who: AdminClient = client) => who.send("POST", `/api/jobs/${job}/undo`, {});
  const open = await dryRun(client, '{"user_group_id":"a","name":"After"}', "open.jsonl");
  const unended = await ask(open.id);
  expectError(unended, 409, "conflict");
  expect(unended.text).toContain("it is checked");
  const { id: same } = await imported(client, ['{"user_group_id":"a"}']);
  expectError(await ask(same), 409, "conflict");
  const { id } = await apply(client, open.id);
  for (const wrong of [-1, 1.5, "x", 2_147_483_648]) {
    expectError(await ask(wrong), 422, "invalid_fields");
  }
  expectError(await ask(2_147_483_647), 404, "not_found");
  expectError(await ask(id, client.in(await createEnvironment(database))), 404, "not_found");
  const tokenOf = (scopes: ("groups:write" | "groups:read" | "groups:create")[]) =>
    insertApiToken(
      { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
      { name: scopes.join(), scopes, environment: client.environment },
    );
  const body = {};
  const reader = await tokenOf(["groups:read", "groups:create"]);
  expectError(await call("POST", `/api/jobs/${id}/undo`, { token: reader, body }), 403, "forbidden");
  const writer = await tokenOf(["groups:read", "groups:write"]);
  const send = (method: string, path: string, sent?: unknown) =>
    call(method, path, { token: writer, ...(sent !== undefined && { body: sent as object }) });
  const begun = await send("POST", `/api/jobs/${id}/undo`, body);
  const undoing = begun.json.job.id;
  await settled({ send }, undoing);
  expect(await apply({ send }, undoing)).toMatchObject({ done: { changed: 1 } });
  expect((await stored(database, client))[0]).toMatchObject({ provided_id: "a", name: "Before" });
});

test("an import whose rows are purged while its undo is checked cannot be undone", async ({ database }) => {
  const client = await adminElsewhere(database);
  await makeGroup(client, "a", { name: "Before" });
  const { id } = await imported(client, ['{"user_group_id":"a","name":"After"}']);
  await database.query("UPDATE job SET ended_at = now() - interval '8 days' WHERE id = $1", [id]);
  expect(await undo(client, id)).toMatchObject({
    state: "failed",
    problem: "The job to undo was continued, or is no longer kept.",
  });
});
