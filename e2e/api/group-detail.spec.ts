import { rotatedAnswer } from "@/lib/groups/answer-schema";
import { groupDetail } from "@/lib/groups/schema";
import { type AdminClient, adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, newId, test } from "../fixtures/api";

async function detail(client: AdminClient, teamId: number) {
  const response = await client.get(`groups/${teamId}`);
  expect(response.status, response.text).toBe(200);
  return groupDetail.parse(response.json).group;
}

test("a group's details are what was sent, to the letter, with its token masked", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  const mapping = '{"b":1.0,"a":{"__proto__":[1e2]}}';
  const response = await client.user("GET", { user_group_id: id, name: "Née" });
  const { team_id, token } = response.json.user_group;
  await database.query("UPDATE user_group SET mapping = $2 WHERE team_id = $1", [team_id, mapping]);
  const group = await detail(client, team_id);
  expect(group).toMatchObject({ providedId: id, name: "Née", mapping, properties: null, version: 1 });
  expect(group.tokenMasked).toBe(`ugt_${"•".repeat(12)}${token.slice(-4)}`);
  expect(group.etag).toBe(response.headers.etag);
  expect(group.rotatedBy).toEqual({ type: "member", id: client.member.id, name: `Member ${client.member.id}` });
  expect(group.lastChange).toMatchObject({ action: "user_group.created", actor: group.rotatedBy });
});

test("a viewer sees no character of the token", async ({ database }) => {
  const { teamId, token } = await makeGroup(await adminClient(database), newId());
  const viewer = await adminClient(database, "viewer");
  const { tokenMasked } = await detail(viewer, teamId);
  expect(tokenMasked).toBe(`ugt_${"•".repeat(16)}`);
  expect((await viewer.get(`groups/${teamId}`)).text).not.toContain(token.slice(-4));
  expectError(await viewer.groups("token", { team_id: teamId, purpose: "reveal" }), 403, "forbidden");
});

test("the entity tag guards a save, and the details then say who was faster", async ({ database }) => {
  const [first, second] = [await adminClient(database), await adminClient(database)];
  const { teamId, providedId } = await makeGroup(first, newId());
  const { etag } = await detail(first, teamId);
  const save = (client: AdminClient, name: string) =>
    client.user("PUT", { user_group_id: providedId, name }, { "if-match": etag });
  expect((await save(second, "Theirs")).status).toBe(200);
  expectError(await save(first, "Mine"), 412, "stale");
  const { name, lastChange, etag: now, version } = await detail(first, teamId);
  expect({ name, version }).toEqual({ name: "Theirs", version: 2 });
  expect(now).not.toBe(etag);
  expect(lastChange).toMatchObject({ action: "user_group.updated", actor: { id: second.member.id } });
});

test("who still holds the old token can be told who rotated it", async ({ database }) => {
  const [first, second] = [await adminClient(database), await adminClient(database)];
  const { teamId, token } = await makeGroup(first, newId());
  const before = await detail(first, teamId);
  expect((await second.user("POST", { current_token: token })).status).toBe(200);
  expectError(await first.user("POST", { current_token: token }), 404, "unknown_token");
  const after = await detail(first, teamId);
  expect(after.rotatedBy?.id).toBe(second.member.id);
  expect(Date.parse(after.rotatedAt)).toBeGreaterThan(Date.parse(before.rotatedAt));
  // Neither revealing nor editing counts as giving it a token.
  await first.groups("token", { team_id: teamId, purpose: "copy" });
  await first.user("PUT", { user_group_id: after.providedId, name: "Later" });
  expect((await detail(first, teamId)).rotatedBy).toEqual(after.rotatedBy);
});

test("revealing and copying give the token, and each is recorded", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId, token } = await makeGroup(client, newId());
  for (const purpose of ["reveal", "copy"]) {
    const response = await client.groups("token", { team_id: teamId, purpose });
    expect(rotatedAnswer.parse(response.json).user_group.token).toBe(token);
    expect(response.headers["cache-control"]).toBe("no-store");
  }
  const history = await database.query(
    "SELECT action, actor_id, before, after FROM audit_entry WHERE team_id = $1 AND action LIKE '%token%' ORDER BY id",
    [teamId],
  );
  const entry = { actor_id: client.member.id, before: null, after: null };
  expect(history).toEqual([
    { ...entry, action: "user_group.token_revealed" },
    { ...entry, action: "user_group.token_copied" },
  ]);
  expect((await detail(client, teamId)).lastChange?.action).toBe("user_group.created");
  const { json } = expectError(
    await client.groups("token", { team_id: teamId, purpose: "none" }),
    422,
    "invalid_fields",
  );
  expect(json.error.issues[0].path).toEqual(["purpose"]);
});

test("another environment's group, and one that is none, are not found", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const elsewhere = client.in(await createEnvironment(database));
  expectError(await elsewhere.get(`groups/${teamId}`), 404, "not_found");
  expectError(await elsewhere.groups("token", { team_id: teamId, purpose: "copy" }), 404, "unknown_user_group");
  expectError(await client.get("groups/2147483647"), 404, "not_found");
  for (const odd of ["0", "2147483648", "1e3", "x"]) {
    expectError(await client.get(`groups/${odd}`), 422, "invalid_fields");
  }
});
