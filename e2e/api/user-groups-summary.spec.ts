import { summaryAnswer } from "@/lib/groups/summary-schema";
import { type AdminClient, adminClient, adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { type Database, expect, expectError, test } from "../fixtures/api";

async function summarize(client: AdminClient) {
  const response = await client.groups("/summary");
  expect(response.status, response.text).toBe(200);
  return summaryAnswer.parse(response.json);
}

async function setUse(database: Database, teamId: number, days: number) {
  await database.query("UPDATE group_use SET last_used_at = now() - $2 * interval '1 day' WHERE team_id = $1", [
    teamId,
    days,
  ]);
}

test("a summary counts each group once by state, and follows each change", async ({ database }) => {
  const client = await adminElsewhere(database);
  const none = { in_use: 0, idle: 0, never_used: 0, suspended: 0, ended: 0 };
  expect(await summarize(client)).toEqual({
    success: 1,
    total: 0,
    counts_are_exact: true,
    states: none,
    properties: [],
    sampled: 0,
  });
  const days = { today: 0, month: 29, spring: 31, year: 400 };
  for (const [id, ago] of Object.entries(days)) await setUse(database, (await makeGroup(client, id)).teamId, ago);
  for (const id of ["never", "also never", "gone"]) await makeGroup(client, id);
  const states = async () => (await summarize(client)).states;
  expect(await states()).toEqual({ ...none, in_use: 2, idle: 2, never_used: 3 });
  expect((await client.user("DELETE", { user_group_id: "gone" })).status).toBe(200);
  expect((await client.act("suspend", { user_group_id: "today" })).status).toBe(200);
  expect((await client.act("suspend", { user_group_id: "never" })).status).toBe(200);
  const end = { access_ends_at: "2020-01-01T00:00:00Z" };
  for (const user_group_id of ["spring", "never"]) await client.user("PATCH", { user_group_id, ...end });
  expect(await states()).toEqual({ in_use: 1, idle: 1, never_used: 1, suspended: 2, ended: 1 });
  expect((await summarize(client)).total).toBe(6);
  await client.act("resume", { user_group_id: "today" });
  expect(await states()).toEqual({ in_use: 2, idle: 1, never_used: 1, suspended: 1, ended: 1 });
});

test("its counts match lists with the same conditions", async ({ database }) => {
  const client = await adminElsewhere(database);
  for (const [id, ago] of [
    ["a", 1],
    ["b", 100],
    ["c", 40],
    ["d", null],
    ["e", 2],
    ["f", 200],
  ] as const) {
    const { teamId } = await makeGroup(client, id);
    if (ago !== null) await setUse(database, teamId, ago);
  }
  for (const user_group_id of ["e", "f"]) await client.act("suspend", { user_group_id });
  const { states } = await summarize(client);
  for (const [state, query] of [
    ["in_use", { state: "active", used: "within-30d" }],
    ["idle", { state: "active", used: "idle-30d" }],
    ["never_used", { state: "active", used: "never" }],
    ["suspended", { state: "suspended" }],
    ["ended", { state: "ended" }],
  ] as const) {
    const { json } = await client.groups("", query);
    expect({ [state]: json.total, exact: json.total_is_exact }).toEqual({ [state]: states[state], exact: true });
  }
});

test("it shows the most frequent properties and their short values, with shares of the sample", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  await makeGroup(client, "a", {
    properties: { plan: "pro", seats: 10, beta: true, flags: ["x"], text: "x".repeat(99) },
  });
  await makeGroup(client, "b", { properties: { plan: "pro", seats: 10.5, none: null } });
  await makeGroup(client, "c", { properties: { plan: "free", "": 1, ["n".repeat(101)]: 1 } });
  await makeGroup(client, "d");
  // Large groups are skipped: random text does not compress.
  const noise = Array.from({ length: 300 }, () => crypto.randomUUID()).join("");
  await makeGroup(client, "e", { properties: { plan: "large", noise } });
  const { properties, sampled } = await summarize(client);
  expect(sampled).toBe(4);
  expect(properties[0]).toEqual({
    name: "plan",
    groups: 3,
    values: [
      { value: "pro", groups: 2 },
      { value: "free", groups: 1 },
    ],
  });
  const others = Object.fromEntries(properties.slice(1).map(({ name, values }) => [name, values]));
  expect(others).toEqual({
    seats: [
      { value: 10, groups: 1 },
      { value: 10.5, groups: 1 },
    ],
    beta: [{ value: true, groups: 1 }],
    none: [{ value: null, groups: 1 }],
    "": [{ value: 1, groups: 1 }],
    flags: [],
    text: [],
  });
});

test("a summary omits numbers that JavaScript would change", async ({ database }) => {
  const client = await adminElsewhere(database);
  const made = await client.send("GET", "/api/user", '{"user_group_id":"a","properties":{"rate":1.50,"plan":"pro"}}');
  expect(made.status).toBe(200);
  const { properties } = await summarize(client);
  expect(properties).toContainEqual({ name: "rate", groups: 1, values: [] });
});

test("a viewer may read it; it covers one environment and accepts no query", async ({ database }) => {
  const client = await adminElsewhere(database);
  await makeGroup(client, "a");
  const viewer = (await adminClient(database, "viewer")).in(client.environment);
  expect((await summarize(viewer)).total).toBe(1);
  expect((await summarize(await adminElsewhere(database))).total).toBe(0);
  expectError(await client.groups("/summary", { search: "a" }), 422, "invalid_fields");
});
