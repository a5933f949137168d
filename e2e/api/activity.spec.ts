import { type ActivityEntry, activity, activityActors } from "@/lib/audit/schema";
import { type AdminClient, adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { createGroup, expect, expectError, newId, test } from "../fixtures/api";

async function entries(client: AdminClient, query: Record<string, string | number> = {}): Promise<ActivityEntry[]> {
  const response = await client.get("activity", query);
  expect(response.status, response.text).toBe(200);
  expect(response.text).not.toMatch(/token_fingerprint|ended_token/);
  return activity.parse(response.json).entries;
}

const actions = (found: ActivityEntry[]) => found.map(({ action }) => action.replace("user_group.", ""));

test("a group's history tells who did what, and what it was before and after", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  const { teamId, token } = await makeGroup(client, id, { mapping: { b: 1, a: 2 }, properties: { n: 1 } });
  await client.user("PUT", { user_group_id: id, name: "Renamed", properties: null });
  await client.user("POST", { current_token: token });
  await client.groups("token", { team_id: teamId, purpose: "reveal" });
  await client.groups("delete-many", { team_ids: [teamId] });
  const found = await entries(client, { teamId });
  expect(actions(found)).toEqual(["deleted", "token_revealed", "token_rotated", "updated", "created"]);
  const [deleted, revealed, rotated, updated, created] = found;
  const first = { kind: "group", providedId: id, name: id, mapping: '{"b":1,"a":2}', properties: '{"n":1}' };
  const second = { ...first, name: "Renamed", properties: null };
  expect(created).toEqual({
    id: created?.id,
    at: created?.at,
    action: "user_group.created",
    actorType: "member",
    actorId: client.member.id,
    actorName: `Member ${client.member.id}`,
    requestId: created?.requestId,
    teamId,
    group: { providedId: id, name: "Renamed", exists: false },
    environment: "testing",
    before: null,
    after: first,
    tokenChanged: false,
  });
  expect(updated).toMatchObject({ before: first, after: second, tokenChanged: false });
  expect(rotated).toMatchObject({ before: second, after: second, tokenChanged: true });
  expect(revealed).toMatchObject({ before: null, after: null, group: created?.group });
  expect(deleted).toMatchObject({ before: second, after: null, tokenChanged: false });
  await client.groups("restore-many", { team_ids: [teamId] });
  expect((await entries(client, { teamId }))[0]).toMatchObject({
    action: "user_group.restored",
    group: { providedId: id, name: "Renamed", exists: true },
  });
});

test("the history is filtered by member, API token, action, group and time", async ({ database, stage }) => {
  const client = await adminClient(database);
  const [apiToken] = await database.query(
    "SELECT id FROM api_token WHERE name = 'e2e' AND access = 'write' AND environment_id = 2 ORDER BY id LIMIT 1",
  );
  const byToken = await createGroup();
  const one = await makeGroup(client, newId());
  const two = await makeGroup(client, newId());
  await client.user("PUT", { user_group_id: one.providedId, name: "Changed" });
  const mine = { member: client.member.id };
  expect(actions(await entries(client, mine))).toEqual(["updated", "created", "created"]);
  expect(actions(await entries(client, { ...mine, action: "user_group.created" }))).toEqual(["created", "created"]);
  expect(actions(await entries(client, { ...mine, teamId: one.teamId }))).toEqual(["updated", "created"]);
  expect(await entries(client, { ...mine, action: "user_group.deleted" })).toEqual([]);
  const used = await entries(client, { apiToken: apiToken.id, teamId: byToken.team_id });
  expect(used).toMatchObject([{ actorType: "api_token", actorId: String(apiToken.id), actorName: "e2e" }]);
  expect(await entries(client, { member: String(apiToken.id) })).toEqual([]);

  await database.query("SELECT pg_sleep(0.02)");
  const [{ at: between }] = await database.query("SELECT now()::timestamptz(3) AS at");
  await database.query("SELECT pg_sleep(0.02)");
  await client.user("PUT", { user_group_id: two.providedId, name: "Later" });
  expect(actions(await entries(client, { ...mine, from: between.toISOString() }))).toEqual(["updated"]);
  expect(actions(await entries(client, { ...mine, to: between.toISOString() }))).toHaveLength(3);
  const nothing = { ...mine, from: "2001-01-01T00:00:00Z", to: "2002-01-01T00:00:00+01:00" };
  expect(await entries(client, nothing)).toEqual([]);
  expect(stage.tokens.testing).toBeTruthy();
});

test("the history is read in pages, by a viewer too", async ({ database }) => {
  const client = await adminClient(database);
  for (let n = 0; n < 7; n++) await makeGroup(client, newId());
  const viewer = await adminClient(database, "viewer");
  const query = { member: client.member.id, limit: 3 };
  const found: ActivityEntry[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; cursor !== null; pages++) {
    expect(pages).toBeLessThan(3);
    const { json } = await viewer.get("activity", { ...query, ...(cursor && { cursor }) });
    const page = activity.parse(json);
    found.push(...page.entries);
    cursor = page.nextCursor;
    await makeGroup(client, newId());
  }
  expect(found).toHaveLength(7);
  const numbers = found.map(({ id }) => BigInt(id));
  expect(numbers).toEqual([...numbers].sort((a, b) => (a < b ? 1 : -1)));
});

test("an environment's history has its own entries and those of none; all of them on demand", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const elsewhere = client.in(await createEnvironment(database));
  expect(await entries(elsewhere, { teamId })).toEqual([]);
  expect(await entries(elsewhere, { teamId, scope: "all" })).toHaveLength(1);
  const members = await entries(elsewhere, { action: "member.created" });
  expect(members).toMatchObject([
    { environment: null, teamId: null, group: null, before: null, after: { kind: "other", fields: { role: "owner" } } },
  ]);
  const tokens = await entries(client, { action: "api_token.created", limit: 1 });
  expect(tokens).toMatchObject([{ environment: "testing", after: { kind: "other" } }]);
});

test("there is a list of what the history can be filtered by", async ({ database }) => {
  const viewer = await adminClient(database, "viewer");
  await makeGroup(await adminClient(database), newId());
  const { json } = await viewer.get("activity/actors");
  const { members, apiTokens, actions: known } = activityActors.parse(json);
  expect(members).toContainEqual({ id: viewer.member.id, name: `Member ${viewer.member.id}` });
  expect(apiTokens).toContainEqual({ id: expect.any(Number), name: "e2e", environment: "production" });
  expect(known).toEqual([...new Set(known)].sort());
  expect(known).toEqual(expect.arrayContaining(["api_token.created", "member.created", "user_group.created"]));
});

test("what cannot be asked of the history is refused", async ({ database }) => {
  const client = await adminClient(database, "viewer");
  for (const [field, query] of [
    ["from", { from: "yesterday" }],
    ["from", { from: "0000-01-01T00:00:00Z" }],
    ["member", { member: "a\0b" }],
    ["action", { action: "\0" }],
    ["cursor", { cursor: "x" }],
    ["apiToken", { apiToken: "x" }],
    ["apiToken", { apiToken: 1, member: "x" }],
    ["teamId", { teamId: "0" }],
    ["scope", { scope: "mine" }],
    ["limit", { limit: 1000 }],
    ["actor", { actor: "x" }],
  ] as const) {
    const { json } = expectError(await client.get("activity", query), 422, "invalid_fields");
    expect(json.error.issues[0].path).toEqual([field]);
  }
});
