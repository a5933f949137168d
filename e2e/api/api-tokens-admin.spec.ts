import { apiTokenList, createdApiToken } from "@/lib/api-tokens/schema";
import { PRESETS } from "../../lib/authority/scopes";
import { type AdminCall, adminClient } from "../fixtures/admin-client";
import { call, expect, expectError, newId, test } from "../fixtures/api";
import { tracesOf } from "../fixtures/database-dump";

const PATH = "/api/admin/api-tokens";
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function create(send: AdminCall, fields: object = {}, environment?: string) {
  const body = { name: newId("token"), scopes: [...PRESETS.backend], expiresAt: null, ...fields };
  const response = await send("POST", PATH, body, environment);
  expect(response.status, response.text).toBe(200);
  return createdApiToken.parse(response.json);
}

async function list(send: AdminCall, environment?: string) {
  const response = await send("GET", PATH, undefined, environment);
  expect(response.status, response.text).toBe(200);
  return { text: response.text, tokens: apiTokenList.parse(response.json).apiTokens };
}

const use = (token: string, service: 0 | 1 = 0) =>
  call("GET", "/api/user", { token, service, body: { user_group_id: newId() } });

test("a new API token is shown once, works immediately, and is listed without its value, newest first", async ({
  database,
}) => {
  const { send, member } = await adminClient(database, "admin");
  const name = newId("token");
  const { token, apiToken } = await create(send, { name: `  ${name} ` });
  expect(token).toMatch(/^uga_test_[0-9A-Za-z]{49}$/);
  expect(apiToken).toMatchObject({
    name,
    scopes: [...PRESETS.backend],
    state: "valid",
    createdBy: member.name,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    askedAt: null,
    polledAt: null,
  });
  expect((await use(token)).status).toBe(200);
  expect((await use(token, 1)).status).toBe(200);

  const later = await create(send);
  const { tokens, text } = await list((await adminClient(database, "viewer")).send);
  const { lastUsedAt: _, ...unused } = apiToken;
  expect(tokens.find(({ id }) => id === apiToken.id)).toMatchObject(unused);
  const ids = tokens.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((a, b) => b - a));
  expect(ids.indexOf(later.apiToken.id)).toBeLessThan(ids.indexOf(apiToken.id));
  for (const trace of tracesOf(token)) expect(text).not.toContain(trace);
});

test("an API token's last question and last poll are listed", { tag: "@release" }, async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const { token, apiToken } = await create(send, { scopes: [...PRESETS.renderer] });
  const listed = async () => (await list(send)).tokens.find(({ id }) => id === apiToken.id);
  const before = Date.now() - 1_000;
  const soon = { timeout: 20_000 };
  await call("POST", "/api/viewer", { token, body: { token: "ugt_unknown" } });
  await expect.poll(async () => (await listed())?.askedAt, soon).not.toBeNull();
  expect(await listed()).toMatchObject({ polledAt: null });
  const asked = (await listed())?.askedAt ?? "";
  expect(Date.parse(asked)).toBeGreaterThan(before);
  await call("GET", "/api/revocations", { token, service: 1 });
  await expect.poll(async () => (await listed())?.polledAt, soon).not.toBeNull();
  expect(await listed()).toMatchObject({ askedAt: asked });
});

test("an environment neither lists nor revokes another's API tokens", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const { token, apiToken } = await create(send, {}, "production");
  expect(token).toMatch(/^uga_live_/);
  expect((await list(send)).tokens.map(({ id }) => id)).not.toContain(apiToken.id);
  expect((await list(send, "production")).tokens.map(({ id }) => id)).toContain(apiToken.id);
  expectError(await send("DELETE", `${PATH}/${apiToken.id}`), 404, "not_found");
  expect((await use(token)).status).toBe(200);
  expect((await send("DELETE", `${PATH}/${apiToken.id}`, undefined, "production")).json).toEqual({ success: 1 });
});

test("a revoked API token is refused on the very next request, and can be revoked only once", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const { token, apiToken } = await create(send);
  expect((await use(token)).status).toBe(200);
  const path = `${PATH}/${apiToken.id}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => send("DELETE", path)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
  for (const service of [0, 1] as const) expectError(await use(token, service), 401, "unauthorized");
  const [listed] = (await list(send)).tokens.filter(({ id }) => id === apiToken.id);
  expect(listed).toMatchObject({ state: "revoked", revokedAt: expect.any(String) });
});

test("an API token with an expiry works until then", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const expiresAt = inDays(30);
  const { token, apiToken } = await create(send, { scopes: [...PRESETS["read-only"]], expiresAt });
  expect(apiToken).toMatchObject({ scopes: [...PRESETS["read-only"]], expiresAt, state: "valid" });
  expectError(await use(token), 404, "unknown_user_group");
  await database.query("UPDATE api_token SET expires_at = now() - interval '1 second' WHERE id = $1", [apiToken.id]);
  expectError(await use(token), 401, "unauthorized");
  const { tokens } = await list(send);
  expect(tokens.find(({ id }) => id === apiToken.id)?.state).toBe("expired");
});

for (const [what, fields, field] of [
  ["no name", { name: undefined }, "name"],
  ["a blank name", { name: "  " }, "name"],
  ["an invisible name", { name: "\u3164" }, "name"],
  ["a name of 256 characters", { name: "n".repeat(256) }, "name"],
  ["a number for a name", { name: 42 }, "name"],
  ["no scopes", { scopes: undefined }, "scopes"],
  ["an unknown scope", { scopes: ["admin"] }, "scopes.0"],
  ["no expiry, not even null", { expiresAt: undefined }, "expiresAt"],
  ["an expiry in the past", { expiresAt: inDays(-1) }, "expiresAt"],
  ["an expiry that is only a date", { expiresAt: "2199-01-31" }, "expiresAt"],
  ["an expiry on a nonexistent day", { expiresAt: "2199-02-30T00:00:00Z" }, "expiresAt"],
  ["an expiry without its offset", { expiresAt: "2199-01-31T00:00:00" }, "expiresAt"],
  ["an expiry that is a number", { expiresAt: 4102444800000 }, "expiresAt"],
  ["an environment", { environment: "production" }, "environment"],
  ["a chosen token", { token: "uga_test_x" }, "token"],
] as const) {
  test(`${what} is refused, and nothing is created`, async ({ database }) => {
    const { send, member } = await adminClient(database, "admin");
    const body = { name: newId("token"), scopes: [...PRESETS.backend], expiresAt: null, ...fields };
    const { json } = expectError(await send("POST", PATH, body), 422, "invalid_fields");
    expect(json.error.issues.map(({ path }: { path: (string | number)[] }) => path.join("."))).toEqual([field]);
    expect(await database.query("SELECT FROM api_token WHERE created_by = $1", [member.name])).toEqual([]);
  });
}

for (const id of ["0", "999999999", "99999999999999999999", "-1", "abc", "1e3"]) {
  test(`revoking the unknown id ${id} is a 404`, async ({ database }) => {
    expectError(await (await adminClient(database, "admin")).send("DELETE", `${PATH}/${id}`), 404, "not_found");
  });
}

test("an unknown environment has no API tokens", async ({ database }) => {
  const { send } = await adminClient(database, "owner");
  const body = { name: newId("token"), scopes: [...PRESETS.backend], expiresAt: null };
  expectError(await send("GET", PATH, undefined, "nowhere"), 404, "not_found");
  expectError(await send("POST", PATH, body, "nowhere"), 404, "not_found");
  expectError(await send("DELETE", `${PATH}/1`, undefined, "nowhere"), 404, "not_found");
});

test("creation and revocation are in the history under the member's name, without the token", async ({ database }) => {
  const { send, member } = await adminClient(database, "admin");
  const { token, apiToken } = await create(send, { scopes: [...PRESETS["read-only"]] });
  await send("DELETE", `${PATH}/${apiToken.id}`);
  const rows = await database.query("SELECT * FROM audit_entry WHERE actor_id = $1 ORDER BY id", [member.id]);
  const actor = { actor_type: "member", actor_name: member.name, request_id: expect.any(String) };
  expect(rows).toMatchObject([
    { action: "api_token.created", ...actor },
    { action: "api_token.revoked", ...actor },
  ]);
  expect(JSON.parse(rows[0].after)).toMatchObject({
    id: apiToken.id,
    name: apiToken.name,
    scopes: [...PRESETS["read-only"]],
  });
  expect(JSON.parse(rows[1].before)).toMatchObject({
    id: apiToken.id,
    name: apiToken.name,
    scopes: [...PRESETS["read-only"]],
  });
  for (const trace of tracesOf(token)) expect(JSON.stringify(rows)).not.toContain(trace);
});
