import type { z } from "zod";
import { HISTORY_ACTIONS } from "@/lib/audit/actions";
import { activityActors, historyAnswer } from "@/lib/audit/schema";
import { reference } from "@/lib/openapi/reference";
import { type AdminClient, adminClient, createEnvironment, makeGroup, type Query } from "../fixtures/admin-client";
import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";
import { command } from "../fixtures/run";

type Entry = z.infer<typeof historyAnswer>["entries"][number];

async function entries(client: AdminClient, query: Query = {}): Promise<Entry[]> {
  const response = await client.groups("/history", query);
  expect(response.status, response.text).toBe(200);
  expect(response.text).not.toMatch(/"(token_fingerprint|ended_token)":/);
  return historyAnswer.parse(response.json).entries;
}

const actions = (found: Entry[]) => found.map(({ action }) => action.replace("user_group.", ""));

test("a group's history shows who did what, with the values before and after", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  const { teamId, token } = await makeGroup(client, id, { mapping: { b: 1, a: 2 }, properties: { n: 1 } });
  await client.user("PUT", { user_group_id: id, name: "Renamed", properties: null });
  await client.user("POST", { current_token: token });
  await client.act("token", { team_id: teamId, purpose: "reveal" });
  await client.user("DELETE", { user_group_id: id });
  const found = await entries(client, { team_id: teamId });
  expect(actions(found)).toEqual(["deleted", "token_revealed", "token_rotated", "updated", "created"]);
  const [deleted, revealed, rotated, updated, created] = found;
  const first = { provided_id: id, name: id, mapping: { b: 1, a: 2 }, properties: { n: 1 } };
  const second = { ...first, name: "Renamed", properties: null };
  expect(created).toEqual({
    id: created?.id,
    at: created?.at,
    action: "user_group.created",
    actor: { type: "member", id: client.member.id, name: `Member ${client.member.id}` },
    request_id: created?.request_id,
    team_id: teamId,
    user_group: { provided_id: id, name: "Renamed", exists: false },
    environment: "testing",
    before: null,
    after: first,
    token_changed: false,
  });
  expect(updated).toMatchObject({ before: first, after: second, token_changed: false });
  expect(rotated).toMatchObject({ before: second, after: second, token_changed: true });
  expect(revealed).toMatchObject({ before: null, after: null, user_group: created?.user_group });
  expect(deleted).toMatchObject({ before: second, after: null, token_changed: false });
  await client.act("restore", { user_group_id: id });
  expect((await entries(client, { team_id: teamId }))[0]).toMatchObject({
    action: "user_group.restored",
    user_group: { provided_id: id, name: "Renamed", exists: true },
  });
});

test("the history is filtered by member, API token, action, group and time", async ({ database, stage }) => {
  const client = await adminClient(database);
  const byToken = await createGroup();
  // Each worker has its own API token.
  const [apiToken] = await database.query(
    "SELECT t.id FROM api_token t JOIN audit_entry a ON a.actor_id = t.id::text WHERE a.team_id = $1 AND t.name = 'e2e'",
    [byToken.team_id],
  );
  const one = await makeGroup(client, newId());
  const two = await makeGroup(client, newId());
  await client.user("PUT", { user_group_id: one.providedId, name: "Changed" });
  const mine = { member: client.member.id };
  expect(actions(await entries(client, mine))).toEqual(["updated", "created", "created"]);
  expect(actions(await entries(client, { ...mine, action: "user_group.created" }))).toEqual(["created", "created"]);
  expect(actions(await entries(client, { ...mine, team_id: one.teamId }))).toEqual(["updated", "created"]);
  expect(await entries(client, { ...mine, action: "user_group.deleted" })).toEqual([]);
  const used = await entries(client, { api_token: apiToken.id, team_id: byToken.team_id });
  expect(used).toMatchObject([{ actor: { type: "api_token", id: String(apiToken.id), name: "e2e" } }]);
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

test("history entries are counted by hour, with the same filters", async ({ database, stage }) => {
  const client = await adminClient(database);
  const one = await makeGroup(client, newId());
  await client.user("PUT", { user_group_id: one.providedId, name: "Changed" });
  const mine = { member: client.member.id };
  const counts = async (query: Query) => (await client.groups("/history/counts", query)).json;
  const all = await counts(mine);
  expect(all).toMatchObject({ success: 1, since: null });
  const sum = ({ hours }: { hours: { at: string; entries: number }[] }) =>
    hours.reduce((n, { entries }) => n + entries, 0);
  expect(sum(all)).toBe(2);
  for (const { at } of all.hours) expect(at).toMatch(/:00:00\.000Z$/);
  expect(sum(await counts({ ...mine, action: "user_group.created" }))).toBe(1);
  expect(sum(await counts({ ...mine, team_id: one.teamId }))).toBe(2);
  expect(await counts({ ...mine, to: "2001-01-01T00:00:00Z" })).toEqual({ success: 1, since: null, hours: [] });

  // More entries than are counted, in a new environment.
  const slug = await createEnvironment(database);
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, at)
     SELECT id, 'user_groups.import_cancelled', 'operator', 'e2e', now() - n * interval '1 millisecond'
     FROM environment, generate_series(50_100, 1, -1) n WHERE slug = $1`,
    [slug],
  );
  const cancelled = { action: "user_groups.import_cancelled" };
  const many = (await client.in(slug).groups("/history/counts", cancelled)).json;
  expect(many.since).not.toBeNull();
  expect(sum(many)).toBe(50_000);

  expect((await counts({ cursor: "x" })).error.code).toBe("invalid_fields");
  const asProgram = await call("GET", "/api/user-groups/history/counts?scope=all", { token: stage.tokens.testing });
  expect(asProgram.status).toBe(403);
});

test("the history is read in pages, by viewers too", async ({ database }) => {
  const client = await adminClient(database);
  for (let n = 0; n < 7; n++) await makeGroup(client, newId());
  const viewer = await adminClient(database, "viewer");
  const query = { member: client.member.id, limit: 3 };
  const found: Entry[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; cursor !== null; pages++) {
    expect(pages).toBeLessThan(3);
    const { json } = await viewer.groups("/history", { ...query, ...(cursor && { cursor }) });
    const page = historyAnswer.parse(json);
    found.push(...page.entries);
    cursor = page.next_cursor;
    await makeGroup(client, newId());
  }
  expect(found).toHaveLength(7);
  const numbers = found.map(({ id }) => BigInt(id));
  expect(numbers).toEqual([...numbers].sort((a, b) => (a < b ? 1 : -1)));
});

test("an environment's history has its own and global entries, and on request those of all", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId } = await makeGroup(client, newId());
  const elsewhere = client.in(await createEnvironment(database));
  expect(await entries(elsewhere, { team_id: teamId })).toEqual([]);
  expect(await entries(elsewhere, { team_id: teamId, scope: "all" })).toHaveLength(1);
  const members = await entries(elsewhere, { action: "member.created" });
  expect(members.at(-1)).toMatchObject({ environment: null, team_id: null, user_group: null, before: null });
  const token = { name: newId(), scopes: ["groups:read"], expiresAt: null };
  expect((await client.post("api-tokens", token)).status).toBe(200);
  const tokens = await entries(client, { action: "api_token.created", limit: 1 });
  expect(tokens).toMatchObject([{ environment: "testing", after: { name: expect.any(String) } }]);
});

test("the history lists its filter values", async ({ database }) => {
  const viewer = await adminClient(database, "viewer");
  const client = await adminClient(database);
  await makeGroup(client, newId());
  await client.post("api-tokens", { name: newId(), scopes: ["groups:read"], expiresAt: null });
  const { json } = await viewer.get("activity/actors");
  const { members, apiTokens, actions: known } = activityActors.parse(json);
  expect(members).toContainEqual({ id: viewer.member.id, name: `Member ${viewer.member.id}` });
  expect(apiTokens).toContainEqual({ id: expect.any(Number), name: "e2e", environment: "production" });
  expect(known).toEqual([...new Set(known)].sort());
  expect(known).toEqual(expect.arrayContaining(["api_token.created", "member.created", "user_group.created"]));
});

test("a history is found by id, also for a recently deleted group", async ({ database }) => {
  const client = await adminClient(database);
  const id = newId();
  await makeGroup(client, id);
  await client.user("PUT", { user_group_id: id, name: "Changed" });
  expect(actions(await entries(client, { user_group_id: id }))).toEqual(["updated", "created"]);
  await client.user("DELETE", { user_group_id: id });
  expect(actions(await entries(client, { user_group_id: id }))).toEqual(["deleted", "updated", "created"]);
  await makeGroup(client, id);
  expect(actions(await entries(client, { user_group_id: id }))).toEqual(["created"]);
  expect(await entries(client, { user_group_id: newId() })).toEqual([]);
  expect(await entries(client.in(await createEnvironment(database)), { user_group_id: id })).toEqual([]);
});

test("an unknown action is refused, and the description lists the known ones", async ({ database }) => {
  const client = await adminClient(database);
  const refused = await client.groups("/history", { action: "user_group.moved" });
  expectError(refused, 422, "invalid_fields");
  expect(refused.json.error.issues).toEqual([
    {
      path: ["action", 0],
      message: "must be an action of the history, such as user_group.updated: /docs lists them",
    },
  ]);
  const { parameters = [] } = reference.paths?.["/api/user-groups/history"]?.get ?? {};
  expect(JSON.stringify(parameters)).toContain(JSON.stringify(HISTORY_ACTIONS));
});

test("several actions can be requested, and a suspension shows its reason", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId, token, providedId } = await makeGroup(client, newId());
  await client.user("POST", { current_token: token });
  await client.act("token", { team_id: teamId, purpose: "copy" });
  await client.send("POST", "/api/user-groups/suspend", {
    user_group_id: providedId,
    reason: 'Said "token_fingerprint"',
  });
  const asked = { team_id: teamId, action: ["user_group.created", "user_group.token_rotated"] };
  expect(actions(await entries(client, asked))).toEqual(["token_rotated", "created"]);
  expect(actions(await entries(client, { ...asked, limit: 1 }))).toEqual(["token_rotated"]);
  const [suspended] = await entries(client, { team_id: teamId, limit: 1 });
  expect(suspended).toMatchObject({
    action: "user_group.suspended",
    before: { state: "active" },
    after: { state: "suspended", reason: 'Said "token_fingerprint"' },
    token_changed: false,
  });
});

test("a reason that equals an internal field name is shown like any other", async ({ database }) => {
  const client = await adminClient(database);
  const { provided_id, team_id } = await createGroup();
  const { next_cursor } = (await client.send("GET", "/api/events?after=latest")).json;
  const reason = "token_fingerprint";
  expect((await client.act("suspend", { user_group_id: provided_id, reason })).status).toBe(200);
  const after = { state: "suspended", reason };
  expect((await entries(client, { team_id }))[0]).toMatchObject({
    before: { state: "active" },
    after,
    user_group: { provided_id },
  });
  const types = "user_group.suspended";
  const own = async () => {
    const { json } = await client.send("GET", `/api/events?after=${next_cursor}&types=${types}&include=states`);
    return json.events.filter(({ data }: { data: { team_id: number } }) => data.team_id === team_id);
  };
  await expect.poll(own).toMatchObject([{ data: { provided_id, after, changed: ["state", "reason"] } }]);
});

test("a program sees only its environment's history", async ({ stage, database }) => {
  const slug = await createEnvironment(database);
  const admin = (await adminClient(database)).in(slug);
  const { teamId } = await makeGroup(admin, "here", { mapping: { a: 1 } });
  await makeGroup(admin.in("testing"), newId());
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const options = ["--name", newId(), "--environment", slug, "--preset", "read-only"];
  const token = (await command(["api-token", "create", ...options], settings)).stdout.trim();
  const read = (query = "") => call("GET", `/api/user-groups/history${query}`, { token });
  const { entries: found } = historyAnswer.parse((await read("?limit=200")).json);
  expect(new Set(found.map(({ environment }) => environment))).toEqual(new Set([slug]));
  expect(found.map(({ action }) => action)).toEqual(["api_token.created", "user_group.created"]);
  expect((await read(`?team_id=${teamId}`)).json.entries).toHaveLength(1);
  expectError(await read("?scope=all"), 403, "forbidden");
  expectError(await call("GET", "/api/user-groups/history"), 403, "forbidden");
});

test("a page of the history ends at 4 MiB of states", async ({ database }) => {
  const client = await adminClient(database);
  const large = { mapping: { text: "x".repeat(60_000) }, properties: { text: "y".repeat(60_000) } };
  const { teamId, providedId } = await makeGroup(client, newId(), large);
  for (let n = 0; n < 25; n++) await client.user("PUT", { user_group_id: providedId, name: `Name ${n}` });
  const first = historyAnswer.parse((await client.groups("/history", { team_id: teamId })).json);
  expect(first.entries.length).toBeLessThan(20);
  const second = await client.groups("/history", { team_id: teamId, cursor: first.next_cursor ?? "" });
  const { entries: rest, next_cursor } = historyAnswer.parse(second.json);
  expect([first.entries.length + rest.length, next_cursor]).toEqual([26, null]);
});

test("invalid history queries are refused", async ({ database }) => {
  const client = await adminClient(database, "viewer");
  for (const [field, query] of [
    ["from", { from: "yesterday" }],
    ["from", { from: "0000-01-01T00:00:00Z" }],
    ["member", { member: "a\0b" }],
    ["action", { action: "\0" }],
    ["action", { action: Array(21).fill("x") }],
    ["cursor", { cursor: "x" }],
    ["api_token", { api_token: "x" }],
    ["api_token", { api_token: 1, member: "x" }],
    ["team_id", { team_id: "0" }],
    ["team_id", { team_id: 1, user_group_id: "x" }],
    ["limit", { limit: "1e1" }],
    ["cursor", { cursor: "4711" }],
    ["scope", { scope: "mine" }],
    ["limit", { limit: 1000 }],
    ["actor", { actor: "x" }],
  ] as [string, Query][]) {
    const { json } = expectError(await client.groups("/history", query), 422, "invalid_fields");
    expect(json.error.issues[0].path).toEqual([field]);
  }
});
