import { apiTokenList, createdApiToken, OVERLAPS, replacedApiToken } from "@/lib/api-tokens/schema";
import { PRESETS } from "@/lib/authority/scopes";
import { type AdminCall, adminClient, createEnvironment } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { test } from "../fixtures/api-token-command";
import { tracesOf } from "../fixtures/database-dump";

const PATH = "/api/admin/api-tokens";
const HOUR = 3_600;

async function create(send: AdminCall, fields: object = {}) {
  const body = { name: newId("token"), scopes: [...PRESETS.backend], expiresAt: null, ...fields };
  const response = await send("POST", PATH, body);
  expect(response.status, response.text).toBe(200);
  return createdApiToken.parse(response.json);
}

const askToReplace = (send: AdminCall, id: number, overlapSeconds: number) =>
  send("POST", `${PATH}/${id}/replace`, { overlapSeconds });

async function replace(send: AdminCall, id: number, overlapSeconds: number) {
  const response = await askToReplace(send, id, overlapSeconds);
  expect(response.status, response.text).toBe(200);
  return replacedApiToken.parse(response.json);
}

async function listed(send: AdminCall) {
  return apiTokenList.parse((await send("GET", PATH)).json).apiTokens;
}

const use = async (token: string, service: 0 | 1 = 0) =>
  (await call("GET", "/api/user", { token, service, body: { user_group_id: newId() } })).status;

/** Both services' answers. */
const onBoth = (token: string) => Promise.all([use(token, 0), use(token, 1)]);

const setExpiry = (database: Database, id: number, when: string) =>
  database.query(`UPDATE api_token SET expires_at = ${when} WHERE id = $1`, [id]);

for (const overlap of OVERLAPS) {
  test(`the old value stays valid for ${overlap} s, and the new one has the same rights`, async ({ database }) => {
    const { send } = await adminClient(database, "admin");
    const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const allowedNetworks = ["127.0.0.0/8"];
    const old = await create(send, { scopes: [...PRESETS["read-only"]], expiresAt, allowedNetworks });
    const { token, apiToken, previousValidUntil } = await replace(send, old.apiToken.id, overlap);
    expect(token).toMatch(/^uga_test_[0-9A-Za-z]{49}$/);
    expect(token).not.toBe(old.token);
    const { id, hint, createdAt, replaces, ...rest } = apiToken;
    const { id: oldId, hint: oldHint, createdAt: _, replaces: __, ...oldRest } = old.apiToken;
    expect([hint, oldHint]).toEqual([token, old.token].map((one) => `uga_test_…${one.slice(-4)}`));
    expect(rest).toEqual(oldRest);
    expect(replaces).toBe(oldId);
    expect(Date.parse(previousValidUntil) - Date.parse(createdAt)).toBeGreaterThanOrEqual(overlap * 1_000);
    const [row] = await database.query(
      "SELECT expires_at, expires_at - created_at < $2 * interval '1 second' + interval '1 minute' AS soon FROM api_token WHERE id = $1",
      [oldId, overlap],
    );
    expect({ at: row.expires_at.toISOString(), soon: row.soon }).toEqual({ at: previousValidUntil, soon: true });
    expect(await onBoth(token)).toEqual([404, 404]);
    expect(await onBoth(old.token)).toEqual(overlap > 0 ? [404, 404] : [401, 401]);
    const tokens = await listed(send);
    expect(tokens.find((one) => one.id === oldId)).toMatchObject({
      replacedBy: id,
      expiresAt: previousValidUntil,
      state: overlap > 0 ? "valid" : "expired",
    });
    expect(tokens.find((one) => one.id === id)).toMatchObject({ replacedBy: null, replaces: oldId, state: "valid" });
  });
}

test("the overlap never extends beyond the expiry", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const expiresAt = new Date(Date.now() + 2 * HOUR * 1_000).toISOString();
  const { apiToken } = await create(send, { expiresAt });
  expect((await replace(send, apiToken.id, 604_800)).previousValidUntil).toBe(expiresAt);
});

test("64 requests during a replacement all succeed, with either value", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const old = await create(send);
  const requests = Promise.all(Array.from({ length: 64 }, (_, at) => use(old.token, at % 2 === 0 ? 0 : 1)));
  const [{ token }, statuses] = await Promise.all([replace(send, old.apiToken.id, HOUR), requests]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const both = await Promise.all(Array.from({ length: 64 }, (_, at) => use(at % 2 === 0 ? old.token : token)));
  expect(new Set(both)).toEqual(new Set([200]));
});

test("without an overlap, requests after the answer are refused with the old value", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const old = await create(send);
  const during = Promise.all(Array.from({ length: 64 }, (_, at) => use(old.token, at % 2 === 0 ? 0 : 1)));
  await replace(send, old.apiToken.id, 0);
  const after = await Promise.all(Array.from({ length: 64 }, (_, at) => use(old.token, at % 2 === 0 ? 0 : 1)));
  expect(new Set(after)).toEqual(new Set([401]));
  // Creations refused as a batch are retried one by one, and refused if that takes more than a second.
  for (const status of await during) expect([200, 401, 503]).toContain(status);
});

test("of 16 concurrent replacements of one token exactly one succeeds", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const { apiToken } = await create(send);
  const answers = await Promise.all(Array.from({ length: 16 }, () => askToReplace(send, apiToken.id, HOUR)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won.length).toBe(1);
  const { id } = replacedApiToken.parse(won[0]?.json).apiToken;
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    const { json } = expectError(answer, 409, "conflict");
    expect(json.error.message).toContain(`has the id ${id}`);
  }
  expect((await database.query("SELECT id FROM api_token WHERE replaces = $1", [apiToken.id])).length).toBe(1);
  expectError(await askToReplace(send, apiToken.id, 0), 409, "conflict");
});

test("the database's clock ends the overlap in both services", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const old = await create(send);
  const { token } = await replace(send, old.apiToken.id, HOUR);
  await setExpiry(database, old.apiToken.id, "now() + interval '1 minute'");
  expect(await onBoth(old.token)).toEqual([200, 200]);
  await setExpiry(database, old.apiToken.id, "now() - interval '1 millisecond'");
  expect(await onBoth(old.token)).toEqual([401, 401]);
  expect(await onBoth(token)).toEqual([200, 200]);
});

test("each value has its own last use", { tag: "@release" }, async ({ database }) => {
  test.setTimeout(60_000);
  const { send } = await adminClient(database, "admin");
  const old = await create(send);
  const made = await replace(send, old.apiToken.id, HOUR);
  const used = async (id: number) =>
    (await listed(send)).find((one) => one.id === id)?.lastUsedAt === null ? "never" : "used";
  expect([await used(old.apiToken.id), await used(made.apiToken.id)]).toEqual(["never", "never"]);
  expect(await use(old.token)).toBe(200);
  await expect.poll(() => used(old.apiToken.id), { timeout: 25_000 }).toBe("used");
  expect(await used(made.apiToken.id)).toBe("never");
  expect(await use(made.token, 1)).toBe(200);
  await expect.poll(() => used(made.apiToken.id), { timeout: 25_000 }).toBe("used");
});

test("the old value can be ended early and the new one revoked, each independently", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const first = await create(send);
  const second = await replace(send, first.apiToken.id, HOUR);
  expect((await send("DELETE", `${PATH}/${first.apiToken.id}`)).status).toBe(200);
  expect([await use(first.token), await use(second.token)]).toEqual([401, 200]);
  const third = await replace(send, second.apiToken.id, HOUR);
  expect((await send("DELETE", `${PATH}/${third.apiToken.id}`)).status).toBe(200);
  expect([await use(second.token), await use(third.token)]).toEqual([200, 401]);
  expect((await listed(send)).find(({ id }) => id === second.apiToken.id)?.replacedBy).toBeNull();
  const again = await askToReplace(send, second.apiToken.id, HOUR);
  expectError(again, 409, "conflict");
  expect(again.text).toContain("create another API token");
});

test("a revoked or expired token cannot be replaced", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const [revoked, expired] = [await create(send), await create(send)];
  expect((await send("DELETE", `${PATH}/${revoked.apiToken.id}`)).status).toBe(200);
  await setExpiry(database, expired.apiToken.id, "now()");
  for (const { apiToken } of [revoked, expired]) {
    expectError(await askToReplace(send, apiToken.id, HOUR), 404, "not_found");
    expect(await database.query("SELECT FROM api_token WHERE replaces = $1", [apiToken.id])).toEqual([]);
  }
});

test("a concurrent revocation and replacement end the old value in either order", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  for (let round = 0; round < 8; round++) {
    const old = await create(send);
    const [replaced, revoked] = await Promise.all([
      askToReplace(send, old.apiToken.id, HOUR),
      send("DELETE", `${PATH}/${old.apiToken.id}`),
    ]);
    expect(revoked.status, revoked.text).toBe(200);
    expect([200, 404]).toContain(replaced.status);
    expect(await use(old.token)).toBe(401);
    if (replaced.status === 200) expect(await use(replaced.json.token)).toBe(200);
  }
});

test("a token from before scopes keeps exactly its rights", async ({ database, stage }) => {
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const { send } = await adminClient(database, "admin");
  for (const [access, status] of [
    ["read", 403],
    ["write", 200],
  ] as const) {
    const name = newId("legacy");
    const old = await insertApiToken(settings, { access, name });
    const [row] = await database.query("SELECT id FROM api_token WHERE name = $1", [name]);
    const { token, apiToken } = await replace(send, row.id, HOUR);
    expect([await use(old), await use(token)]).toEqual([status, status]);
    const [made] = await database.query("SELECT access, scopes FROM api_token WHERE id = $1", [apiToken.id]);
    expect(made).toEqual({ access, scopes: null });
  }
});

test("a row altered by SQL gets no new, valid value", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const { token, apiToken } = await create(send, { scopes: ["viewers:ask"] });
  await database.query("UPDATE api_token SET scopes = ARRAY['groups:purge'] WHERE id = $1", [apiToken.id]);
  expectError(await askToReplace(send, apiToken.id, HOUR), 409, "conflict");
  await database.query("UPDATE api_token SET scopes = ARRAY['viewers:ask'] WHERE id = $1", [apiToken.id]);
  expect(await use(token)).toBe(403);
  await replace(send, apiToken.id, HOUR);
});

test("viewers and API tokens cannot replace, and another environment's token is not found", async ({ database }) => {
  const admin = await adminClient(database, "admin");
  const { token, apiToken } = await create(admin.send, { scopes: [...PRESETS.full] });
  const viewer = await adminClient(database, "viewer");
  expectError(await askToReplace(viewer.send, apiToken.id, HOUR), 403, "forbidden");
  const byToken = await call("POST", `${PATH}/${apiToken.id}/replace`, { token, body: { overlapSeconds: 0 } });
  expectError(byToken, 401, "unauthorized");
  const other = await createEnvironment(database);
  const path = `${PATH}/${apiToken.id}/replace`;
  expectError(await admin.send("POST", path, { overlapSeconds: 0 }, other), 404, "not_found");
  expect(await use(token)).toBe(200);
  expect(await database.query("SELECT FROM api_token WHERE replaces = $1", [apiToken.id])).toEqual([]);
});

for (const [what, body, field] of [
  ["no overlap", {}, "overlapSeconds"],
  ["an unlisted overlap", { overlapSeconds: 60 }, "overlapSeconds"],
  ["a negative overlap", { overlapSeconds: -3600 }, "overlapSeconds"],
  ["a string", { overlapSeconds: "3600" }, "overlapSeconds"],
  ["null", { overlapSeconds: null }, "overlapSeconds"],
  ["a new name", { overlapSeconds: 0, name: "n" }, "name"],
  ["scopes", { overlapSeconds: 0, scopes: ["groups:purge"] }, "scopes"],
] as const) {
  test(`${what} is refused, and nothing is replaced`, async ({ database }) => {
    const { send } = await adminClient(database, "admin");
    const { token, apiToken } = await create(send);
    const { json } = expectError(await send("POST", `${PATH}/${apiToken.id}/replace`, body), 422, "invalid_fields");
    expect(json.error.issues.map(({ path }: { path: string[] }) => path.join("."))).toEqual([field]);
    expect(await use(token)).toBe(200);
    expect(await database.query("SELECT FROM api_token WHERE replaces = $1", [apiToken.id])).toEqual([]);
  });
}

test("the history has the replacement once, without a token", async ({ database }) => {
  const { send, member } = await adminClient(database, "admin");
  const old = await create(send);
  const made = await replace(send, old.apiToken.id, HOUR);
  const rows = await database.query("SELECT * FROM audit_entry WHERE actor_id = $1 ORDER BY id", [member.id]);
  expect(rows).toMatchObject([
    { action: "api_token.created" },
    { action: "api_token.replaced", actor_type: "member", request_id: expect.any(String) },
  ]);
  expect(JSON.parse(rows[1].before)).toMatchObject({ id: old.apiToken.id, name: old.apiToken.name, expires_at: null });
  expect(JSON.parse(rows[1].after)).toMatchObject({
    id: made.apiToken.id,
    name: old.apiToken.name,
    expires_at: null,
    previous_valid_until: made.previousValidUntil,
  });
  for (const trace of [...tracesOf(old.token), ...tracesOf(made.token)]) {
    expect(JSON.stringify(rows)).not.toContain(trace);
  }
});

test("the command prints only the new value, and list shows which token replaced which", { tag: "@release" }, async ({
  apiToken,
  database,
}) => {
  const { send } = await adminClient(database, "admin");
  const old = await create(send);
  const id = String(old.apiToken.id);
  const { code, stdout, stderr } = await apiToken("replace", id, "--overlap", "24h");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^uga_test_[0-9A-Za-z]{49}\n$/);
  expect([await use(old.token), await use(stdout.trim())]).toEqual([200, 200]);
  const [made] = await database.query("SELECT id FROM api_token WHERE replaces = $1", [id]);
  const list = (await apiToken("list")).stdout;
  expect(list.split("\n").find((line) => line.startsWith(`${id} `))).toMatch(
    new RegExp(`valid until 2\\d{3}-\\d\\d-\\d\\d, replaced by ${made.id}$`),
  );
  const again = await apiToken("replace", id);
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 1, stdout: "" });
  expect(again.stderr).toContain(`Replace its new value instead, which has the id ${made.id}`);
  const last = await apiToken("replace", String(made.id));
  expect([await use(stdout.trim()), await use(last.stdout.trim())]).toEqual([401, 200]);
});

for (const [what, args, reason] of [
  ["no id", [], "Give the ID that"],
  ["a token", [`uga_test_${"0".repeat(49)}`], "Give the ID that"],
  ["an unknown id", ["999999999"], "No such API token"],
  ["an unlisted overlap", ["1", "--overlap", "2h"], '--overlap is invalid: "2h". Use 0, 1h, 24h, 7d.'],
  ["toString as the overlap", ["1", "--overlap", "toString"], "--overlap is invalid"],
] as const) {
  test(`replace with ${what} fails with a clear error`, async ({ apiToken }) => {
    const { code, stdout, stderr } = await apiToken("replace", ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain("uga_test_");
  });
}

test("options of other commands, and two kinds of scopes, are refused", async ({ apiToken }) => {
  for (const [args, reason] of [
    [["create", "--name", newId(), "--overlap", "1h"], "--overlap belongs to replace."],
    [["list", "--environment", "production"], "--environment belongs to create."],
    [["revoke", "1", "--expires", "3d"], "--expires belongs to create."],
    [
      ["create", "--name", newId(), "--preset", "full", "--scopes", "groups:read"],
      "Give --preset or --scopes, not both.",
    ],
  ] as const) {
    expect(await apiToken(...args)).toMatchObject({ code: 1, stderr: `${reason} --help shows the usage.\n` });
  }
});

test("the usage explains each preset and scope, presets first", async ({ apiToken }) => {
  const { stdout } = await apiToken("--help");
  expect(stdout).toMatch(/^ {2}renderer +Looks up the group that a token belongs to\./m);
  expect(stdout).toMatch(/^ {2}groups:purge +Erases deleted user groups for good\.$/m);
  expect(stdout.indexOf("Presets:")).toBeLessThan(stdout.indexOf("Scopes, for --scopes:"));
});
