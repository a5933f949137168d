import { z } from "zod";
import { groupListAnswer } from "@/lib/groups/list-schema";
import {
  type AdminClient,
  adminClient,
  adminElsewhere,
  createEnvironment,
  makeGroup,
  type Query,
} from "../fixtures/admin-client";
import { type Database, expect, expectError, test } from "../fixtures/api";

/** Parsed by JSON.parse; exact mappings are tested as text. */
const answer = groupListAnswer.extend({
  user_groups: z.array(
    groupListAnswer.shape.user_groups.element.extend({
      mapping: z.looseObject({}),
      properties: z.looseObject({}).nullable(),
    }),
  ),
});

/** A new environment with only these groups, and an admin. */
async function place(database: Database, groups: [id: string, fields?: object][]) {
  const client = await adminElsewhere(database);
  for (const [id, fields] of groups) await makeGroup(client, id, fields);
  return client;
}

async function list(client: AdminClient, query: Query = {}) {
  const response = await client.groups("", query);
  expect(response.status, response.text).toBe(200);
  expect(response.text).not.toMatch(/ugt_|sealed|fingerprint/);
  return answer.parse(response.json);
}

const ids = (groups: z.infer<typeof answer>["user_groups"]) => groups.map(({ provided_id }) => provided_id);
const found = async (client: AdminClient, query: Query) =>
  ids((await list(client, { sort: "user_group_id", ...query })).user_groups);

test("a list shows everything about a group but its token, with mapping and properties exact", async ({ database }) => {
  const client = await place(database, [["plain"]]);
  const mapping = '{"b":1.0,"40":"213","a":{"__proto__":[1e2]}}';
  const properties = '{"n":1.50,"10":null,"2":[]}';
  const body = `{"user_group_id":"exact","name":"Née","mapping":${mapping},"properties":${properties}}`;
  const made = await client.send("GET", "/api/user", body);
  const { team_id } = made.json.user_group;
  await database.query("UPDATE user_group SET access_ends_at = '2999-01-01T00:00:00Z' WHERE team_id = $1", [team_id]);
  const response = await client.groups("");
  expect(response.headers["cache-control"]).toBe("no-store");
  expect(response.text).toContain(`"mapping":${mapping},"properties":${properties},"state":"active"`);
  const page = answer.parse(response.json);
  const time = page.user_groups[0]?.created_at;
  expect(page).toEqual({
    success: 1,
    next_cursor: null,
    previous_cursor: null,
    total: 2,
    total_is_exact: true,
    user_groups: [
      {
        team_id: expect.any(Number),
        provided_id: "plain",
        name: "plain",
        mapping: {},
        properties: null,
        state: "active",
        access_ends_at: null,
        api_environment_tag: "Testing",
        token_last_used_at: null,
        created_at: time,
        updated_at: time,
        rotated_at: time,
        etag: expect.stringMatching(/^"\d+-1"$/),
        token_first_used_at: null,
        previous_token: null,
      },
      expect.objectContaining({
        team_id,
        provided_id: "exact",
        name: "Née",
        access_ends_at: "2999-01-01T00:00:00.000Z",
        etag: made.headers.etag,
      }),
    ],
  });
});

test("a viewer may list; a search finds parts of names and ids in any case", async ({ database }) => {
  const client = await place(database, [
    ["acme-1", { name: "Acme Logistics" }],
    ["BETA_2", { name: "Zürich 100% Öl" }],
    ["beta%2", { name: "Back\\slash" }],
    ["tokyo", { name: "日本 東京支店" }],
    ["no-303", { name: "Ü" }],
    ["caf\u00e9-1", { name: "Caf\u00e9 composed" }],
    ["cafe\u0301-2", { name: "Cafe\u0301 decomposed" }],
    ["x-7f", { name: 'O\'Neil "quoted"' }],
    ["z-303-274rich", { name: "Octal" }],
  ]);
  const viewer = (await adminClient(database, "viewer")).in("testing");
  expect((await viewer.groups("")).status).toBe(200);
  for (const [search, expected] of [
    ["ACME", ["acme-1"]],
    ["logis", ["acme-1"]],
    ["me log", ["acme-1"]],
    ["beta", ["BETA_2", "beta%2"]],
    ["beta_", ["BETA_2"]],
    ["eta%2", ["beta%2"]],
    // The index stores the bytes of ü in octal.
    ["303", ["no-303", "z-303-274rich"]],
    ["274", ["z-303-274rich"]],
    ["zürich", ["BETA_2"]],
    ["ÖL", ["BETA_2"]],
    ["00% ö", ["BETA_2"]],
    ["k\\s", ["beta%2"]],
    // Each form of an accented letter matches both.
    ["caf\u00e9", ["cafe\u0301-2", "caf\u00e9-1"]],
    ["CAFE\u0301", ["cafe\u0301-2", "caf\u00e9-1"]],
    ["f\u00e9 comp", ["caf\u00e9-1"]],
    ["東京", ["tokyo"]],
    ["京", ["tokyo"]],
    ['neil "q', ["x-7f"]],
    ["o'n", ["x-7f"]],
    ["-7f", ["x-7f"]],
    // One or two ASCII characters match only the beginning of a name or id.
    ["a", ["acme-1"]],
    ["B", ["BETA_2", "beta%2"]],
    ["be", ["BETA_2", "beta%2"]],
    ["7f", []],
    ["%", []],
    ["_", []],
    [" acme-1 ", ["acme-1"]],
    ["logistics acme", []],
    ["nowhere", []],
    ["  ", ["BETA_2", "acme-1", "beta%2", "cafe\u0301-2", "caf\u00e9-1", "no-303", "tokyo", "x-7f", "z-303-274rich"]],
  ] as const) {
    expect(await found(client, { search }), search).toEqual(expected);
  }
});

test("filters compare top-level properties, and are combined with AND", async ({ database }) => {
  const client = await place(database, [
    ["none"],
    ["pro", { properties: { plan: "pro", seats: 10, trial: true, "a:is:b": "x, y", "": 1 } }],
    ["pro-text", { properties: { plan: "pro", seats: "10", trial: "true", note: null, tags: ["a", "b"] } }],
    ["free", { properties: { plan: "free", seats: 10.5, inner: { plan: "pro", n: 1 }, tags: ["a"] } }],
  ]);
  const all = ["free", "none", "pro", "pro-text"];
  for (const [filter, expected] of [
    [['plan:is:"pro"'], ["pro", "pro-text"]],
    [['plan:is:"pro"', "seats:is:10"], ["pro"]],
    [['seats:is:"10"'], ["pro-text"]],
    [["seats:is:10.0"], ["pro"]],
    [["seats:is: 10.5 "], ["free"]],
    [["trial:is:true"], ["pro"]],
    [["note:is:null"], ["pro-text"]],
    [['plan:is:"pro"', 'plan:is:"free"'], []],
    [['"a:is:b":is:"x, y"'], ["pro"]],
    [['"":is:1'], ["pro"]],
    [['tags:is:["a"]'], ["free"]],
    [['tags:is:["a","b"]'], ["pro-text"]],
    [['tags:is:["b","a"]'], []],
    [['tags:is:"a"'], []],
    [['inner:is:{"n":1.0,"plan":"pro"}'], ["free"]],
    [['inner:is:{"plan":"pro"}'], []],
    [['plan:is:"Pro"'], []],
    [['missing:is:"x"'], []],
    [[], all],
    [['plan:not:"pro"'], ["free", "none"]],
    [["seats:not:10"], ["free", "none", "pro-text"]],
    [['tags:not:["a"]'], ["none", "pro", "pro-text"]],
    [["note:missing"], ["free", "none", "pro", "pro-text"]],
    [['"a:is:b":missing'], ["free", "none", "pro-text"]],
    [['plan:contains:"r"'], ["free", "pro", "pro-text"]],
    [['plan:contains:"R"'], []],
    [['plan:contains:"%"'], []],
    [['seats:contains:"1"'], ["pro-text"]],
    [['tags:contains:"a"'], []],
    [["seats:gt:10"], ["free"]],
    [["seats:lt:10.5"], ["pro"]],
    [["seats:lt:-1e3"], []],
    [['seats:gt:"1"'], ["pro-text"]],
    [['plan:gt:"free"'], ["pro", "pro-text"]],
    [['plan:lt:"pro"'], ["free"]],
    [['plan:gt:"Z"', "plan:missing"], []],
    [["trial:gt:0"], []],
    [['plan:contains:"ro"', "seats:gt:9", 'trial:not:"true"'], ["pro"]],
  ] as const) {
    expect(await found(client, { filter }), filter.join(" and ")).toEqual(expected);
  }
  expect(await found(client, { filter: 'plan:is:"pro"', search: "text" })).toEqual(["pro-text"]);
  expect(await found(client, { filter: "seats:gt:9", search: "pro" })).toEqual(["pro"]);
});

/** A JavaScript model of a filter. */
function holds(properties: Record<string, unknown> | null, { name, operator, value }: Condition): boolean {
  const has = properties !== null && Object.hasOwn(properties, name);
  const is = has ? properties[name] : undefined;
  if (operator === "missing") return !has || is === null;
  if (operator === "not") return JSON.stringify(is) !== JSON.stringify(value);
  if (operator === "is") return JSON.stringify(is) === JSON.stringify(value);
  if (typeof is !== typeof value || typeof is === "boolean" || is === null || typeof is === "object") return false;
  if (operator === "contains") return typeof is === "string" && is.includes(String(value));
  const order =
    typeof is === "string" ? Buffer.compare(Buffer.from(is), Buffer.from(String(value))) : Number(is) - Number(value);
  return operator === "gt" ? order > 0 : order < 0;
}

interface Condition {
  name: string;
  operator: string;
  value?: unknown;
}

test("filters match generated groups as a JavaScript model does", { tag: "@release" }, async ({ database }) => {
  const client = await place(database, []);
  // Reproducible, with a linear congruential generator.
  let state = 29;
  const pick = <T>(list: readonly T[]): T => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return list[Math.floor((state / 2 ** 31) * list.length)] as T;
  };
  const VALUES = [
    0,
    -1,
    1.5,
    10,
    2 ** 53 - 1,
    "",
    "a",
    "B",
    "ab",
    "é",
    "𝄞",
    "10",
    true,
    false,
    null,
    [],
    {},
    [1],
    { a: 1 },
  ];
  const NAMES = ["plan", "a:b", "é", "__proto__", ""];
  const groups = Array.from({ length: 120 }, (_, n) => {
    const members = NAMES.flatMap((name) => (pick([true, false]) ? [[name, pick(VALUES)] as const] : []));
    const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
    return { id: `g${String(n).padStart(3, "0")}`, text: n % 20 === 0 ? null : text };
  });
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, g.id, g.id, g.properties, sha256((e.id || g.id)::bytea), ''
     FROM environment e, unnest($2::text[], $3::text[]) AS g(id, properties) WHERE slug = $1`,
    [client.environment, groups.map(({ id }) => id), groups.map(({ text }) => text)],
  );
  for (let n = 0; n < 150; n++) {
    const conditions = Array.from({ length: pick([1, 1, 2, 3]) }, (): Condition => {
      const operator = pick(["is", "not", "contains", "gt", "lt", "missing"]);
      const fits = (value: unknown) =>
        operator === "contains"
          ? typeof value === "string"
          : !/[gl]t/.test(operator) || /string|number/.test(typeof value);
      return { name: pick(NAMES), operator, ...(operator !== "missing" && { value: pick(VALUES.filter(fits)) }) };
    });
    const filter = conditions.map(({ name, operator, value }) => {
      const operand = operator === "missing" ? "" : `:${JSON.stringify(value)}`;
      return `${name === "" || pick([true, false]) ? JSON.stringify(name) : name}:${operator}${operand}`;
    });
    const expected = groups
      .filter(({ text }) => {
        const properties = text === null ? null : JSON.parse(text);
        return conditions.every((condition) => holds(properties, condition));
      })
      .map(({ id }) => id);
    expect(await found(client, { filter, limit: 500 }), filter.join(" and ")).toEqual(expected);
  }
});

test("a list is filtered by when a token was last used", async ({ database }) => {
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
    ["idle-30d", ["quarter", "year"]],
    ["idle-90d", ["year"]],
    ["never", ["never"]],
  ] as const) {
    expect(await found(client, { used }), used).toEqual(expected);
  }
  await client.act("suspend", { user_group_id: "year" });
  expect(await found(client, { used: "idle-30d", state: "active" })).toEqual(["quarter"]);
  expect(await found(client, { used: "never", state: "active" })).toEqual(["never"]);
  expect(await found(client, { used: "within-30d", filter: "long:is:true" })).toEqual(["month", "today"]);
  expect(await found(client, { used: "not-within-30d", search: "ear" })).toEqual(["year"]);
});

test("each order works in both directions", async ({ database }) => {
  const client = await place(database, [
    ["c", { name: "beta" }],
    ["B", { name: "Alpha" }],
    ["a", { name: "alpha" }],
  ]);
  await client.user("PUT", { user_group_id: "c", properties: { changed: true } });
  for (const [sort, expected] of [
    ["name", ["B", "a", "c"]],
    ["user_group_id", ["B", "a", "c"]],
    ["team_id", ["c", "B", "a"]],
    ["updated_at", ["B", "a", "c"]],
  ] as const) {
    expect(ids((await list(client, { sort })).user_groups)).toEqual(expected);
    expect(ids((await list(client, { sort: `-${sort}` })).user_groups)).toEqual([...expected].reverse());
  }
  expect(ids((await list(client)).user_groups)).toEqual(["c", "B", "a"]);
});

for (const query of [
  {} as Query,
  { search: "same" },
  { filter: 'kind:is:"even"' },
  { filter: "kind:missing" },
  { state: "active" },
  { updated_since: "2025-01-01T00:00:00Z" },
  { used: "never" },
]) {
  test(`pages go forward and back through equal keys, with ${JSON.stringify(query)}`, async ({ database }) => {
    const client = await place(
      database,
      Array.from({ length: 23 }, (_, n) => [
        `id-${String(n).padStart(2, "0")}`,
        { name: "Same", properties: query.filter === "kind:missing" ? null : { kind: "even" } },
      ]),
    );
    await database.query(
      "UPDATE user_group SET updated_at = '2026-01-01' WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
      [client.environment],
    );
    for (const sort of ["name", "-name", "-updated_at", "updated_at", "team_id", "-user_group_id"]) {
      const all = ids((await list(client, { ...query, sort })).user_groups);
      expect(new Set(all).size).toBe(23);
      const there: string[][] = [];
      const back: string[][] = [];
      let page = await list(client, { ...query, sort, limit: 5 });
      expect(page.previous_cursor).toBeNull();
      for (;;) {
        there.push(ids(page.user_groups));
        if (query.state === undefined && query.filter !== "kind:missing")
          expect([page.total, page.total_is_exact]).toEqual([23, true]);
        if (!page.next_cursor) break;
        page = await list(client, { ...query, sort, limit: 5, cursor: page.next_cursor });
      }
      expect(there.flat()).toEqual(all);
      expect(there.map((one) => one.length)).toEqual([5, 5, 5, 5, 3]);
      while (page.previous_cursor) {
        page = await list(client, { ...query, sort, limit: 5, cursor: page.previous_cursor });
        back.unshift(ids(page.user_groups));
      }
      expect(back).toEqual(there.slice(0, -1));
    }
  });
}

test("the next page continues where the last one ended, even if the cursor's row is gone", async ({ database }) => {
  const client = await place(
    database,
    ["b", "d", "f", "h", "j", "l"].map((id) => [id]),
  );
  const first = await list(client, { sort: "user_group_id", limit: 2 });
  expect(ids(first.user_groups)).toEqual(["b", "d"]);
  const last = first.user_groups.at(-1);
  await client.user("DELETE", { user_group_id: last?.provided_id });
  for (const id of ["a", "c", "e"]) await makeGroup(client, id);
  const second = await list(client, { sort: "user_group_id", limit: 2, cursor: first.next_cursor ?? "" });
  expect(ids(second.user_groups)).toEqual(["e", "f"]);
  const before = await list(client, { sort: "user_group_id", limit: 2, cursor: second.previous_cursor ?? "" });
  expect(ids(before.user_groups)).toEqual(["b", "c"]);
  // Going back this close to the beginning returns the whole first page.
  const top = await list(client, { sort: "user_group_id", limit: 2, cursor: before.previous_cursor ?? "" });
  expect([ids(top.user_groups), top.previous_cursor]).toEqual([["a", "b"], null]);
});

test("the page before an empty one has the row of the cursor", async ({ database }) => {
  const client = await place(
    database,
    ["a", "b", "c", "d", "e", "f", "g"].map((id) => [id]),
  );
  const orders = ["team_id", "user_group_id", "name", "updated_at"];
  const pages = new Map(
    await Promise.all(
      orders.map(async (sort) => {
        const first = await list(client, { sort, limit: 2 });
        const second = await list(client, { sort, limit: 2, cursor: first.next_cursor ?? "" });
        return [sort, second] as const;
      }),
    ),
  );
  for (const id of ["e", "f", "g"]) await client.user("DELETE", { user_group_id: id });
  for (const [sort, { user_groups, next_cursor }] of pages) {
    const empty = await list(client, { sort, limit: 2, cursor: next_cursor ?? "" });
    expect([ids(user_groups), ids(empty.user_groups), empty.next_cursor]).toEqual([["c", "d"], [], null]);
    const before = await list(client, { sort, limit: 2, cursor: empty.previous_cursor ?? "" });
    expect(ids(before.user_groups), sort).toEqual(["c", "d"]);
  }
});

test("an environment shows only its own groups", async ({ database }) => {
  const client = await place(database, [["shared-id", { properties: { plan: "here" } }]]);
  const elsewhere = client.in(await createEnvironment(database));
  await makeGroup(elsewhere, "shared-id-too", { properties: { plan: "here" } });
  for (const query of [
    {},
    { search: "shared" },
    { search: "sh" },
    { filter: 'plan:is:"here"' },
    { filter: 'plan:contains:"her"' },
    { state: "active" },
    { used: "never" },
  ]) {
    expect(await found(client, query)).toEqual(["shared-id"]);
    expect(await found(elsewhere, query)).toEqual(["shared-id-too"]);
  }
  expectError(await client.in("nowhere").groups(""), 404, "not_found");
});

test("each group has a state, by which a list is filtered", async ({ database }) => {
  const client = await place(database, [["on"], ["off"], ["over"], ["off-and-over"], ["later"]]);
  for (const id of ["off", "off-and-over"])
    await client.send("POST", "/api/user-groups/suspend", { user_group_id: id });
  for (const [ends, wanted] of [
    ["now() - interval '1 second'", ["over", "off-and-over"]],
    ["now() + interval '1 hour'", ["later"]],
  ] as const) {
    await database.query(
      `UPDATE user_group SET access_ends_at = ${ends} WHERE provided_id = ANY ($2) AND environment_id = (SELECT id FROM environment WHERE slug = $1)`,
      [client.environment, wanted],
    );
  }
  const states = (await list(client)).user_groups.map(({ provided_id, state }) => [provided_id, state]);
  expect(Object.fromEntries(states)).toEqual({
    on: "active",
    off: "suspended",
    over: "ended",
    "off-and-over": "suspended",
    later: "active",
  });
  expect(await found(client, { state: "active" })).toEqual(["later", "on"]);
  expect(await found(client, { state: "suspended" })).toEqual(["off", "off-and-over"]);
  expect(await found(client, { state: "ended" })).toEqual(["over"]);
  expect(await found(client, { state: "suspended", search: "over", filter: "plan:missing" })).toEqual(["off-and-over"]);
});

test("a list is filtered by time of change", async ({ database }) => {
  const client = await place(database, [["a"], ["b"]]);
  const { user_groups } = await list(client, { sort: "-updated_at" });
  const latest = user_groups[0]?.updated_at ?? "";
  expect(await found(client, { updated_since: latest })).toEqual(["b"]);
  expect(await found(client, { updated_since: latest.replace("Z", "+00:00"), sort: "-updated_at" })).toEqual(["b"]);
  expect(await found(client, { updated_since: "2001-01-01T00:00:00Z", sort: "updated_at" })).toEqual(["a", "b"]);
  expect(await found(client, { updated_since: "2999-01-01T00:00:00Z" })).toEqual([]);
});

test("named groups are returned, and unknown ids are omitted", async ({ database }) => {
  const client = await place(database, [["a"], ["b/c?"], ["ü"]]);
  const elsewhere = client.in(await createEnvironment(database));
  const { teamId } = await makeGroup(elsewhere, "a");
  const page = await list(client, { user_group_id: ["ü", "nobody", "a", "a"] });
  expect([ids(page.user_groups), page.total, page.total_is_exact]).toEqual([["a", "ü"], 2, true]);
  const numbers = (await list(client)).user_groups.map(({ team_id }) => team_id);
  expect(ids((await list(client, { team_id: [...numbers, teamId, 2 ** 31 - 1] })).user_groups)).toEqual([
    "a",
    "b/c?",
    "ü",
  ]);
  expect(ids((await list(client, { user_group_id: "b/c?" })).user_groups)).toEqual(["b/c?"]);
  expect((await list(client, { team_id: teamId })).user_groups).toEqual([]);
  const first = await list(client, { team_id: numbers, limit: 2 });
  expect([ids(first.user_groups), first.total]).toEqual([["a", "b/c?"], 3]);
  const second = await list(client, { team_id: numbers, limit: 2, cursor: first.next_cursor ?? "" });
  expect([ids(second.user_groups), second.next_cursor]).toEqual([["ü"], null]);
  const many = Array.from({ length: 100 }, (_, n) => `id-${n}`);
  expect((await list(client, { user_group_id: many })).user_groups).toEqual([]);
});

test("a page ends at 4 MiB of mappings and properties, and the next one continues", { tag: "@release" }, async ({
  database,
}) => {
  const client = await place(database, []);
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)
     SELECT e.id, 'large-' || lpad(n::text, 3, '0'), 'Large', object, object, sha256((e.id || '-' || n)::bytea), ''
     FROM environment e, generate_series(1, 100) AS n, LATERAL (SELECT '{"text":"' || repeat('x', 65000) || '"}' AS object) AS o
     WHERE slug = $1`,
    [client.environment],
  );
  for (const query of [{}, { search: "large" }, { filter: "plan:missing" }, { sort: "-name" }] as Query[]) {
    const seen: string[] = [];
    let cursor: string | null = "";
    let pages = 0;
    let last: { previous_cursor: string | null } | undefined;
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(client, {
        ...query,
        limit: 500,
        ...(cursor && { cursor }),
      });
      expect(JSON.stringify(page).length).toBeLessThan(4_400_000);
      expect(page.user_groups.length).toBeGreaterThan(0);
      seen.push(...ids(page.user_groups));
      ({ next_cursor: cursor } = page);
      last = page;
      pages++;
    }
    expect([seen.length, new Set(seen).size, pages], JSON.stringify(query)).toEqual([100, 100, 4]);
    const back = await list(client, { ...query, limit: 500, cursor: last?.previous_cursor ?? "" });
    expect(ids(back.user_groups)).toEqual(seen.slice(64, 96));
  }
});

test("a filter that matches none of many groups returns short pages that lead to the end", {
  tag: "@release",
}, async ({ database }) => {
  const client = await place(database, []);
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, 'many-' || n, 'Many', '{"seats":' || n || '}', sha256((e.id || '-' || n)::bytea), ''
     FROM environment e, generate_series(1, 45000) AS n WHERE slug = $1`,
    [client.environment],
  );
  for (const [filter, count] of [
    ["seats:gt:1000000", 0],
    ["seats:gt:44995", 5],
    ["seats:lt:3", 2],
    ['seats:contains:"1"', 0],
  ] as const) {
    for (const sort of ["team_id", "-updated_at"]) {
      let page = await list(client, { filter, sort });
      const seen = ids(page.user_groups);
      let pages = 1;
      while (page.next_cursor) {
        page = await list(client, { filter, sort, cursor: page.next_cursor });
        seen.push(...ids(page.user_groups));
        pages++;
      }
      expect(pages, `${filter} by ${sort}`).toBeGreaterThan(1);
      expect([seen.length, new Set(seen).size], `${filter} by ${sort}`).toEqual([count, count]);
      const back = ids(page.user_groups);
      while (page.previous_cursor) {
        page = await list(client, { filter, sort, cursor: page.previous_cursor });
        back.unshift(...ids(page.user_groups));
      }
      // The first page is complete even when paging back, so it overlaps the second.
      expect([...new Set(back)].toSorted(), `${filter} back by ${sort}`).toEqual(seen.toSorted());
    }
  }
});

test("an empty page between matches leads on in both directions", async ({ database }) => {
  const client = await place(database, []);
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, to_char(n, 'FM0000'), to_char(n, 'FM0000'), '{"seats":' || n || '}', sha256((e.id || '-' || n)::bytea), ''
     FROM environment e, generate_series(1, 6200) AS n WHERE slug = $1`,
    [client.environment],
  );
  for (const sort of ["team_id", "name", "user_group_id"]) {
    const turn = (cursor: string | null) => list(client, { filter: "seats:gt:6199", sort, cursor: cursor ?? "" });
    const first = await list(client, { filter: "seats:gt:6199", sort });
    const last = await turn(first.next_cursor);
    const between = await turn(last.previous_cursor);
    const again = await turn(between.next_cursor);
    expect([first, last, between, again].map(({ user_groups }) => ids(user_groups))).toEqual([
      [],
      ["6200"],
      [],
      ["6200"],
    ]);
  }
});

test("a walk by team_id shows each group that exists throughout once, despite concurrent changes", {
  tag: "@release",
}, async ({ database }) => {
  const lasting = Array.from({ length: 60 }, (_, n) => `lasting-${n}`);
  const client = await place(
    database,
    lasting.flatMap((id) => [[id], [`passing-${id}`]] as [string][]),
  );
  let isOver = false;
  const write = async () => {
    for (let n = 0; !isOver; n++) {
      const id = lasting[n % lasting.length] ?? "";
      await makeGroup(client, `new-${n}`);
      await client.user("PUT", { user_group_id: id, name: `Changed ${n}`, properties: { n } });
      const { token, teamId } = await makeGroup(client, id);
      expect((await client.user("POST", { current_token: token })).status).toBe(200);
      await client.user("DELETE", { user_group_id: `passing-${id}` });
      expect(teamId).toBeGreaterThan(0);
    }
  };
  const writing = write();
  for (let walk = 0; walk < 4; walk++) {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(client, { limit: 7, ...(cursor && { cursor }) });
      seen.push(...ids(page.user_groups));
      ({ next_cursor: cursor } = page);
    }
    expect(seen.filter((id) => id.startsWith("lasting-"))).toEqual(lasting);
    expect(new Set(seen).size).toBe(seen.length);
  }
  isOver = true;
  await writing;
});

test("invalid queries are refused with the wrong field", async ({ database }) => {
  const client = await place(database, [["a"], ["b"]]);
  const elsewhere = client.in(await createEnvironment(database));
  const { next_cursor } = await list(client, { sort: "user_group_id", limit: 1 });
  const cursor = next_cursor ?? "";
  const altered = `${cursor.slice(0, 12)}${cursor[12] === "A" ? "B" : "A"}${cursor.slice(13)}`;
  const sort = "user_group_id";
  for (const [field, query] of [
    ["sort", { sort: "token" }],
    ["sort", { sort: "created" }],
    ["limit", { limit: 0 }],
    ["limit", { limit: 501 }],
    ["limit", { limit: "1e2" }],
    ["limit", { limit: "many" }],
    ["limit", { limit: [1, 2] }],
    ["search", { search: "x".repeat(256) }],
    ["search", { search: "a\0b" }],
    ["search", { search: "acme logistics\nacme-1" }],
    ["search", { search: ["a", "b"] }],
    ["filter.0", { filter: "plan" }],
    ["filter.0", { filter: "plan = pro" }],
    ["filter.0", { filter: "plan:is:pro" }],
    ["filter.1", { filter: ["plan:missing", 'plan:like:"a"'] }],
    ["filter", { filter: "plan:is:a\0b" }],
    ["filter", { filter: Array(11).fill("plan:missing") }],
    ["state", { state: "deleted" }],
    ["used", { used: "recently" }],
    ["used", { used: "within-0d" }],
    ["updated_since", { updated_since: "yesterday" }],
    ["updated_since", { updated_since: "0000-01-01T00:00:00Z" }],
    ["user_group_id", { user_group_id: Array.from({ length: 101 }, (_, n) => `id-${n}`) }],
    ["user_group_id.1", { user_group_id: ["a", ""] }],
    ["user_group_id.0", { user_group_id: "x".repeat(256) }],
    ["team_id.0", { team_id: 0 }],
    ["team_id.0", { team_id: 2 ** 31 }],
    ["team_id.0", { team_id: "1e3" }],
    ["team_id", { team_id: 1, user_group_id: "a" }],
    ["search", { search: "a", user_group_id: "a" }],
    ["filter", { filter: "plan:missing", team_id: 1 }],
    ["sort", { sort: "name", team_id: 1 }],
    ["cursor", { cursor: "x" }],
    ["cursor", { cursor: "" }],
    ["cursor", { cursor, sort: "name" }],
    ["cursor", { cursor }],
    ["cursor", { cursor: cursor.slice(0, -1), sort }],
    ["cursor", { cursor: `${cursor}A`, sort }],
    ["cursor", { cursor: altered, sort }],
    ["cursor", { cursor: Buffer.from('["user_group_id",false,"a",1]').toString("base64url"), sort }],
    ["page", { page: 2 }],
    ["token", { token: "ugt_x" }],
  ] as [string, Query][]) {
    const { json } = expectError(await client.groups("", query), 422, "invalid_fields");
    expect(json.error.issues[0].path.join("."), JSON.stringify(query)).toBe(field);
    if (field === "cursor") expect(json.error.message).toContain("start at the first page");
  }
  const { json } = expectError(await elsewhere.groups("", { cursor, sort }), 422, "invalid_fields");
  expect(json.error.message).toContain("start at the first page");
  expectError(await client.send("GET", "/api/user-groups", { limit: 1 }), 422, "invalid_fields");
});
