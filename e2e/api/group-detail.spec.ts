import { rotatedAnswer } from "@/lib/groups/answer-schema";
import { type AdminClient, adminClient, createEnvironment, listed, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, newId, test } from "../fixtures/api";

test("a viewer finds a group by its number, without a character of its token", async ({ database }) => {
  const { teamId, token } = await makeGroup(await adminClient(database), newId());
  const viewer = await adminClient(database, "viewer");
  const { status, text } = await viewer.groups("", { team_id: teamId });
  expect(status).toBe(200);
  expect(text).toContain(`"team_id":${teamId},`);
  expect(text).not.toContain(token.slice(-4));
  expectError(await viewer.act("token", { team_id: teamId, purpose: "reveal" }), 403, "forbidden");
});

/** The last entries of a group's history, as the dashboard asks for them. */
async function history(client: AdminClient, teamId: number, action: string[] = []) {
  return (await client.groups("/history", { team_id: teamId, action })).json.entries;
}
const GIVERS = ["user_group.created", "user_group.token_rotated"];

test("the ETag guards a save, and the details then show who changed it first", async ({ database }) => {
  const [first, second] = [await adminClient(database), await adminClient(database)];
  const { teamId, providedId } = await makeGroup(first, newId());
  const { etag } = await listed(first, teamId);
  const save = (client: AdminClient, name: string) =>
    client.user("PUT", { user_group_id: providedId, name }, { "if-match": etag });
  expect((await save(second, "Theirs")).status).toBe(200);
  expectError(await save(first, "Mine"), 412, "stale");
  expect(await listed(first, teamId)).toMatchObject({ name: "Theirs", etag: `"${teamId}-2"` });
  const [lastChange] = await history(first, teamId);
  expect(lastChange).toMatchObject({ action: "user_group.updated", actor: { id: second.member.id } });
});

test("a member with an old token can look up who rotated it", async ({ database }) => {
  const [first, second] = [await adminClient(database), await adminClient(database)];
  const { teamId, token } = await makeGroup(first, newId());
  const before = await listed(first, teamId);
  expect((await second.user("POST", { current_token: token })).status).toBe(200);
  expectError(await first.user("POST", { current_token: token }), 404, "unknown_token");
  const after = await listed(first, teamId);
  const [given] = await history(first, teamId, GIVERS);
  expect(given.actor.id).toBe(second.member.id);
  expect(Date.parse(after.rotated_at)).toBeGreaterThan(Date.parse(before.rotated_at));
  // Neither revealing nor editing counts as issuing a token.
  await first.act("token", { team_id: teamId, purpose: "copy" });
  await first.user("PUT", { user_group_id: after.provided_id, name: "Later" });
  expect((await history(first, teamId, GIVERS))[0].id).toBe(given.id);
});

test("the token is revealed and copied, and each is recorded", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId, token } = await makeGroup(client, newId());
  for (const purpose of ["reveal", "copy"]) {
    const response = await client.act("token", { team_id: teamId, purpose });
    expect(rotatedAnswer.parse(response.json).user_group.token).toBe(token);
    expect(response.headers["cache-control"]).toBe("no-store");
  }
  const recorded = await database.query(
    "SELECT action, actor_id, before, after FROM audit_entry WHERE team_id = $1 AND action LIKE '%token%' ORDER BY id",
    [teamId],
  );
  const entry = { actor_id: client.member.id, before: null, after: null };
  expect(recorded).toEqual([
    { ...entry, action: "user_group.token_revealed" },
    { ...entry, action: "user_group.token_copied" },
  ]);
  const { json } = expectError(await client.act("token", { team_id: teamId, purpose: "none" }), 422, "invalid_fields");
  expect(json.error.issues[0].path).toEqual(["purpose"]);
});

test("groups of other environments and unknown ids are not found", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const elsewhere = client.in(await createEnvironment(database));
  expect(await listed(elsewhere, teamId)).toBeUndefined();
  expect(await listed(client, 2_147_483_647)).toBeUndefined();
  expectError(await elsewhere.act("token", { team_id: teamId, purpose: "copy" }), 404, "unknown_user_group");
  for (const odd of ["0", "2147483648", "1e3", "x"]) {
    expectError(await client.groups("", { team_id: odd }), 422, "invalid_fields");
  }
});
