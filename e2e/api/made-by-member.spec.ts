import { apiTokenList, madeByApiToken } from "@/lib/api-tokens/schema";
import { madeAnswer } from "@/lib/members/schema";
import { webhookSecretAnswer, webhooksAnswer } from "@/lib/webhooks/schema";
import { PRESETS } from "../../lib/authority/scopes";
import { type AdminClient, adminClient, createEnvironment } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, newId, test } from "../fixtures/api";

/**
 * What happens to the rows of a removed or revoked maker, by table: `offered` keep working, and can be ended in the
 * same transaction; `end` stop working by themselves; `kept` are records only.
 */
const MAKERS_OF_TABLES: Record<string, "offered" | "end" | "kept"> = {
  api_token: "offered",
  webhook: "offered",
  one_time_link: "end",
  // Its author's authority is checked with each batch.
  job: "end",
  audit_entry: "kept",
  // Answers to repeated calls of the same caller, for a day.
  idempotency_key: "kept",
};

// API tokens and webhooks outlive the member who created them: a removal lists them, and can end them with it.

async function makeApiToken(client: AdminClient, name: string): Promise<{ id: number; token: string }> {
  const { status, text, json } = await client.post("api-tokens", {
    name,
    scopes: [...PRESETS.backend],
    expiresAt: null,
  });
  expect(status, text).toBe(200);
  return { id: json.apiToken.id, token: json.token };
}

const works = async (token: string) =>
  (await call("GET", "/api/user", { token, body: { user_group_id: newId() } })).status === 200;

const madeBy = async (owner: AdminClient, { member }: AdminClient) =>
  madeAnswer.parse((await owner.get(`members/${member.id}/made`)).json);

const pathOf = ({ member }: AdminClient) => `/api/admin/members/${member.id}`;

const revocations = (database: Database, ids: number[]) =>
  database.query(
    `SELECT actor_id, (before::json ->> 'id')::int AS id FROM audit_entry
     WHERE action = 'api_token.revoked' AND (before::json ->> 'id')::int = ANY ($1) ORDER BY 2`,
    [ids],
  );

test("an owner sees only what a member created that still works", async ({ database }) => {
  const [owner, maker] = [await adminClient(database, "owner"), await adminClient(database, "owner")];
  const first = await makeApiToken(maker, "first");
  const second = await makeApiToken(maker.in("production"), "second");
  const revoked = await makeApiToken(maker, "revoked");
  await makeApiToken(owner, "of another");
  expect((await maker.send("DELETE", `/api/admin/api-tokens/${revoked.id}`)).status).toBe(200);
  const email = `${newId()}@example.com`;
  for (const ended of ["used_at = now()", "expires_at = now()"]) {
    const gone = `${newId()}@example.com`;
    await maker.post("members/invites", { email: gone, role: "admin" });
    await database.query(`UPDATE one_time_link SET ${ended} WHERE email = $1`, [gone]);
  }
  await maker.post("members/invites", { email, role: "admin" });
  expect(await madeBy(owner, maker)).toEqual({
    success: 1,
    apiTokens: [
      { id: second.id, name: "second", environment: "production", scopes: [...PRESETS.backend], lastUsedAt: null },
      {
        id: first.id,
        name: "first",
        environment: "testing",
        scopes: [...PRESETS.backend],
        lastUsedAt: null,
      },
    ],
    webhooks: [],
    links: [{ id: expect.any(Number), purpose: "invite", email, expiresAt: expect.any(String) }],
  });
  expectError(await owner.get("members/nobody/made"), 404, "not_found");
});

test("a removal revokes the named API tokens; the others stay, marked as a former member's", async ({ database }) => {
  const [owner, maker] = [await adminClient(database, "owner"), await adminClient(database, "admin")];
  const [kept, ended] = [await makeApiToken(maker, newId("kept")), await makeApiToken(maker, newId("ended"))];
  const removed = await owner.send("DELETE", pathOf(maker), { revokeApiTokens: [ended.id] });
  expect(removed.status, removed.text).toBe(200);
  expect([await works(kept.token), await works(ended.token)]).toEqual([true, false]);
  expect(await revocations(database, [kept.id, ended.id])).toEqual([{ actor_id: owner.member.id, id: ended.id }]);
  const { apiTokens } = apiTokenList.parse((await owner.get("api-tokens")).json);
  expect(apiTokens.find(({ id }) => id === kept.id)).toMatchObject({ maker: "removed", createdBy: maker.member.name });
});

test("disabling or demoting a member can revoke their API tokens", async ({ database }) => {
  const owner = await adminClient(database, "owner");
  for (const change of [{ disabled: true }, { role: "viewer" }]) {
    const maker = await adminClient(database, "admin");
    const tokens = [await makeApiToken(maker, newId()), await makeApiToken(maker.in("production"), newId())];
    const ids = tokens.map(({ id }) => id);
    const changed = await owner.send("PATCH", pathOf(maker), { ...change, revokeApiTokens: ids });
    expect(changed.status, changed.text).toBe(200);
    expect(await Promise.all(tokens.map(({ token }) => works(token)))).toEqual([false, false]);
    expect(await revocations(database, ids)).toEqual(ids.map((id) => ({ actor_id: owner.member.id, id })));
  }
});

test("an owner who leaves can revoke their own API tokens", async ({ database }) => {
  const owner = await adminClient(database, "owner");
  const { token, id } = await makeApiToken(owner, newId());
  const left = await owner.send("DELETE", pathOf(owner), { revokeApiTokens: [id] });
  expect(left.status, left.text).toBe(200);
  expect(await works(token)).toBe(false);
});

test("an API token that the member did not create is refused, and nothing changes", async ({ database }) => {
  const [owner, maker] = [await adminClient(database, "owner"), await adminClient(database, "admin")];
  const [theirs, ours] = [await makeApiToken(maker, newId()), await makeApiToken(owner, newId())];
  for (const revokeApiTokens of [[theirs.id, ours.id], "all", [0], [1.5], {}]) {
    expectError(await owner.send("DELETE", pathOf(maker), { revokeApiTokens }), 422, "invalid_fields");
    expectError(await owner.send("PATCH", pathOf(maker), { disabled: true, revokeApiTokens }), 422, "invalid_fields");
  }
  expect([await works(theirs.token), await works(ours.token)]).toEqual([true, true]);
  expect(await database.query("SELECT disabled_at FROM member WHERE id = $1", [maker.member.id])).toEqual([
    { disabled_at: null },
  ]);
});

/** All columns that name a row's author. */
const MAKER_COLUMN = /^(created_by|maker|actor|author)(_|$)/;

test("every table with an author is listed when its author is removed, or says why not", async ({ database }) => {
  const columns = await database.query(
    `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
     JOIN pg_class p ON p.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
     WHERE c.table_schema = 'public' AND NOT p.relispartition`,
  );
  const tables = columns.filter(({ column }) => MAKER_COLUMN.test(column)).map(({ table }) => table);
  expect([...new Set(tables)].toSorted()).toEqual(Object.keys(MAKERS_OF_TABLES).toSorted());
});

const HOOK = "https://127.0.0.1:1/hook";

/** Creates a webhook with an API token. */
async function makeWebhook(token: string): Promise<number> {
  const made = await call("POST", "/api/webhooks", { token, body: { url: `${HOOK}?key=hidden`, types: null } });
  expect(made.status, made.text).toBe(200);
  return webhookSecretAnswer.parse(made.json).webhook.id;
}

const sessionOf = ({ cookie, environment }: AdminClient) => ({ cookie, "x-environment": environment });

const webhooksOf = async (client: AdminClient) => {
  const { json } = await call("GET", "/api/webhooks", { token: null, headers: sessionOf(client) });
  return webhooksAnswer.parse(json).webhooks;
};

async function place(database: Database) {
  const environment = await createEnvironment(database);
  const owner = await adminClient(database, "owner", environment);
  const maker = await adminClient(database, "admin", environment);
  const body = { name: newId(), scopes: ["webhooks:write", "events:read"], expiresAt: null };
  const { apiToken, token } = (await maker.post("api-tokens", body)).json;
  return { environment, owner, maker, token: String(token), id: Number(apiToken.id), name: body.name };
}

const disablings = (database: Database, environment: string) =>
  database.query(
    `SELECT actor_id, after FROM audit_entry
     WHERE action = 'webhook.disabled' AND environment_id = (SELECT id FROM environment WHERE slug = $1)`,
    [environment],
  );

test("a webhook shows its author; revoking that API token lists and disables it", async ({ database }) => {
  const { environment, owner, token, id, name } = await place(database);
  const [kept, ended] = [await makeWebhook(token), await makeWebhook(token)];
  expect((await webhooksOf(owner)).map(({ made_by }) => made_by)).toEqual(
    Array(2).fill({ type: "api_token", id: String(id), name }),
  );
  const path = `/api/admin/api-tokens/${id}`;
  const made = madeByApiToken.parse((await owner.get(`api-tokens/${id}/made`)).json);
  expect(made.webhooks.map((webhook) => webhook.id)).toEqual([ended, kept]);
  expectError(await owner.send("DELETE", path, { disableWebhooks: [ended, 2_147_483_647] }), 422, "invalid_fields");
  expect((await webhooksOf(owner)).map(({ enabled }) => enabled)).toEqual([true, true]);
  const revoked = await owner.send("DELETE", path, { disableWebhooks: [ended] });
  expect(revoked.status, revoked.text).toBe(200);
  expect((await webhooksOf(owner)).map((webhook) => [webhook.id, webhook.enabled])).toEqual([
    [kept, true],
    [ended, false],
  ]);
  // Many receivers have a secret path, and every member reads the history.
  const after = JSON.stringify({ id: ended, url: new URL(HOOK).origin, description: "", types: null });
  expect(await disablings(database, environment)).toEqual([{ actor_id: owner.member.id, after }]);
  expectError(await owner.in("production").get(`api-tokens/${id}/made`), 404, "not_found");
});

test("removing a member lists and disables webhooks by them or their API tokens", async ({ database }) => {
  const { environment, owner, maker, token, id } = await place(database);
  const byToken = await makeWebhook(token);
  const own = await call("POST", "/api/webhooks", { token: null, headers: sessionOf(maker), body: { url: HOOK } });
  expect(own.status, own.text).toBe(200);
  const { webhooks } = await madeBy(owner, maker);
  expect(webhooks.map((webhook) => webhook.id)).toEqual([own.json.webhook.id, byToken]);
  const ids = webhooks.map((webhook) => webhook.id);
  const removed = await owner.send("DELETE", pathOf(maker), { revokeApiTokens: [id], disableWebhooks: ids });
  expect(removed.status, removed.text).toBe(200);
  expect((await webhooksOf(owner)).map(({ enabled }) => enabled)).toEqual([false, false]);
  expect(await disablings(database, environment)).toHaveLength(2);
  expect(await works(token)).toBe(false);
});
