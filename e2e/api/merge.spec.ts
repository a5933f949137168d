import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";

const patch = (body: unknown, headers: Record<string, string> = {}) => call("PATCH", "/api/user", { body, headers });

/** A group's stored mapping and properties. */
const stored = async (
  database: { query(text: string, values: unknown[]): Promise<Record<string, unknown>[]> },
  teamId: number,
) =>
  (await database.query("SELECT name, mapping, properties, version FROM user_group WHERE team_id = $1", [teamId]))[0];

test("PATCH merges members, and keeps the bytes of the others", async ({ database }) => {
  const id = newId();
  const body = `{"user_group_id":"${id}","properties":{"n":1.10,"plan":"basic","nested":{"a":1E2,"\\u0062":2}},"mapping":{"40":"213"}}`;
  const { team_id } = (await call("GET", "/api/user", { body })).json.user_group;
  const answer = await patch({
    user_group_id: id,
    properties: { plan: null, nested: { a: 3 }, region: "eu" },
    mapping: { "41": "7" },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).toContain('"properties":{"n":1.10,"nested":{"a":3,"\\u0062":2},"region":"eu"}');
  expect(await stored(database, team_id)).toMatchObject({
    mapping: '{"40":"213","41":"7"}',
    properties: '{"n":1.10,"nested":{"a":3,"\\u0062":2},"region":"eu"}',
    version: 2,
  });
  const again = await patch({ user_group_id: id, properties: { region: "eu" } });
  expect(again.headers.etag).toBe(answer.headers.etag);
  expect((await patch({ user_group_id: id, properties: null })).json.user_group.properties).toBeNull();
  expect((await patch({ user_group_id: id, properties: { a: 1, b: null } })).json.user_group.properties).toEqual({
    a: 1,
  });
});

test("64 concurrent PATCHes that set different members all take effect", async ({ database }) => {
  const { provided_id, team_id } = await createGroup({ properties: {} });
  const numbers = Array.from({ length: 64 }, (_, n) => n);
  const answers = await Promise.all(
    numbers.map((n) => patch({ user_group_id: provided_id, properties: { [`m${n}`]: n } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
  const row = await stored(database, team_id);
  expect(JSON.parse(String(row?.properties))).toEqual(Object.fromEntries(numbers.map((n) => [`m${n}`, n])));
  expect(row?.version).toBe(65);
});

test("PATCH honours If-Match, creates no group, and refuses to exceed the size limit", async ({ database }) => {
  const { provided_id, team_id } = await createGroup({ properties: { kept: "x".repeat(40_000) } });
  const before = await stored(database, team_id);
  expectError(await patch({ user_group_id: provided_id, name: "New" }, { "if-match": `"${team_id}-9"` }), 412, "stale");
  const large = await patch({ user_group_id: provided_id, properties: { more: "x".repeat(40_000) } });
  expectError(large, 422, "invalid_fields");
  expect(large.json.error.issues).toMatchObject([{ path: ["properties"] }]);
  expectError(await patch({ user_group_id: provided_id, properties: [1] }), 422, "invalid_fields");
  expect(await stored(database, team_id)).toEqual(before);
  const unknown = newId();
  expectError(await patch({ user_group_id: unknown, name: "New" }), 404, "unknown_user_group");
  expect(await database.query("SELECT FROM user_group WHERE provided_id = $1", [unknown])).toEqual([]);
});

const upsert = (body: unknown) => call("POST", "/api/user/upsert", { body });

test("an upsert creates or merges and reports which; repeating it does nothing", async ({ database }) => {
  const id = newId();
  const first = await upsert({ user_group_id: id, name: "Acme", properties: { plan: "pro", gone: null } });
  expect(first.json).toMatchObject({ success: 1, new_user_group: true, changed: true });
  const { team_id, token } = first.json.user_group;
  expect(first.json.user_group).toMatchObject({ provided_id: id, name: "Acme", properties: { plan: "pro" } });
  const same = await upsert({ user_group_id: id, name: "Acme", properties: { plan: "pro", gone: null } });
  expect(same.json).toEqual({ ...first.json, new_user_group: false, changed: false });
  const more = await upsert({ user_group_id: id, mapping: { "40": "1" }, properties: { region: "eu" } });
  expect(more.json).toMatchObject({
    new_user_group: false,
    changed: true,
    user_group: { token, properties: { plan: "pro", region: "eu" } },
  });
  expect((await upsert({ user_group_id: id, mapping: { "40": "1" } })).json.changed).toBe(false);
  expect(await stored(database, team_id)).toMatchObject({ mapping: '{"40":"1"}', version: 2 });
  const history = await database.query("SELECT action FROM audit_entry WHERE team_id = $1 ORDER BY id", [team_id]);
  expect(history.map(({ action }) => action)).toEqual(["user_group.created", "user_group.updated"]);
});

test("of 32 concurrent upserts of a new id, one creates it, and all their members are stored", async ({ database }) => {
  const id = newId();
  const numbers = Array.from({ length: 32 }, (_, n) => n);
  const answers = await Promise.all(numbers.map((n) => upsert({ user_group_id: id, properties: { [`m${n}`]: n } })));
  expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
  expect(answers.filter(({ json }) => json.new_user_group)).toHaveLength(1);
  const row = await stored(database, answers[0]?.json.user_group.team_id);
  expect(JSON.parse(String(row?.properties))).toEqual(Object.fromEntries(numbers.map((n) => [`m${n}`, n])));
});
