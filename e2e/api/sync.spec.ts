import { SCOPES, type Scope } from "@/lib/authority/scopes";
import { type AdminClient, adminElsewhere, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { test as base, call, type Database, expect, expectError, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { apply, dryRun, rowsOf, settled } from "../fixtures/jobs";

interface Fixtures {
  /** a client with an API token of these scopes in this environment */
  program: (environment: string, ...scopes: readonly Scope[]) => Promise<Program>;
}

type Program = Pick<AdminClient, "send"> & { name: string };

const test = base.extend<Fixtures>({
  program: async ({ stage }, use) => {
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    await use(async (environment, ...scopes) => {
      const name = newId();
      const token = await insertApiToken(settings, { name, environment, scopes });
      return { name, send: (method, path, body) => call(method, path, { token, body }) };
    });
  },
});

const ids = (count: number) => Array.from({ length: count }, (_, n) => `id-${String(n).padStart(2, "0")}`);
const file = (names: string[], fields = "") => names.map((id) => `{"user_group_id":"${id}"${fields}}\n`).join("");

/** An environment with groups, and its admin. */
async function place(database: Database, groups: string[]): Promise<AdminClient> {
  const client = await adminElsewhere(database);
  for (const id of groups) await makeGroup(client, id);
  return client;
}

const living = async (database: Database, environment: string) =>
  (
    await database.query(
      `SELECT provided_id FROM user_group g JOIN environment e ON e.id = g.environment_id WHERE slug = $1 ORDER BY 1`,
      [environment],
    )
  ).map(({ provided_id }) => provided_id);

const deletions = (database: Database, environment: string) =>
  database.query(
    `SELECT a.actor_type, a.actor_name, a.before::json ->> 'provided_id' AS id FROM audit_entry a
     JOIN environment e ON e.id = a.environment_id WHERE slug = $1 AND action = 'user_group.deleted' ORDER BY 3`,
    [environment],
  );

test("a sync by an API token creates, changes and deletes, and a second one does nothing", async ({
  database,
  program,
}) => {
  const all = ids(40);
  const client = await place(database, all);
  const token = await program(client.environment, ...SCOPES);
  const text = file(["new"]) + file(all.slice(0, 1), ',"name":"Changed"') + file(all.slice(1, 38));
  const checked = await dryRun(token, text, "customers.jsonl", { mode: "sync" });
  expect(checked).toMatchObject({
    state: "checked",
    mode: "sync",
    max_deletions: "5%",
    by: token.name,
    planned: { create: 1, change: 1, same: 37, delete: 2, restore: 0, error: 0 },
  });
  const rows = await rowsOf(token, checked.id, { outcome: "delete" });
  expect(rows.map(({ line, provided_id, after }) => [line, provided_id, after])).toEqual([
    [null, "id-38", null],
    [null, "id-39", null],
  ]);
  expect(await living(database, client.environment)).toEqual(all);
  expect(await apply(token, checked.id)).toMatchObject({
    state: "done",
    done: { created: 1, changed: 1, deleted: 2, restored: 0, skipped: 0 },
  });
  expect(await living(database, client.environment)).toEqual([...all.slice(0, 38), "new"]);
  expect(await deletions(database, client.environment)).toEqual(
    ["id-38", "id-39"].map((id) => ({ actor_type: "api_token", actor_name: token.name, id })),
  );
  expect(await dryRun(token, text, "customers.jsonl", { mode: "sync" })).toMatchObject({
    planned: { create: 0, change: 0, same: 39, delete: 0 },
  });
  const { json } = await client.groups("/history", { action: "user_groups.imported" });
  expect(json.entries[0].after).toEqual({ file: "customers.jsonl", creates: 1, changes: 1, deletes: 2 });
});

const LIMITS: [max_deletions: number | string | undefined, named: number, isAllowed: boolean][] = [
  [undefined, 19, true],
  [undefined, 18, false],
  ["10%", 18, true],
  ["9.99%", 18, false],
  [3, 17, true],
  [3, 16, false],
  [0, 19, false],
  ["100%", 1, true],
];

for (const [max_deletions, named, isAllowed] of LIMITS) {
  const verb = isAllowed ? "deletes" : "refuses to delete";
  test(`max_deletions ${max_deletions ?? "by default"} ${verb} ${20 - named} of 20`, async ({ database }) => {
    const all = ids(20);
    const client = await place(database, all);
    const text = file([...all.slice(0, named), "new"]);
    const options = { mode: "sync" as const, ...(max_deletions !== undefined && { max_deletions }) };
    const { id, planned } = await dryRun(client, text, "x.jsonl", options);
    expect(planned.delete).toBe(20 - named);
    if (isAllowed) expect((await apply(client, id)).done.deleted).toBe(20 - named);
    else expectError(await client.send("POST", `/api/jobs/${id}/apply`, {}), 409, "too_many_deletions");
    const expected = isAllowed ? [...all.slice(0, named), "new"] : all;
    expect(await living(database, client.environment)).toEqual(expected);
  });
}

test("an empty file deletes nothing, unless there is nothing to delete", async ({ database }) => {
  const client = await place(database, ids(2));
  for (const text of ["", "user_group_id\n"]) {
    const { id, state, planned } = await dryRun(client, text, "x.csv", { mode: "sync", max_deletions: "100%" });
    expect([state, planned.delete]).toEqual(["checked", 2]);
    expectError(await client.send("POST", `/api/jobs/${id}/apply`, {}), 409, "too_many_deletions");
  }
  expect(await living(database, client.environment)).toEqual(ids(2));
  const nothing = client.in(await createEnvironment(database));
  const { id } = await dryRun(nothing, "", "x.csv", { mode: "sync" });
  expect((await apply(nothing, id)).state).toBe("done");
});

test("a group created, changed or deleted since the check is kept or skipped", async ({ database }) => {
  const client = await place(database, ["changed", "gone", "named", "rotated", "unnamed"]);
  const { id } = await dryRun(client, file(["named"]), "x.jsonl", { mode: "sync", max_deletions: 4 });
  await makeGroup(client, "created");
  expect((await client.user("PUT", { user_group_id: "changed", name: "Theirs" })).status).toBe(200);
  const { token: current_token } = await makeGroup(client, "rotated");
  expect((await client.user("POST", { current_token })).status).toBe(200);
  await database.query(
    "DELETE FROM user_group WHERE provided_id = 'gone' AND environment_id = (SELECT id FROM environment WHERE slug = $1)",
    [client.environment],
  );
  await makeGroup(client, "gone");
  expect((await apply(client, id)).done).toEqual({ created: 0, changed: 0, deleted: 1, restored: 0, skipped: 3 });
  expect(await living(database, client.environment)).toEqual(["changed", "created", "gone", "named", "rotated"]);
  const skipped = await rowsOf(client, id, { outcome: "skipped" });
  expect(skipped.map(({ line, provided_id, issues }) => [line, provided_id, issues[0]?.message])).toEqual([
    [null, "changed", "was changed by someone else in the meantime, and was kept"],
    [null, "gone", "was deleted or renamed in the meantime"],
    [null, "rotated", "was changed by someone else in the meantime, and was kept"],
  ]);
});

test("a row with an error protects its group, and one without a valid id stops the sync", async ({ database }) => {
  const client = await place(database, ["broken", "fine"]);
  const broken = `${file(["fine"])}{"user_group_id":"broken","name":""}\n`;
  const first = await dryRun(client, broken, "x.jsonl", { mode: "sync", max_deletions: 9 });
  expect(first.planned).toMatchObject({ same: 1, error: 1, delete: 0 });
  expect((await apply(client, first.id)).state).toBe("done");
  for (const line of ['{"user_group_id":" broken"}', '{"name":"x"}', "{"]) {
    const { id, planned } = await dryRun(client, `${file(["fine"])}${line}\n`, "x.jsonl", {
      mode: "sync",
      max_deletions: 9,
    });
    expect(planned).toMatchObject({ error: 1, delete: 1 });
    expectError(await client.send("POST", `/api/jobs/${id}/apply`, {}), 409, "conflict");
  }
  expect(await living(database, client.environment)).toEqual(["broken", "fine"]);
});

test("an import needs groups:write and the scopes of its other effects", async ({ database, program }) => {
  const client = await place(database, ids(1));
  const writer = await program(client.environment, "groups:read", "groups:write");
  const created = { kind: "import", file_name: "x.jsonl", bytes: 1 };
  const refused = await writer.send("POST", "/api/jobs", { ...created, mode: "sync" });
  expectError(refused, 403, "forbidden");
  expect(refused.json.error.message).toContain("groups:delete");
  const { id } = await dryRun(writer, file(["new"]), "x.jsonl");
  const creating = await writer.send("POST", `/api/jobs/${id}/apply`, {});
  expectError(creating, 403, "forbidden");
  expect(creating.json.error.message).toContain("groups:create");
  const sync = await dryRun(client, file(["new"]), "x.jsonl", { mode: "sync", max_deletions: 1 });
  expectError(await writer.send("POST", `/api/jobs/${sync.id}/apply`, {}), 403, "forbidden");
  const change = await dryRun(writer, file(ids(1), ',"name":"By a program"'), "x.jsonl");
  expect((await apply(writer, change.id)).done.changed).toBe(1);
  const reader = await program(client.environment, "groups:read");
  expectError(await reader.send("POST", "/api/jobs", created), 403, "forbidden");
});

test("an import stops when its API token is revoked", { tag: "@release" }, async ({ database, program }) => {
  const client = await place(database, ids(1));
  const token = await program(client.environment, ...SCOPES);
  const { id } = await dryRun(token, file(ids(1), ',"name":"Never"'), "x.jsonl");
  // The worker cannot lease the job until the token is revoked.
  await database.query(
    "UPDATE job SET leased_by = gen_random_uuid(), leased_until = now() + interval '2 seconds' WHERE id = $1",
    [id],
  );
  expect((await token.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(200);
  await database.query("UPDATE api_token SET revoked_at = now() WHERE name = $1", [token.name]);
  const ended = await settled(client, id);
  expect(ended).toMatchObject({ state: "failed", by: token.name, done: { changed: 0 } });
  expect(ended.problem).toContain("can no longer change user groups");
});

test("a malformed import is refused", async ({ database }) => {
  const client = await place(database, []);
  const REFUSED: [body: object, path: string][] = [
    [{ file_name: "x", bytes: 0 }, "bytes"],
    [{ file_name: "x", bytes: 1, mode: "replace" }, "mode"],
    [{ file_name: "x", bytes: 1, max_deletions: 1 }, "max_deletions"],
    [{ file_name: "x", bytes: 1, mode: "sync", max_deletions: "101%" }, "max_deletions"],
    [{ file_name: "x", bytes: 1, mode: "sync", max_deletions: -1 }, "max_deletions"],
    [{ file_name: "x", bytes: 1, mode: "sync", max_deletions: "5" }, "max_deletions"],
    [{ fileName: "x", bytes: 1 }, "file_name"],
  ];
  for (const [body, path] of REFUSED) {
    const answer = await client.send("POST", "/api/jobs", { kind: "import", ...body });
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.issues[0].path, answer.text).toEqual([path]);
  }
});
