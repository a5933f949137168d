import { deletedAnswer, restoredAnswer } from "@/lib/groups/deletion-schema";
import { adminClient, createEnvironment, listed, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, newId, test } from "../fixtures/api";

test("a deleted group is gone with its token, and undoing brings back the very same", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  const { teamId, token } = await makeGroup(client, id, { name: "Kept", mapping: { 40: "1" }, properties: { a: 1.5 } });
  const before = await listed(client, teamId);

  const response = await client.act("delete-many", { team_ids: [teamId, 2_147_483_647] });
  const { deleted, kept_until } = deletedAnswer.parse(response.json);
  expect(deleted).toEqual([{ team_id: teamId, provided_id: id, name: "Kept" }]);
  const [row] = await database.query("SELECT deleted_at FROM deleted_group WHERE team_id = $1", [teamId]);
  expect(Date.parse(kept_until) - row.deleted_at.getTime()).toBe(7 * 86_400_000);
  expect(await listed(client, teamId)).toBeUndefined();
  expectError(await client.user("POST", { current_token: token }), 404, "unknown_token");
  expectError(await client.user("PUT", { user_group_id: id, name: "x" }), 404, "unknown_user_group");
  expect((await client.groups("", { search: id })).json.user_groups).toEqual([]);
  expectError(await client.act("delete-many", { team_ids: [teamId] }), 404, "unknown_user_group");

  const back = await client.act("restore-many", { team_ids: [teamId] });
  expect(restoredAnswer.parse(back.json)).toEqual({ success: 1, restored: deleted, conflicts: [] });
  // As it was, but for a new time of change: who asks for what has changed since must find it.
  const after = await listed(client, teamId);
  expect(after).toEqual({ ...before, etag: `"${teamId}-2"`, updated_at: after.updated_at });
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  expect((await client.act("token", { team_id: teamId, purpose: "copy" })).json.user_group.token).toBe(token);
  expectError(await client.act("restore-many", { team_ids: [teamId] }), 404, "unknown_user_group");

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

test("undoing brings back a group's state and the end of its access, and each step raises its generation", async ({
  database,
}) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const columns = "state, access_ends_at, gen";
  const [was] = await database.query(
    `UPDATE user_group SET state = 'suspended', access_ends_at = '2027-01-02T03:04:05.678Z', gen = 7 WHERE team_id = $1 RETURNING ${columns}`,
    [teamId],
  );
  await client.act("delete-many", { team_ids: [teamId] });
  expect(await database.query(`SELECT ${columns} FROM deleted_group WHERE team_id = $1`, [teamId])).toEqual([
    { ...was, gen: 8 },
  ]);
  expect((await client.act("restore-many", { team_ids: [teamId] })).status).toBe(200);
  expect(await database.query(`SELECT ${columns} FROM user_group WHERE team_id = $1`, [teamId])).toEqual([
    { ...was, gen: 9 },
  ]);
});

test("an id that was given away meanwhile stays with its new group", async ({ database }) => {
  const client = await adminClient(database);
  const ids = [newId(), newId()] as const;
  const old = [await makeGroup(client, ids[0]), await makeGroup(client, ids[1])] as const;
  await client.act("delete-many", { team_ids: old.map(({ teamId }) => teamId) });
  const anew = await makeGroup(client, ids[0]);
  expect(anew.token).not.toBe(old[0].token);
  expectError(await client.act("restore-many", { team_ids: [old[0].teamId] }), 409, "conflict");
  const { restored, conflicts } = (await client.act("restore-many", { team_ids: old.map(({ teamId }) => teamId) }))
    .json;
  expect(restored.map(({ team_id }: { team_id: number }) => team_id)).toEqual([old[1].teamId]);
  expect(conflicts.map(({ team_id }: { team_id: number }) => team_id)).toEqual([old[0].teamId]);
  expect((await client.user("GET", { user_group_id: ids[0] })).json.user_group.token).toBe(anew.token);
  expect(await listed(client, old[0].teamId)).toBeUndefined();
  const history = await database.query("SELECT action FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    old[0].teamId,
  ]);
  expect(history.map(({ action }) => action)).toEqual(["user_group.created", "user_group.deleted"]);
});

test("a deleted group is kept for days, and then goes for good", { tag: "@release" }, async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  await client.act("delete-many", { team_ids: [teamId] });
  const age = (hours: number) =>
    database.query("UPDATE deleted_group SET deleted_at = now() - make_interval(hours => $2) WHERE team_id = $1", [
      teamId,
      hours,
    ]);
  await age(7 * 24 - 1);
  expect((await client.act("restore-many", { team_ids: [teamId] })).status).toBe(200);
  await client.act("delete-many", { team_ids: [teamId] });
  await age(7 * 24 + 1);
  expectError(await client.act("restore-many", { team_ids: [teamId] }), 404, "unknown_user_group");
  await expect
    .poll(() => database.query("SELECT FROM deleted_group WHERE team_id = $1", [teamId]), { timeout: 45_000 })
    .toEqual([]);
});

test("of many who delete and undo at once, each group goes once and comes back once", async ({ database }) => {
  const client = await adminClient(database);
  const groups = [];
  for (let n = 0; n < 8; n++) groups.push(await makeGroup(client, newId()));
  const teamIds = groups.map(({ teamId }) => teamId);
  const orders = [teamIds, [...teamIds].reverse(), teamIds.slice(3), teamIds.slice(0, 5)];
  const deletions = await Promise.all(orders.map((chosen) => client.act("delete-many", { team_ids: chosen })));
  const gone = deletions.flatMap(({ json }) => json.deleted ?? []).map(({ team_id }) => team_id);
  expect(gone.sort((a, b) => a - b)).toEqual(teamIds);
  const restorations = await Promise.all(orders.map((chosen) => client.act("restore-many", { team_ids: chosen })));
  const back = restorations.flatMap(({ json }) => json.restored ?? []).map(({ team_id }) => team_id);
  expect(back.sort((a, b) => a - b)).toEqual(teamIds);
});

test("nobody deletes or undoes in another environment, nor as a viewer", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const elsewhere = client.in(await createEnvironment(database));
  expectError(await elsewhere.act("delete-many", { team_ids: [teamId] }), 404, "unknown_user_group");
  await client.act("delete-many", { team_ids: [teamId] });
  expectError(await elsewhere.act("restore-many", { team_ids: [teamId] }), 404, "unknown_user_group");
  const viewer = await adminClient(database, "viewer");
  expectError(await viewer.act("restore-many", { team_ids: [teamId] }), 403, "forbidden");
  expect((await client.act("restore-many", { team_ids: [teamId] })).status).toBe(200);
  expectError(await viewer.act("delete-many", { team_ids: [teamId] }), 403, "forbidden");
  for (const team_ids of [undefined, [], "1", ["1"], [0], [1.5], [2 ** 31], Array(501).fill(teamId)]) {
    expectError(await client.act("delete-many", { team_ids }), 422, "invalid_fields");
  }
});
