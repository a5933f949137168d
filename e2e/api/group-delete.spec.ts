import { deletedGroups, restoredGroups } from "@/lib/groups/schema";
import { adminClient, createEnvironment, listed, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, newId, test } from "../fixtures/api";

test("a deleted group is gone with its token, and undoing brings back the very same", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  const { teamId, token } = await makeGroup(client, id, { name: "Kept", mapping: { 40: "1" }, properties: { a: 1.5 } });
  const before = await listed(client, teamId);

  const response = await client.post("groups/delete", { teamIds: [teamId, 2_147_483_647] });
  const { deleted, undoUntil } = deletedGroups.parse(response.json);
  expect(deleted).toEqual([{ teamId, providedId: id, name: "Kept" }]);
  const left = Date.parse(undoUntil) - Date.now();
  expect(left).toBeGreaterThan(5_000);
  expect(left).toBeLessThanOrEqual(10_500);
  expect(await listed(client, teamId)).toBeUndefined();
  expectError(await client.user("POST", { current_token: token }), 404, "unknown_token");
  expectError(await client.user("PUT", { user_group_id: id, name: "x" }), 404, "unknown_user_group");
  expect((await client.groups("", { search: id })).json.user_groups).toEqual([]);
  expectError(await client.post("groups/delete", { teamIds: [teamId] }), 404, "not_found");

  const back = await client.post("groups/restore", { teamIds: [teamId] });
  expect(restoredGroups.parse(back.json)).toEqual({ success: 1, restored: deleted, conflicts: [] });
  expect(await listed(client, teamId)).toEqual({ ...before, etag: `"${teamId}-2"` });
  expect((await client.post(`groups/${teamId}/reveal`, { purpose: "copy" })).json.token).toBe(token);
  expectError(await client.post("groups/restore", { teamIds: [teamId] }), 404, "not_found");

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

test("undoing brings back a group's state, the end of its access and its generation", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const columns = "state, access_ends_at, gen";
  const [was] = await database.query(
    `UPDATE user_group SET state = 'suspended', access_ends_at = '2027-01-02T03:04:05.678Z', gen = 7 WHERE team_id = $1 RETURNING ${columns}`,
    [teamId],
  );
  await client.post("groups/delete", { teamIds: [teamId] });
  expect(await database.query(`SELECT ${columns} FROM deleted_group WHERE team_id = $1`, [teamId])).toEqual([was]);
  expect((await client.post("groups/restore", { teamIds: [teamId] })).status).toBe(200);
  expect(await database.query(`SELECT ${columns} FROM user_group WHERE team_id = $1`, [teamId])).toEqual([was]);
});

test("an id that was given away meanwhile stays with its new group", async ({ database }) => {
  const client = await adminClient(database);
  const ids = [newId(), newId()] as const;
  const old = [await makeGroup(client, ids[0]), await makeGroup(client, ids[1])] as const;
  await client.post("groups/delete", { teamIds: old.map(({ teamId }) => teamId) });
  const anew = await makeGroup(client, ids[0]);
  expect(anew.token).not.toBe(old[0].token);
  expectError(await client.post("groups/restore", { teamIds: [old[0].teamId] }), 409, "conflict");
  const { restored, conflicts } = (await client.post("groups/restore", { teamIds: old.map(({ teamId }) => teamId) }))
    .json;
  expect(restored.map(({ teamId }: { teamId: number }) => teamId)).toEqual([old[1].teamId]);
  expect(conflicts.map(({ teamId }: { teamId: number }) => teamId)).toEqual([old[0].teamId]);
  expect((await client.user("GET", { user_group_id: ids[0] })).json.user_group.token).toBe(anew.token);
  expect(await listed(client, old[0].teamId)).toBeUndefined();
  const history = await database.query("SELECT action FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    old[0].teamId,
  ]);
  expect(history.map(({ action }) => action)).toEqual(["user_group.created", "user_group.deleted"]);
});

test("a deletion can be undone for some seconds and no longer", { tag: "@release" }, async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  await client.post("groups/delete", { teamIds: [teamId] });
  const age = (seconds: number) =>
    database.query("UPDATE deleted_group SET deleted_at = now() - make_interval(secs => $2) WHERE team_id = $1", [
      teamId,
      seconds,
    ]);
  await age(16);
  expectError(await client.post("groups/restore", { teamIds: [teamId] }), 404, "not_found");
  await age(12);
  expect((await client.post("groups/restore", { teamIds: [teamId] })).status).toBe(200);
  await client.post("groups/delete", { teamIds: [teamId] });
  await age(61);
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
  const deletions = await Promise.all(orders.map((chosen) => client.post("groups/delete", { teamIds: chosen })));
  const gone = deletions.flatMap(({ json }) => json.deleted ?? []).map(({ teamId }) => teamId);
  expect(gone.sort((a, b) => a - b)).toEqual(teamIds);
  const restorations = await Promise.all(orders.map((chosen) => client.post("groups/restore", { teamIds: chosen })));
  const back = restorations.flatMap(({ json }) => json.restored ?? []).map(({ teamId }) => teamId);
  expect(back.sort((a, b) => a - b)).toEqual(teamIds);
});

test("nobody deletes or undoes in another environment, nor as a viewer", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const elsewhere = client.in(await createEnvironment(database));
  expectError(await elsewhere.post("groups/delete", { teamIds: [teamId] }), 404, "not_found");
  await client.post("groups/delete", { teamIds: [teamId] });
  expectError(await elsewhere.post("groups/restore", { teamIds: [teamId] }), 404, "not_found");
  const viewer = await adminClient(database, "viewer");
  expectError(await viewer.post("groups/restore", { teamIds: [teamId] }), 403, "forbidden");
  expect((await client.post("groups/restore", { teamIds: [teamId] })).status).toBe(200);
  expectError(await viewer.post("groups/delete", { teamIds: [teamId] }), 403, "forbidden");
  for (const teamIds of [undefined, [], "1", ["1"], [0], [1.5], [2 ** 31], Array(101).fill(teamId)]) {
    expectError(await client.post("groups/delete", { teamIds }), 422, "invalid_fields");
  }
});
