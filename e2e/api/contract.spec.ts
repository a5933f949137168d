import { z } from "zod";
import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";

const token = z.string().regex(/^ugt_[0-9A-Za-z]{49}$/);
const userGroup = { team_id: z.int(), token, name: z.string(), provided_id: z.string() };
const properties = z.record(z.string(), z.unknown()).nullable();
const tag = z.literal(["Customer", "Testing"]);
const found = z.strictObject({
  success: z.literal(1),
  new_user_group: z.boolean(),
  user_group: z.strictObject({ ...userGroup, properties }),
});
const updated = z.strictObject({
  success: z.literal(1),
  user_group: z.strictObject({ ...userGroup, properties, api_environment_tag: tag }),
});
const rotated = z.strictObject({
  success: z.literal(1),
  user_group: z.strictObject({ ...userGroup, api_environment_tag: tag }),
});

test("GET creates a group, then returns it unchanged", async () => {
  const id = newId();
  const body = { user_group_id: id, name: "Example 1", mapping: { 40: "213" }, properties: { filterValue: "value" } };
  const first = await call("GET", "/api/user", { body });
  expect(found.parse(first.json)).toMatchObject({
    new_user_group: true,
    user_group: { name: "Example 1", provided_id: id, properties: { filterValue: "value" } },
  });
  const second = await call("GET", "/api/user", { body: { user_group_id: id, name: "Other", properties: { x: 1 } } });
  expect(found.parse(second.json)).toEqual({ ...first.json, new_user_group: false });
});

test("GET gives a new group its id as name, an empty mapping and no properties", async ({ database }) => {
  const id = newId();
  const { json } = await call("GET", "/api/user", { body: { user_group_id: id } });
  expect(json.user_group).toMatchObject({ name: id, properties: null });
  const [row] = await database.query("SELECT mapping FROM user_group WHERE team_id = $1", [json.user_group.team_id]);
  expect(row.mapping).toBe("{}");
});

test("GET accepts the same fields as a query", async () => {
  const id = newId("a b+c&d=é");
  const query = new URLSearchParams({ user_group_id: id, name: "N", mapping: '{"1":"2"}', properties: '{"a":1.10}' });
  const first = await call("GET", `/api/user?${query}`);
  expect(found.parse(first.json)).toMatchObject({ new_user_group: true, user_group: { provided_id: id, name: "N" } });
  expect(first.text).toContain('"properties":{"a":1.10}');
  const second = await call("GET", "/api/user", { body: { user_group_id: id } });
  expect(second.json).toEqual({ ...first.json, new_user_group: false });
});

test("POST /api/user/get-or-create is GET for clients that cannot send it a body", async () => {
  const id = newId();
  const first = await call("POST", "/api/user/get-or-create", { body: { user_group_id: id } });
  expect(found.parse(first.json).new_user_group).toBe(true);
  const second = await call("POST", "/api/user/get-or-create/", { body: { user_group_id: id } });
  expect(found.parse(second.json)).toEqual({ ...first.json, new_user_group: false });
});

test("PUT changes the sent fields and nothing else", async () => {
  const { provided_id, token } = await createGroup({ name: "Before", properties: { a: 1, b: 2 } });
  const renamed = await call("PUT", "/api/user", { body: { user_group_id: provided_id, name: "After" } });
  expect(updated.parse(renamed.json).user_group).toMatchObject({
    name: "After",
    token,
    provided_id,
    properties: { a: 1, b: 2 },
    api_environment_tag: "Testing",
  });
  const replaced = await call("PUT", "/api/user", { body: { user_group_id: provided_id, properties: { c: 3 } } });
  expect(replaced.json.user_group).toMatchObject({ name: "After", properties: { c: 3 } });
  const cleared = await call("PUT", "/api/user", { body: { user_group_id: provided_id, properties: null } });
  expect(updated.parse(cleared.json).user_group.properties).toBeNull();
});

test("PUT with only the id, or with current values, changes nothing", async ({ database }) => {
  const { provided_id, team_id } = await createGroup({ name: "Same", properties: { a: 1 } });
  const bare = await call("PUT", "/api/user", { body: { user_group_id: provided_id } });
  const same = await call("PUT", "/api/user", {
    body: { user_group_id: provided_id, name: "Same", properties: { a: 1 } },
  });
  expect(same.json).toEqual(bare.json);
  expect(same.headers.etag).toBe(bare.headers.etag);
  expect(await database.query("SELECT action FROM audit_entry WHERE team_id = $1", [team_id])).toHaveLength(1);
});

test("PUT of an unknown id creates nothing", async ({ database }) => {
  const id = newId();
  expectError(await call("PUT", "/api/user", { body: { user_group_id: id, name: "N" } }), 404, "unknown_user_group");
  expect(await database.query("SELECT FROM user_group WHERE provided_id = $1", [id])).toEqual([]);
});

test("POST rotates the token, and the old one stops immediately", async () => {
  const group = await createGroup({ name: "R" });
  const response = await call("POST", "/api/user", { body: { current_token: group.token } });
  const { user_group } = rotated.parse(response.json);
  expect(user_group).toEqual({
    ...group,
    token: user_group.token,
    properties: undefined,
    api_environment_tag: "Testing",
  });
  expect(user_group.token).not.toBe(group.token);
  const again = await call("POST", "/api/user", { body: { current_token: group.token } });
  expectError(again, 404, "unknown_token");
  expect(again.text).not.toContain(group.token);
  const { json } = await call("GET", "/api/user", { body: { user_group_id: group.provided_id } });
  expect(json.user_group.token).toBe(user_group.token);
});

test("the same id in two environments is two groups, each visible only in its own", async ({ stage }) => {
  const id = newId();
  const testing = await createGroup({ user_group_id: id });
  const production = await createGroup({ user_group_id: id }, { token: stage.tokens.production });
  expect(production.team_id).not.toBe(testing.team_id);
  const tagged = await call("PUT", "/api/user", { token: stage.tokens.production, body: { user_group_id: id } });
  expect(tagged.json.user_group.api_environment_tag).toBe("Customer");
  const foreign = { token: stage.tokens.production, body: { current_token: testing.token } };
  expectError(await call("POST", "/api/user", foreign), 404, "unknown_token");
  const only = await createGroup();
  const update = { token: stage.tokens.production, body: { user_group_id: only.provided_id } };
  expectError(await call("PUT", "/api/user", update), 404, "unknown_user_group");
});

test("a read-only API token gets existing groups and changes nothing", async ({ stage }) => {
  const group = await createGroup();
  const token = stage.tokens.readOnly;
  const get = await call("GET", "/api/user", { token, body: { user_group_id: group.provided_id } });
  expect(get.json).toMatchObject({ new_user_group: false, user_group: { token: group.token } });
  expectError(await call("GET", "/api/user", { token, body: { user_group_id: newId() } }), 403, "forbidden");
  expectError(await call("PUT", "/api/user", { token, body: { user_group_id: group.provided_id } }), 403, "forbidden");
  expectError(await call("POST", "/api/user", { token, body: { current_token: group.token } }), 403, "forbidden");
  expectError(await call("PUT", "/api/user", { token, body: "{" }), 403, "forbidden");
});

test("every answer has a request id and may not be stored", async () => {
  const { headers } = await call("GET", "/api/user", { body: { user_group_id: newId() } });
  expect(headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test.describe("If-Match", () => {
  test("lets the first of two editors save and warns the second", async () => {
    const { provided_id } = await createGroup({ name: "Before" });
    const { headers } = await call("GET", "/api/user", { body: { user_group_id: provided_id } });
    const tag = String(headers.etag);
    const save = (name: string, ifMatch: string) =>
      call("PUT", "/api/user", { headers: { "if-match": ifMatch }, body: { user_group_id: provided_id, name } });
    const first = await save("First", tag);
    expect(first.status).toBe(200);
    expectError(await save("Second", tag), 412, "stale");
    expectError(await save("Second", "nonsense"), 412, "stale");
    expect((await save("Second", `"x", ${String(first.headers.etag)}`)).status).toBe(200);
    expect((await save("Third", "*")).json.user_group.name).toBe("Third");
  });

  test("compares the version, whatever a compressing proxy did to the tag", async () => {
    const { provided_id } = await createGroup({ name: "Before" });
    const marks: ((tag: string) => string)[] = [
      (tag) => `W/${tag}`,
      (tag) => tag.replace(/"$/, '-gzip"'),
      (tag) => `W/${tag.replace(/"$/, '--br"')}`,
    ];
    const read = () => call("GET", "/api/user", { body: { user_group_id: provided_id } });
    for (const [at, mark] of marks.entries()) {
      const tag = String((await read()).headers.etag);
      const save = () =>
        call("PUT", "/api/user", {
          headers: { "if-match": mark(tag) },
          body: { user_group_id: provided_id, name: `After ${at}` },
        });
      expect((await save()).json.user_group.name).toBe(`After ${at}`);
      expectError(await save(), 412, "stale");
    }
  });

  test("is checked even when a change would change nothing", async () => {
    const { provided_id, name } = await createGroup();
    const body = { user_group_id: provided_id, name };
    expectError(await call("PUT", "/api/user", { headers: { "if-match": '"0-0"' }, body }), 412, "stale");
  });

  test("detects a rotation", async () => {
    const { provided_id, token } = await createGroup();
    const { headers } = await call("GET", "/api/user", { body: { user_group_id: provided_id } });
    await call("POST", "/api/user", { body: { current_token: token } });
    const body = { user_group_id: provided_id, name: "N" };
    expectError(await call("PUT", "/api/user", { headers: { "if-match": String(headers.etag) }, body }), 412, "stale");
  });
});

test.describe("Idempotency-Key", () => {
  const rotate = (current_token: string, key: string, token?: string) =>
    call("POST", "/api/user", {
      headers: { "idempotency-key": key },
      body: { current_token },
      ...(token && { token }),
    });

  test("gives a retry the first answer and rotates nothing", async () => {
    const group = await createGroup();
    const key = newId("key");
    const first = await rotate(group.token, key);
    await call("PUT", "/api/user", { body: { user_group_id: group.provided_id, name: "Renamed since" } });
    const second = await rotate(group.token, key);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(second.headers.etag).toBe(first.headers.etag);
  });

  test("with another body is a conflict", async () => {
    const [one, two] = [await createGroup(), await createGroup()];
    const key = newId("key");
    await rotate(one.token, key);
    expectError(await rotate(two.token, key), 409, "idempotency_conflict");
    const { json } = await call("GET", "/api/user", { body: { user_group_id: two.provided_id } });
    expect(json.user_group.token).toBe(two.token);
  });

  test("is scoped to each API token", async ({ stage }) => {
    const key = newId("key");
    const testing = await createGroup();
    const production = await createGroup({}, { token: stage.tokens.production });
    expect((await rotate(testing.token, key)).status).toBe(200);
    expect((await rotate(production.token, key, stage.tokens.production)).status).toBe(200);
  });

  test("of a failed request may be used again", async () => {
    const group = await createGroup();
    const key = newId("key");
    expectError(await rotate("ugt_unknown", key), 404, "unknown_token");
    expect((await rotate(group.token, key)).status).toBe(200);
  });

  test("is forgotten after 24 hours", async ({ database }) => {
    const group = await createGroup();
    const key = newId("key");
    const first = await rotate(group.token, key);
    await database.query("UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = $1", [key]);
    expectError(await rotate(group.token, key), 404, "unknown_token");
    expect((await rotate(first.json.user_group.token, key)).status).toBe(200);
  });

  test("has 1 to 255 characters", async () => {
    const { token } = await createGroup();
    expectError(await rotate(token, "k".repeat(256)), 422, "invalid_fields");
    expectError(await rotate(token, ""), 422, "invalid_fields");
    expect((await rotate(token, newId("k").padEnd(255, "k"))).status).toBe(200);
  });
});

test("the history names who changed what, in order, and holds no secret", async ({ database }) => {
  const group = await createGroup({ name: "One", properties: { n: 1 } });
  const renamed = await call("PUT", "/api/user", { body: { user_group_id: group.provided_id, name: "Two" } });
  const { json } = await call("POST", "/api/user", { body: { current_token: group.token } });
  const rows = await database.query("SELECT * FROM audit_entry WHERE team_id = $1 ORDER BY id", [group.team_id]);
  expect(rows.map((row) => row.action)).toEqual([
    "user_group.created",
    "user_group.updated",
    "user_group.token_rotated",
  ]);
  const [created, updated, rotated] = rows.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)]);
  expect(created).toEqual([null, expect.objectContaining({ name: "One", mapping: {}, properties: { n: 1 } })]);
  expect(updated?.map((state) => state.name)).toEqual(["One", "Two"]);
  expect(rotated?.[0]).toEqual(updated?.[1]);
  expect(rotated?.[1].token_fingerprint).not.toBe(rotated?.[0].token_fingerprint);
  expect(rows[1]).toMatchObject({
    actor_type: "api_token",
    actor_name: "e2e",
    request_id: renamed.headers["x-request-id"],
  });
  const kept = JSON.stringify(rows);
  for (const secret of [group.token, json.user_group.token]) expect(kept).not.toContain(secret.slice(4, 20));
});
