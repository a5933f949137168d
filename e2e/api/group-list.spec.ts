import { type GroupSummary, groupList } from "@/lib/groups/schema";
import { type AdminClient, adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { type Database, expect, expectError, test } from "../fixtures/api";

/** An environment with these groups alone, and an admin who looks at it. */
async function place(database: Database, groups: [id: string, fields?: object][]) {
  const client = (await adminClient(database)).in(await createEnvironment(database));
  for (const [id, fields] of groups) await makeGroup(client, id, fields);
  return client;
}

async function list(client: AdminClient, query: Record<string, string | number> = {}) {
  const response = await client.get("groups", query);
  expect(response.status, response.text).toBe(200);
  return groupList.parse(response.json);
}

const ids = (groups: GroupSummary[]) => groups.map(({ providedId }) => providedId);
const found = async (client: AdminClient, query: Record<string, string | number>) =>
  ids((await list(client, { sort: "id", ...query })).groups);

test("a list shows groups at a glance, and nothing of their tokens", async ({ database }) => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, n]));
  const client = await place(database, [
    ["plain"],
    ["rich", { name: "Rich", mapping: { 40: "213" }, properties: { plan: "pro", nested: { a: [1.0, "x"] } } }],
    ["many", { properties: many }],
    ["long", { properties: { text: "é".repeat(500) } }],
  ]);
  const response = await client.get("groups", { sort: "created" });
  expect(response.text).not.toMatch(/ugt_|token|sealed|fingerprint/);
  expect(response.headers["cache-control"]).toBe("no-store");
  const { groups, total, previousCursor, nextCursor } = groupList.parse(response.json);
  expect({ total, previousCursor, nextCursor }).toEqual({
    total: { count: 4, exact: true },
    previousCursor: null,
    nextCursor: null,
  });
  expect(groups.map(({ name, properties }) => [name, properties])).toEqual([
    ["plain", null],
    [
      "Rich",
      {
        members: [
          ["plan", '"pro"'],
          ["nested", '{"a":[1,"x"]}'],
        ],
        count: 2,
      },
    ],
    [
      "many",
      {
        members: Object.entries(many)
          .slice(0, 8)
          .map(([name, value]) => [name, String(value)]),
        count: 12,
      },
    ],
    ["long", { members: [["text", `"${"é".repeat(58)}…`]], count: 1 }],
  ]);
});

test("a viewer may list; a search finds parts of names and ids without regard to case", async ({ database }) => {
  const client = await place(database, [
    ["acme-1", { name: "Acme Logistics" }],
    ["BETA_2", { name: "Zürich 100% Öl" }],
    ["beta%2", { name: "Back\\slash" }],
    ["tokyo", { name: "日本 東京支店" }],
    ["no-303", { name: "Ü" }],
    ["x-7f", { name: 'O\'Neil "quoted"' }],
    ["z-303-274rich", { name: "Octal" }],
  ]);
  const viewer = (await adminClient(database, "viewer")).in("testing");
  expect((await viewer.get("groups")).status).toBe(200);
  for (const [search, expected] of [
    ["ACME", ["acme-1"]],
    ["logis", ["acme-1"]],
    ["me log", ["acme-1"]],
    ["beta", ["BETA_2", "beta%2"]],
    ["beta_", ["BETA_2"]],
    ["eta%2", ["beta%2"]],
    // The bytes of ü in octal: the index holds them so.
    ["303", ["no-303", "z-303-274rich"]],
    ["274", ["z-303-274rich"]],
    ["zürich", ["BETA_2"]],
    ["ÖL", ["BETA_2"]],
    ["00% ö", ["BETA_2"]],
    ["k\\s", ["beta%2"]],
    ["東京", ["tokyo"]],
    ["京", ["tokyo"]],
    ['neil "q', ["x-7f"]],
    ["o'n", ["x-7f"]],
    ["-7f", ["x-7f"]],
    // One or two characters of ASCII are looked for where a name or an id begins.
    ["a", ["acme-1"]],
    ["B", ["BETA_2", "beta%2"]],
    ["be", ["BETA_2", "beta%2"]],
    ["7f", []],
    ["%", []],
    ["_", []],
    [" acme-1 ", ["acme-1"]],
    ["logistics acme", []],
    ["nowhere", []],
    ["  ", ["BETA_2", "acme-1", "beta%2", "no-303", "tokyo", "x-7f", "z-303-274rich"]],
  ] as const) {
    expect(await found(client, { search }), search).toEqual(expected);
  }
});

test("filters compare top-level properties, and all of them hold", async ({ database }) => {
  const client = await place(database, [
    ["none"],
    ["pro", { properties: { plan: "pro", seats: 10, trial: true, "a = b, c": "x, y" } }],
    ["pro-text", { properties: { plan: "pro", seats: "10", trial: "true", note: null } }],
    ["free", { properties: { plan: "free", seats: 10.5, inner: { plan: "pro" }, plans: ["pro"] } }],
  ]);
  for (const [filter, expected] of [
    ["plan = pro", ["pro", "pro-text"]],
    ["plan=pro,seats=10", ["pro", "pro-text"]],
    ['plan=pro, seats="10"', ["pro-text"]],
    ["seats = 10", ["pro", "pro-text"]],
    ["seats = 10.0", ["pro"]],
    ["seats = 10.5", ["free"]],
    ["trial = true", ["pro", "pro-text"]],
    ["note = null", ["pro-text"]],
    ["plan = pro, plan = free", []],
    ['"a = b, c" = "x, y"', ["pro"]],
    ["plans = pro", []],
    ["plan = Pro", []],
    ["missing = x", []],
    ["", ["free", "none", "pro", "pro-text"]],
  ] as const) {
    expect(await found(client, { filter }), filter).toEqual(expected);
  }
  expect(await found(client, { filter: "plan = pro", search: "text" })).toEqual(["pro-text"]);
});

test("a list is narrowed to groups by when their token was last used", async ({ database }) => {
  const days: Record<string, number | null> = { today: 0, week: 6, month: 29, quarter: 80, year: 400, never: null };
  const client = await place(
    database,
    Object.keys(days).map((id) => [id, { properties: { long: id.length > 4 } }]),
  );
  for (const [id, ago] of Object.entries(days)) {
    if (ago === null) continue;
    await database.query(
      `UPDATE group_use u SET last_used_at = now() - $3 * interval '1 day' FROM user_group g JOIN environment e ON e.id = g.environment_id
       WHERE g.team_id = u.team_id AND e.slug = $1 AND g.provided_id = $2`,
      [client.environment, id, ago],
    );
  }
  for (const [used, expected] of [
    ["within-1d", ["today"]],
    ["within-7d", ["today", "week"]],
    ["within-30d", ["month", "today", "week"]],
    ["within-9999d", ["month", "quarter", "today", "week", "year"]],
    ["not-within-30d", ["never", "quarter", "year"]],
    ["not-within-9999d", ["never"]],
    ["never", ["never"]],
  ] as const) {
    expect(await found(client, { used }), used).toEqual(expected);
  }
  expect(await found(client, { used: "within-30d", filter: "long = true" })).toEqual(["month", "today"]);
  expect(await found(client, { used: "not-within-30d", search: "ear" })).toEqual(["year"]);
});

test("each order goes both ways", async ({ database }) => {
  const client = await place(database, [
    ["c", { name: "beta" }],
    ["B", { name: "Alpha" }],
    ["a", { name: "alpha" }],
  ]);
  await client.user("PUT", { user_group_id: "c", properties: { changed: true } });
  for (const [sort, expected] of [
    ["name", ["B", "a", "c"]],
    ["id", ["B", "a", "c"]],
    ["created", ["c", "B", "a"]],
    ["updated", ["B", "a", "c"]],
  ] as const) {
    expect(ids((await list(client, { sort })).groups)).toEqual(expected);
    expect(ids((await list(client, { sort: `-${sort}` })).groups)).toEqual([...expected].reverse());
  }
  expect(ids((await list(client)).groups)[0]).toBe("c");
});

for (const query of [{}, { search: "same" }, { filter: "kind = even" }, { used: "never" }]) {
  test(`pages go on and back through equal keys, with ${JSON.stringify(query)}`, async ({ database }) => {
    const client = await place(
      database,
      Array.from({ length: 23 }, (_, n) => [
        `id-${String(n).padStart(2, "0")}`,
        { name: "Same", properties: { kind: "even" } },
      ]),
    );
    await database.query(
      "UPDATE user_group SET updated_at = '2026-01-01' WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
      [client.environment],
    );
    for (const sort of ["name", "-name", "-updated", "updated", "created", "-id"]) {
      const all = ids((await list(client, { ...query, sort })).groups);
      expect(new Set(all).size).toBe(23);
      const there: string[][] = [];
      const back: string[][] = [];
      let page = await list(client, { ...query, sort, limit: 5 });
      expect(page.previousCursor).toBeNull();
      for (;;) {
        there.push(ids(page.groups));
        expect(page.total).toEqual({ count: 23, exact: true });
        if (!page.nextCursor) break;
        page = await list(client, { ...query, sort, limit: 5, cursor: page.nextCursor });
      }
      expect(there.flat()).toEqual(all);
      expect(there.map((one) => one.length)).toEqual([5, 5, 5, 5, 3]);
      while (page.previousCursor) {
        page = await list(client, { ...query, sort, limit: 5, cursor: page.previousCursor });
        back.unshift(ids(page.groups));
      }
      expect(back).toEqual(there.slice(0, -1));
    }
  });
}

test("a page goes on where it was though rows come and go, that of the cursor too", async ({ database }) => {
  const client = await place(
    database,
    ["b", "d", "f", "h", "j", "l"].map((id) => [id]),
  );
  const first = await list(client, { sort: "id", limit: 2 });
  expect(ids(first.groups)).toEqual(["b", "d"]);
  const last = first.groups.at(-1);
  await client.groups("delete-many", { team_ids: [last?.teamId] });
  for (const id of ["a", "c", "e"]) await makeGroup(client, id);
  const second = await list(client, { sort: "id", limit: 2, cursor: first.nextCursor ?? "" });
  expect(ids(second.groups)).toEqual(["e", "f"]);
  const before = await list(client, { sort: "id", limit: 2, cursor: second.previousCursor ?? "" });
  expect(ids(before.groups)).toEqual(["b", "c"]);
  // So near to the beginning it is the first page, whole.
  const top = await list(client, { sort: "id", limit: 2, cursor: before.previousCursor ?? "" });
  expect([ids(top.groups), top.previousCursor]).toEqual([["a", "b"], null]);
});

test("an environment shows its own groups alone", async ({ database }) => {
  const client = await place(database, [["shared-id", { properties: { plan: "here" } }]]);
  const elsewhere = client.in(await createEnvironment(database));
  await makeGroup(elsewhere, "shared-id-too", { properties: { plan: "here" } });
  for (const query of [{}, { search: "shared" }, { search: "sh" }, { filter: "plan = here" }, { used: "never" }]) {
    expect(await found(client, query)).toEqual(["shared-id"]);
    expect(await found(elsewhere, query)).toEqual(["shared-id-too"]);
  }
  expectError(await client.in("nowhere").get("groups"), 404, "not_found");
});

test("what cannot be asked is refused with the field that is wrong", async ({ database }) => {
  const client = await place(database, [["a"], ["b"]]);
  const { nextCursor } = await list(client, { sort: "id", limit: 1 });
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const [field, query] of [
    ["sort", { sort: "token" }],
    ["limit", { limit: 0 }],
    ["limit", { limit: 501 }],
    ["limit", { limit: "many" }],
    ["search", { search: "x".repeat(256) }],
    ["search", { search: "a\0b" }],
    ["search", { search: "acme logistics\nacme-1" }],
    ["filter", { filter: "plan" }],
    ["filter", { filter: 'plan = "open' }],
    ["filter", { filter: "plan = a\0b" }],
    ["used", { used: "lately" }],
    ["used", { used: "within-0d" }],
    ["cursor", { cursor: "x" }],
    ["cursor", { cursor: nextCursor ?? "", sort: "name" }],
    ["cursor", { cursor: cursor(["id", false, "a\0", 1]), sort: "id" }],
    ["cursor", { cursor: cursor(["updated", false, "yesterday", 1]), sort: "updated" }],
    ["cursor", { cursor: cursor(["updated", false, "0000-01-01T00:00:00.000Z", 1]), sort: "updated" }],
    ["cursor", { cursor: cursor(["created", false, null, 2 ** 31]), sort: "created" }],
    ["cursor", { cursor: cursor({ sort: "id" }), sort: "id" }],
    ["page", { page: 2 }],
  ] as const) {
    const { json } = expectError(await client.get("groups", query), 422, "invalid_fields");
    expect(json.error.issues[0].path, JSON.stringify(query)).toEqual([field]);
  }
});
