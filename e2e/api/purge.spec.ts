import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { call, createGroup, type Database, expect, expectError, newId } from "../fixtures/api";
import { holdingLock } from "../fixtures/hold";
import { apply, dryRun, settled } from "../fixtures/jobs";
import { scopedToken, testWithToken } from "../fixtures/scoped-token";

const test = testWithToken("groups:delete", "groups:purge");

const remove = (token: string, user_group_id: string) =>
  call("DELETE", "/api/user", { token, body: { user_group_id } });
const purge = (token: string, team_id: unknown) => call("POST", "/api/user-groups/purge", { token, body: { team_id } });
/** Ends the views of the person `ada`. */
const end = async (user_group_id: string, more: object = {}) =>
  call("POST", "/api/viewers/end", {
    token: await scopedToken("groups:write"),
    body: { user_group_id, viewer_id: "ada", ...more },
  });

test("an erased group's content is gone everywhere; the record that it existed remains", async ({
  token,
  database,
}) => {
  const secret = "secret-of-this-customer";
  const group = await createGroup({ name: secret, properties: { secret } });
  const { provided_id: id, team_id } = group;
  const admin = await adminClient(database);
  const { id: job } = await dryRun(admin, `user_group_id,name\n${id},${secret} 2\n`);
  expect((await apply(admin, job)).state).toBe("done");
  const minted = { token: await scopedToken("viewers:mint"), body: { user_group_id: id, viewer: "ada" } };
  expect((await call("POST", "/api/viewer-tokens", minted)).status).toBe(200);
  const viewers = () => database.query("SELECT FROM active_viewer WHERE team_id = $1", [team_id]);
  await expect.poll(viewers).toHaveLength(1);
  const blocked_until = new Date(Date.now() + 300 * 86_400_000).toISOString();
  expect((await end(id, { blocked_until })).status).toBe(200);
  await remove(token, id);
  // A new group with the same id is not affected.
  const living = (await call("GET", "/api/user", { body: { user_group_id: id, name: "Living" } })).json.user_group;
  expect((await purge(token, team_id)).text).toBe('{"success":1}\n');
  const history = await database.query(
    "SELECT action, actor_type, before, after FROM audit_entry WHERE team_id = $1 ORDER BY id",
    [team_id],
  );
  expect(history.map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.updated",
    "user_group.viewer_ended",
    "user_group.deleted",
    "user_group.erased",
  ]);
  for (const { before, after } of history) expect({ before, after }).toEqual({ before: null, after: null });
  expect(await viewers()).toEqual([]);
  // Verifiers still need the group's own revocation.
  const revoked = await database.query("SELECT viewer_key FROM viewer_revocation WHERE team_id = $1", [team_id]);
  expect(revoked).toEqual([{ viewer_key: Buffer.of() }]);
  for (const table of ["user_group", "deleted_group", "group_use", "group_use_month", "group_search", "job_row"]) {
    expect(await database.query(`SELECT FROM ${table} WHERE team_id = $1`, [team_id]), table).toEqual([]);
  }
  const [created] = await database.query("SELECT after FROM audit_entry WHERE team_id = $1", [living.team_id]);
  expect(JSON.parse(created.after)).toMatchObject({ provided_id: id, name: "Living" });
  const found = await admin.act("find-by-token", { text: group.token });
  expect(found.json).toMatchObject({ found: "deleted", user_group: { team_id, provided_id: null, name: null } });
  const entries = await admin.groups("/history", { team_id });
  expect(entries.status, entries.text).toBe(200);
  expect(entries.text).not.toContain(secret);
  expectError(await admin.act("restore", { user_group_id: id, team_id }), 404, "unknown_user_group");
  expectError(await purge(token, team_id), 404, "unknown_user_group");
});

/** The tables with this text in a row, partitions by their own names. */
async function tablesWith(database: Database, text: string): Promise<string[]> {
  const tables = await database.query(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = 'public'`,
  );
  const hex = Buffer.from(text).toString("hex");
  const found = tables.map(async ({ name }) => {
    const rows = await database.query(
      `SELECT FROM ${name} AS t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0 LIMIT 1`,
      [text, hex],
    );
    return rows.length > 0 ? [name as string] : [];
  });
  return (await Promise.all(found)).flat().toSorted();
}

test("no table has anything left of a group that every feature knew", async ({ database }) => {
  const environment = await createEnvironment(database);
  const admin = await adminClient(database, "admin", environment);
  const mark = `mark${newId("").slice(1, 9)}`;
  const send = async (method: string, path: string, body: object) => {
    const { status, text, json } = await admin.send(method, path, body);
    expect(status, text).toBe(200);
    return json;
  };
  await send("POST", "/api/webhooks", { url: "https://127.0.0.1:1/", types: null });
  const user_group_id = `${mark}-old`;
  const fields = { name: mark, mapping: { 40: mark }, properties: { plan: mark, [mark]: mark } };
  const { team_id } = (await send("GET", "/api/user", { user_group_id, ...fields })).user_group;
  const viewer = { id: mark, name: mark, email: mark, properties: { mark } };
  await send("POST", "/api/viewer-tokens", { user_group_id, viewer });
  await send("POST", "/api/viewers/end", { user_group_id, viewer_id: mark });
  await send("POST", "/api/user-groups/suspend", { user_group_id, reason: mark });
  await send("POST", "/api/user-groups/resume", { user_group_id });
  await send("PUT", "/api/user-groups/allowed-origins", { user_group_id, allowed_origins: [`https://${mark}.test`] });
  const { id: job } = await dryRun(admin, `user_group_id,name\n${user_group_id},${mark} 2\n`);
  expect((await apply(admin, job)).state).toBe("done");
  const change = { kind: "change", mode: "merge", apply: true };
  const choices = [{ user_group_ids: [user_group_id] }, { where: { filter: [`plan:is:"${mark}"`] } }];
  for (const [n, chosen] of choices.entries()) {
    const begun = await send("POST", "/api/jobs", { ...change, ...chosen, properties: { [`more_${n}`]: mark } });
    expect((await settled(admin, begun.job.id)).state).toBe("done");
  }
  await send("PATCH", "/api/user", { user_group_id, new_user_group_id: `${mark}-new` });
  const undone = await send("POST", `/api/jobs/${job}/undo`, { apply: true });
  expect((await settled(admin, undone.job.id)).state).toBe("done");
  await expect.poll(() => tablesWith(database, mark), { timeout: 15_000 }).toContain("webhook_delivery");
  expect((await tablesWith(database, mark)).length).toBeGreaterThan(4);
  await send("DELETE", "/api/user", { user_group_id: `${mark}-new` });
  await send("POST", "/api/user-groups/purge", { team_id });
  expect(await tablesWith(database, mark)).toEqual([]);
});

test("export history keeps no content of an erased group, only which filters were used", async ({ database }) => {
  const environment = await createEnvironment(database);
  const admin = await adminClient(database, "admin", environment);
  const secret = newId("secret");
  const { teamId } = await makeGroup(admin, secret, { name: secret, properties: { email: secret } });
  const filter = `email:is:"${secret}"`;
  for (const [path, query] of [
    ["/export", { search: secret, state: "active" }],
    ["/export", { filter }],
    ["/history/export", { user_group_id: secret }],
    ["/history/export", { team_id: teamId }],
  ] as const) {
    const exported = await admin.groups(path, { format: "csv", ...query });
    expect(exported.status, exported.text).toBe(200);
  }
  await admin.user("DELETE", { user_group_id: secret });
  expect((await admin.act("purge", { team_id: teamId })).status).toBe(200);
  const kept = await database.query(
    "SELECT before, after FROM audit_entry WHERE environment_id = (SELECT id FROM environment WHERE slug = $1) ORDER BY id",
    [environment],
  );
  expect(JSON.stringify(kept)).not.toContain(secret);
  const { json } = await admin.groups("/history", { action: ["user_groups.exported", "history.exported"] });
  expect(json.entries.map(({ after }: { after: object }) => after).reverse()).toEqual([
    { format: "csv", state: "active", narrowed_by: ["search"] },
    { format: "csv", narrowed_by: ["filter"] },
    { format: "csv", scope: "environment", narrowed_by: ["user_group_id"] },
    { format: "csv", scope: "environment", team_id: teamId },
  ]);
});

test("a living or unknown group, another environment's, or a missing scope erases nothing", async ({
  token,
  stage,
  database,
}) => {
  const group = await createGroup();
  expectError(await purge(token, group.team_id), 409, "conflict");
  expectError(await purge(token, 2_147_483_647), 404, "unknown_user_group");
  for (const odd of [undefined, "1", 0, 1.5, 2 ** 31]) expectError(await purge(token, odd), 422, "invalid_fields");
  await remove(token, group.provided_id);
  const refused = await purge(await scopedToken("groups:delete"), group.team_id);
  expectError(refused, 403, "forbidden");
  expect(refused.json.error.message).toContain("groups:purge");
  const admin = await adminClient(database);
  expectError(await admin.in("production").act("purge", { team_id: group.team_id }), 404, "unknown_user_group");
  const [created] = await database.query("SELECT after FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(created.after).not.toBeNull();
  expectError(await purge(stage.tokens.testing, group.team_id), 403, "forbidden");
});

test("of 64 concurrent purges and restores one wins, and the group is whole or gone", async ({ token, database }) => {
  const group = await createGroup();
  await remove(token, group.provided_id);
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      n % 2
        ? purge(token, group.team_id)
        : call("POST", "/api/user-groups/restore", { token, body: { user_group_id: group.provided_id } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status } of answers) expect([200, 404, 409]).toContain(status);
  const living = await database.query("SELECT FROM user_group WHERE team_id = $1", [group.team_id]);
  const kept = await database.query("SELECT FROM audit_entry WHERE team_id = $1 AND after IS NOT NULL", [
    group.team_id,
  ]);
  expect(living.length > 0).toBe(kept.length > 0);
});

test("a person's views end before a deletion or not at all, so that the group can be erased", async ({
  token,
  stage,
}) => {
  const { provided_id: id, team_id } = await createGroup();
  expect((await end(id)).status).toBe(200);
  const lock = `SELECT pg_backend_pid() AS pid FROM viewer_revocation
    WHERE team_id = $1 AND viewer_key <> '' FOR UPDATE`;
  const held = await holdingLock(stage.databaseUrl, lock, team_id);
  const ended = end(id);
  await held.waited();
  const removed = remove(token, id);
  await Promise.race([removed, sleep(300)]);
  await held.release();
  expect([(await ended).status, (await removed).status]).toEqual([200, 200]);
  expect((await purge(token, team_id)).text).toBe('{"success":1}\n');
});

test("the runtime role cannot blank a living group's history, even by the erasing function", async ({
  token,
  stage,
  database,
}) => {
  const { provided_id, team_id } = await createGroup();
  const [{ environment_id: environment }] = await database.query(
    "SELECT environment_id FROM user_group WHERE team_id = $1",
    [team_id],
  );
  const client = new pg.Client({ connectionString: stage.runtimeUrl });
  await client.connect();
  /** The outcome of the last statement; all are rolled back. */
  const attempt = async (...statements: string[]) => {
    await client.query("BEGIN");
    const last = statements.pop() ?? "";
    for (const statement of statements) expect((await client.query(statement)).rowCount).toBe(1);
    const outcome = await client.query(last).then(
      () => "done",
      (error) => error.code,
    );
    await client.query("ROLLBACK");
    return outcome;
  };
  const erase = `SELECT erase_group(${environment}, ${team_id})`;
  const remove = `DELETE FROM user_group WHERE team_id = ${team_id}`;
  const keep = `INSERT INTO deleted_group (team_id, environment_id, provided_id, name, mapping, token_index, token_sealed, version, created_at, updated_at, rotated_at)
    VALUES (${team_id}, ${environment}, 'fake', 'fake', '{}', '', '', 1, now(), now(), now())`;
  expect(await attempt(erase)).toBe("P0002");
  expect(await attempt(keep, erase)).toBe("P0002");
  expect(await attempt(remove, keep, erase)).toBe("P0002");
  await client.query("SET user_groups.erases = 'on'");
  expect(await attempt(`UPDATE audit_entry SET after = NULL WHERE team_id = ${team_id}`)).toBe("42501");
  // The history's guard counts a restored group as living, and a deleted one as gone.
  const body = { user_group_id: provided_id };
  for (const [method, path] of [
    ["DELETE", "/api/user"],
    ["POST", "/api/user-groups/restore"],
  ] as const) {
    expect((await call(method, path, { token, body })).status).toBe(200);
  }
  expect(await attempt(remove, keep, erase)).toBe("P0002");
  expect((await call("DELETE", "/api/user", { token, body })).status).toBe(200);
  expect(await attempt(erase)).toBe("done");
  await client.end();
  const history = await database.query(
    "SELECT coalesce(after, before) AS content FROM audit_entry WHERE team_id = $1 ORDER BY id",
    [team_id],
  );
  expect(history).toHaveLength(4);
  for (const { content } of history) expect(content).toContain(provided_id);
});
