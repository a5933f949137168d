import { once } from "node:events";
import { get } from "node:http";
import { adminClient, adminElsewhere, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, newId, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { exported } from "../fixtures/jobs";
import { command } from "../fixtures/run";

/** Inserts groups of a given size without history. */
async function fill(database: Database, slug: string, { count, bytes }: { count: number; bytes: number }) {
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, 'bulk-' || n, 'Bulk ' || n, '{"text":"' || repeat('x', $3) || '"}', sha256((e.id || '-' || n)::bytea), '\\x00'
     FROM environment e, generate_series(1, $2::int) AS n WHERE slug = $1`,
    [slug, count, bytes],
  );
}

test("CSV has the list's columns, and no formulas", async ({ stage, database }) => {
  const admin = await adminElsewhere(database);
  const viewed = await makeGroup(admin, "=1+1", {
    name: '@SUM(A1), "x"',
    mapping: { 40: "213" },
    properties: { plan: "pro" },
  });
  await database.query(
    `INSERT INTO group_use_month (month, team_id, environment_id, checks, size, days, active_viewers)
     SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - ago * interval '1 month', team_id, environment_id, 9, 3, '{9}', 7 - ago
     FROM user_group, generate_series(0, 1) AS ago WHERE team_id = $1`,
    [viewed.teamId],
  );
  await makeGroup(admin, "'-2", { name: "'quoted'", properties: { plan: "free" } });
  await admin.send("PATCH", "/api/user", '{"user_group_id":"\'-2","access_ends_at":"2099-01-01T00:00:00Z"}');
  await admin.send("POST", "/api/user-groups/suspend", '{"user_group_id":"\'-2"}');
  const { status, headers, text } = await admin.groups("/export", { format: "csv" });
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
  expect(headers["cache-control"]).toBe("no-store");
  const date = new Date().toISOString().slice(0, 10);
  expect(headers["content-disposition"]).toBe(`attachment; filename="user-groups-${admin.environment}-${date}.csv"`);
  const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  const lines = text.split("\r\n");
  expect(lines[0]).toBe(
    "user_group_id,name,mapping,properties,created_at,updated_at,state,access_ends_at,active_viewers",
  );
  expect(lines[1]).toMatch(
    new RegExp(
      String.raw`^'=1\+1,"'@SUM\(A1\), ""x""","{""40"":""213""}","{""plan"":""pro""}",${time},${time},active,,7$`,
    ),
  );
  expect(lines[2]).toMatch(
    new RegExp(`^''-2,'quoted',{},"{""plan"":""free""}",${time},${time},suspended,2099-01-01T00:00:00.000Z,0$`),
  );
  expect(lines.slice(3)).toEqual([""]);
  const raw = await fetch(`${stage.urls[0]}/api/user-groups/export?format=csv`, {
    headers: { cookie: admin.cookie, "x-environment": admin.environment },
  });
  expect(headers["content-encoding"]).toBeUndefined();
  expect([raw.headers.get("content-encoding"), raw.headers.get("vary")]).toEqual(["gzip", "Accept-Encoding"]);
  // Spreadsheets recognise UTF-8 by the byte order mark; reading a body as text removes it.
  expect([...new Uint8Array(await raw.arrayBuffer()).subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x75]);
  expect(text).not.toMatch(/ugt_|token/);

  const viewer = (await adminClient(database, "viewer")).in(admin.environment);
  const filtered = await exported(viewer, { format: "jsonl", search: "sum", filter: 'plan:is:"pro"' });
  expect(
    filtered
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      user_group_id: "=1+1",
      name: '@SUM(A1), "x"',
      mapping: { 40: "213" },
      properties: { plan: "pro" },
      created_at: expect.stringMatching(time),
      updated_at: expect.stringMatching(time),
      state: "active",
      access_ends_at: null,
    },
  ]);
  expect(await exported(viewer, { format: "jsonl", search: "nobody" })).toBe("");
  expect(await exported(viewer, { format: "jsonl", used: "within-30d" })).toBe("");
  const { json } = await viewer.groups("/history", { action: "user_groups.exported" });
  expect(
    json.entries.map(({ actor, after }: { actor: { name: string }; after: unknown }) => [actor.name, after]),
  ).toEqual([
    [viewer.member.name, { used: "within-30d", format: "jsonl" }],
    [viewer.member.name, { format: "jsonl", narrowed_by: ["search"] }],
    [viewer.member.name, { format: "jsonl", narrowed_by: ["search", "filter"] }],
    ...Array(2).fill([admin.member.name, { format: "csv" }]),
  ]);
});

test("JSON lines are as exact as the stored values", async ({ database }) => {
  const admin = await adminElsewhere(database);
  const mapping = '{"40":"213","__proto__":{"z":1,"a":[1.50,9007199254740991]}}';
  const properties = '{"b":"\\u00e9\\n","a":null,"1":2}';
  await admin.send("GET", "/api/user", `{"user_group_id":"exact","mapping":${mapping},"properties":${properties}}`);
  const text = await exported(admin, { format: "jsonl" });
  expect(text).toContain(
    `{"user_group_id":"exact","name":"exact","mapping":${mapping},"properties":${properties},"created_at":`,
  );
});

test("an invalid query is refused before the file begins", async ({ database }) => {
  const admin = await adminClient(database);
  expectError(await admin.groups("/export", { format: "csv", filter: "plan" }), 422, "invalid_fields");
  expectError(await admin.groups("/export", { format: "xls" }), 422, "invalid_fields");
  expectError(await admin.in("nowhere").groups("/export", { format: "csv" }), 404, "not_found");
});

test("every group is in the file once, across many statements, including large groups", async ({ database }) => {
  const admin = await adminElsewhere(database);
  await fill(database, admin.environment, { count: 4_100, bytes: 3 });
  await fill(database, await createEnvironment(database), { count: 10, bytes: 3 });
  for (let n = 0; n < 3; n++) {
    await makeGroup(admin, `large-${n}`, {
      properties: { text: "é".repeat(32_000) },
      mapping: { text: "y".repeat(60_000) },
    });
  }
  const ids = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).user_group_id);
  const all = ids(await exported(admin, { format: "jsonl" }));
  expect(all).toHaveLength(4_103);
  expect(new Set(all).size).toBe(4_103);
  expect(ids(await exported(admin, { format: "jsonl", search: "bulk-40" }))).toHaveLength(1 + 10 + 100);
});

test("an export ends with its API token", async ({ stage, database }) => {
  const admin = await adminElsewhere(database);
  await fill(database, admin.environment, { count: 800, bytes: 50_000 });
  const [name, settings] = [newId(), { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey }];
  const token = await insertApiToken(settings, { environment: admin.environment, scopes: ["groups:read"], name });
  const request = get(`${stage.urls[0]}/api/user-groups/export?format=jsonl`, {
    headers: { authorization: `Token ${token}` },
  });
  const [response] = await once(request, "response");
  await database.query("UPDATE api_token SET revoked_at = now() WHERE name = $1", [name]);
  let received = 0;
  response.on("data", (chunk: Buffer) => (received += chunk.length));
  await expect(once(response, "end")).rejects.toThrow("aborted");
  expect(received).toBeLessThan(30_000_000);
});

test("a program exports matching groups, by state and any filter, and the history names it", async ({
  stage,
  database,
}) => {
  const slug = await createEnvironment(database);
  const admin = (await adminClient(database)).in(slug);
  for (const [id, seats] of [
    ["a", 5],
    ["b", 15],
    ["c", 25],
  ] as const)
    await makeGroup(admin, id, { properties: { seats } });
  await admin.send("POST", "/api/user-groups/suspend", { user_group_id: "c" });
  const name = newId();
  const options = ["--name", name, "--environment", slug, "--scopes", "groups:read"];
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const token = (await command(["api-token", "create", ...options], settings)).stdout.trim();
  const ids = async (query: string) => {
    const { status, text } = await call("GET", `/api/user-groups/export?format=jsonl${query}`, { token });
    expect(status, text).toBe(200);
    return text.split("\n").flatMap((line) => (line ? [JSON.parse(line).user_group_id] : []));
  };
  expect(await ids("")).toEqual(["a", "b", "c"]);
  expect(await ids("&state=active&filter=seats:gt:5")).toEqual(["b"]);
  expect(await ids("&state=suspended&updated_since=2001-01-01T00:00:00Z")).toEqual(["c"]);
  expect(await ids("&filter=seats:missing")).toEqual([]);
  const { json } = await admin.groups("/history", { action: "user_groups.exported" });
  expect(json.entries[1].actor).toMatchObject({ type: "api_token", name });
  expect(json.entries[1].after).toMatchObject({ state: "suspended", updated_since: "2001-01-01T00:00:00.000Z" });
  expectError(await call("GET", "/api/user-groups/export?format=csv&limit=5", { token }), 422, "invalid_fields");
  const renderer = await command(["api-token", "create", "--name", name, "--preset", "renderer"], settings);
  const refused = await call("GET", "/api/user-groups/export?format=csv", { token: renderer.stdout.trim() });
  expect(expectError(refused, 403, "forbidden").json.error.message).toContain("groups:read");
});
