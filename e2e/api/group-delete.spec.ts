import { adminClient, listed, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, newId, test } from "../fixtures/api";

test("deleting removes a group and its token, and undo restores exactly both", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  const { teamId, token } = await makeGroup(client, id, { name: "Kept", mapping: { 40: "1" }, properties: { a: 1.5 } });
  const before = await listed(client, teamId);

  expect((await client.user("DELETE", { user_group_id: id })).json).toEqual({ success: 1 });
  expect(await listed(client, teamId)).toBeUndefined();
  expectError(await client.user("POST", { current_token: token }), 404, "unknown_token");
  expectError(await client.user("PUT", { user_group_id: id, name: "x" }), 404, "unknown_user_group");
  expect((await client.groups("", { search: id })).json.user_groups).toEqual([]);
  expectError(await client.user("DELETE", { user_group_id: id }), 404, "unknown_user_group");

  expect((await client.act("restore", { user_group_id: id })).json.user_group).toMatchObject({ team_id: teamId });
  // Unchanged except updated_at, so that callers using updated_since find it.
  const after = await listed(client, teamId);
  expect(after).toEqual({ ...before, etag: `"${teamId}-2"`, updated_at: after.updated_at });
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  expect((await client.act("token", { team_id: teamId, purpose: "copy" })).json.user_group.token).toBe(token);
  expectError(await client.act("restore", { user_group_id: id }), 404, "unknown_user_group");

  const history = await database.query(
    "SELECT action, actor_id, before, after, ended_token FROM audit_entry WHERE team_id = $1 ORDER BY id",
    [teamId],
  );
  const [created, removed, restored] = history;
  expect(history.slice(0, 3).map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.deleted",
    "user_group.restored",
  ]);
  expect(removed).toMatchObject({ actor_id: client.member.id, before: created.after, after: null });
  expect(removed.ended_token.toString("hex")).toBe(JSON.parse(removed.before).token_fingerprint);
  expect(restored).toMatchObject({ before: null, after: created.after, ended_token: null });
});

test("undo restores a group's state and access_ends_at, and each step raises its generation", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId, providedId: user_group_id } = await makeGroup(client, newId());
  const columns = "state, access_ends_at, gen";
  const [was] = await database.query(
    `UPDATE user_group SET state = 'suspended', access_ends_at = '2027-01-02T03:04:05.678Z', gen = 7 WHERE team_id = $1 RETURNING ${columns}`,
    [teamId],
  );
  await client.user("DELETE", { user_group_id });
  expect(await database.query(`SELECT ${columns} FROM deleted_group WHERE team_id = $1`, [teamId])).toEqual([
    { ...was, gen: 8 },
  ]);
  expect((await client.act("restore", { user_group_id })).status).toBe(200);
  expect(await database.query(`SELECT ${columns} FROM user_group WHERE team_id = $1`, [teamId])).toEqual([
    { ...was, gen: 9 },
  ]);
});

test("a deleted group is kept for days, then purged", { tag: "@release" }, async ({ database }) => {
  const client = await adminClient(database);
  const { teamId, providedId: user_group_id } = await makeGroup(client, newId());
  await client.user("DELETE", { user_group_id });
  const age = (hours: number) =>
    database.query("UPDATE deleted_group SET deleted_at = now() - make_interval(hours => $2) WHERE team_id = $1", [
      teamId,
      hours,
    ]);
  await age(7 * 24 - 1);
  expect((await client.act("restore", { user_group_id })).status).toBe(200);
  const ending = { user_group_id, viewer_id: "u", blocked_until: new Date(Date.now() + 9e9).toISOString() };
  expect((await client.send("POST", "/api/viewers/end", ending)).status).toBe(200);
  await client.user("DELETE", { user_group_id });
  await age(7 * 24 + 1);
  expectError(await client.act("restore", { user_group_id }), 404, "unknown_user_group");
  await expect
    .poll(() => database.query("SELECT FROM deleted_group WHERE team_id = $1", [teamId]), { timeout: 75_000 })
    .toEqual([]);
  const left = await database.query("SELECT viewer_key FROM viewer_revocation WHERE team_id = $1", [teamId]);
  expect(left).toEqual([{ viewer_key: Buffer.of() }]);
});
