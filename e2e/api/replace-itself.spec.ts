import pg from "pg";
import { createdApiToken, selfReplacedAnswer } from "@/lib/api-tokens/schema";
import { PRESETS } from "@/lib/authority/scopes";
import { type AdminClient, adminClient, adminElsewhere } from "../fixtures/admin-client";
import { call, expect, expectError, newId, test } from "../fixtures/api";
import { tracesOf } from "../fixtures/database-dump";

const HOUR = 3_600;

async function create({ send }: Pick<AdminClient, "send">, fields: object = {}) {
  const scopes = ["viewers:ask", "api-token:replace"];
  const body = { name: newId("token"), scopes, expiresAt: null, ...fields };
  return createdApiToken.parse((await send("POST", "/api/admin/api-tokens", body)).json);
}

const ask = (token: string, body: object = { overlap_seconds: HOUR }, service: 0 | 1 = 0) =>
  call("POST", "/api/api-tokens/replace", { token, body, service });

async function replace(token: string) {
  const answer = await ask(token);
  expect(answer.status, answer.text).toBe(200);
  return selfReplacedAnswer.parse(answer.json);
}

const works = async (token: string) =>
  (await call("POST", "/api/viewer", { token, body: { token: "t" } })).status === 200;

test("a token replaces itself with the same rights, and its maker stays", async ({ database }) => {
  const admin = await adminClient(database, "admin");
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const old = await create(admin, { expiresAt, allowedNetworks: ["127.0.0.0/8"] });
  const made = await replace(old.token);
  expect(made.api_token).toMatch(/^uga_test_[0-9A-Za-z]{49}$/);
  expect(made.expires_at).toBe(expiresAt);
  const until = Date.parse(made.previous_token_valid_until) - Date.now();
  expect(until).toBeGreaterThan((HOUR - 60) * 1_000);
  expect(until).toBeLessThan((HOUR + 60) * 1_000);
  expect([await works(old.token), await works(made.api_token)]).toEqual([true, true]);
  const columns = "name, scopes, allowed_networks, created_by, created_by_id, replaces";
  const rows = await database.query(`SELECT ${columns} FROM api_token WHERE name = $1 ORDER BY id`, [
    old.apiToken.name,
  ]);
  expect(rows[1]).toEqual({ ...rows[0], replaces: old.apiToken.id });
  expect(rows[0].created_by_id).toBe(admin.member.id);

  const entries = await database.query(
    "SELECT actor_type, actor_id, before, after FROM audit_entry WHERE action = 'api_token.replaced' AND actor_id = $1",
    [String(old.apiToken.id)],
  );
  expect(entries).toMatchObject([{ actor_type: "api_token" }]);
  for (const trace of [...tracesOf(old.token), ...tracesOf(made.api_token)]) {
    expect(JSON.stringify(entries)).not.toContain(trace);
  }
  // Each value can be replaced once, and not while two are valid.
  expectError(await ask(old.token), 409, "conflict");
  expectError(await ask(made.api_token), 409, "conflict");
  await database.query("UPDATE api_token SET expires_at = now() WHERE id = $1", [old.apiToken.id]);
  const third = await replace(made.api_token);
  expect(await works(third.api_token)).toBe(true);
});

test("of 16 concurrent calls one gets the new value", async ({ database }) => {
  const { token } = await create(await adminClient(database, "admin"));
  const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => ask(token, undefined, n % 2 === 0 ? 0 : 1)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 15 }, () => 409)]);
});

test("revoking any value revokes all of them, also one that is being made", async ({ database, stage }) => {
  const admin = await adminClient(database, "admin");
  const revoke = async (id: number) => {
    expect((await admin.send("DELETE", `/api/admin/api-tokens/${id}`, {})).status).toBe(200);
  };
  for (const which of [0, 1]) {
    const old = await create(admin);
    const made = await replace(old.token);
    const ids = await database.query("SELECT id FROM api_token WHERE name = $1 ORDER BY id", [old.apiToken.name]);
    await revoke(ids[which].id);
    expect([await works(old.token), await works(made.api_token)]).toEqual([false, false]);
    const entries = await database.query(
      `SELECT count(*)::int AS count FROM audit_entry
       WHERE action = 'api_token.revoked' AND (before::json ->> 'id')::int = ANY ($1)`,
      [ids.map(({ id }) => id)],
    );
    expect(entries).toEqual([{ count: 2 }]);
  }
  for (let round = 0; round < 8; round++) {
    const old = await create(admin);
    const [answer] = await Promise.all([ask(old.token), revoke(old.apiToken.id)]);
    expect([200, 401]).toContain(answer.status);
    if (answer.status === 200) expect(await works(answer.json.api_token)).toBe(false);
    expect(await works(old.token)).toBe(false);
  }
  // Revoked while the call waits for the token's row: refused as if it had come a moment later.
  const held = await create(admin);
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  await client.query("BEGIN");
  await client.query("UPDATE api_token SET revoked_at = now() WHERE id = $1", [held.apiToken.id]);
  const waiting = ask(held.token);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await client.query("COMMIT");
  await client.end();
  expectError(await waiting, 401, "unauthorized");
});

test("only a token with the scope replaces itself, for an hour to a week", async ({ database }) => {
  const admin = await adminClient(database, "owner");
  const full = await create(admin, { scopes: [...PRESETS.full] });
  expect(expectError(await ask(full.token), 403, "forbidden").json.error.message).toContain("api-token:replace");
  const byMember = await admin.send("POST", "/api/api-tokens/replace", { overlap_seconds: HOUR });
  expectError(byMember, 403, "forbidden");
  const { token } = await create(admin);
  for (const overlap_seconds of [0, 3_599, 604_801, "3600", undefined]) {
    expectError(await ask(token, { overlap_seconds }), 422, "invalid_fields");
  }
  expectError(await ask(token, { overlap_seconds: HOUR, scopes: ["groups:purge"] }), 422, "invalid_fields");
  expect(await works(token)).toBe(true);
});

test("webhooks that a later value made are listed and disabled with an earlier one", async ({ database }) => {
  const admin = await adminElsewhere(database);
  const scopes = ["webhooks:write", "events:read", "api-token:replace"];
  const old = await create(admin, { scopes });
  const other = await create(admin, { scopes });
  const hookOf = async (token: string) => {
    const body = { url: "https://127.0.0.1:1/", types: null };
    const { json, text } = await call("POST", "/api/webhooks", { token, body });
    expect(json.success, text).toBe(1);
    return json.webhook.id as number;
  };
  const made = await replace(old.token);
  const [first, second, others] = [await hookOf(old.token), await hookOf(made.api_token), await hookOf(other.token)];
  const listed = await admin.get(`api-tokens/${old.apiToken.id}/made`);
  expect(listed.json.webhooks.map(({ id }: { id: number }) => id)).toEqual([second, first]);
  const body = { disableWebhooks: [first, second] };
  const path = `/api/admin/api-tokens/${old.apiToken.id}`;
  expectError(await admin.send("DELETE", path, { disableWebhooks: [first, others] }), 422, "invalid_fields");
  expect((await admin.send("DELETE", path, body)).status).toBe(200);
  const rows = await database.query("SELECT enabled FROM webhook WHERE id = ANY ($1) ORDER BY id", [
    [first, second, others],
  ]);
  expect(rows.map(({ enabled }) => enabled)).toEqual([false, false, true]);
});

test("an ended value replaces nothing, and neither does one of another environment", async ({ database }) => {
  const admin = await adminElsewhere(database);
  const old = await create(admin, { scopes: [...PRESETS.backend, "api-token:replace"] });
  const put = (token: string, user_group_id: string) =>
    call("PUT", "/api/user", { token, body: { user_group_id, name: newId() } });
  const made = await replace(old.token);
  const { user_group } = (await call("GET", "/api/user", { token: old.token, body: { user_group_id: newId() } })).json;
  // From now on the token is known to the process, which accepts changes without a look-up.
  expect((await put(old.token, user_group.provided_id)).status).toBe(200);
  await database.query("UPDATE api_token SET expires_at = now() WHERE id = $1", [old.apiToken.id]);
  expectError(await put(old.token, user_group.provided_id), 401, "unauthorized");
  expectError(await ask(old.token), 401, "unauthorized");
  expectError(await ask(old.token, undefined, 1), 401, "unauthorized");
  const rest = await replace(made.api_token);
  const [row] = await database.query(
    "SELECT e.slug, t.scopes FROM api_token t JOIN environment e ON e.id = environment_id WHERE t.name = $1 ORDER BY t.id DESC",
    [old.apiToken.name],
  );
  expect(row).toEqual({ slug: admin.environment, scopes: old.apiToken.scopes });
  // From another environment, the token's number is not found, and the token is unchanged.
  for (const [method, suffix] of [
    ["POST", "/replace"],
    ["DELETE", ""],
  ] as const) {
    const path = `/api/admin/api-tokens/${old.apiToken.id}${suffix}`;
    const body = method === "POST" ? { overlapSeconds: 0 } : {};
    expectError(await admin.in("testing").send(method, path, body), 404, "not_found");
  }
  expect(await works(rest.api_token)).toBe(true);
});
