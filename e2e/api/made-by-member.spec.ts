import { apiTokenList } from "@/lib/api-tokens/schema";
import { madeAnswer } from "@/lib/members/schema";
import { PRESETS } from "../../lib/db/scopes";
import { type AdminClient, adminClient } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, newId, test } from "../fixtures/api";

// What a member made outlives the member: whoever removes one sees it, and may end it in the same step.

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

test("S14: an owner sees what a member made that still works, and no other", async ({ database }) => {
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
    links: [{ id: expect.any(Number), purpose: "invite", email, expiresAt: expect.any(String) }],
  });
  expectError(await owner.get("members/nobody/made"), 404, "not_found");
});

test("S14: a removal revokes the API tokens that are named, and the others stay and show it", async ({ database }) => {
  const [owner, maker] = [await adminClient(database, "owner"), await adminClient(database, "admin")];
  const [kept, ended] = [await makeApiToken(maker, newId("kept")), await makeApiToken(maker, newId("ended"))];
  const removed = await owner.send("DELETE", pathOf(maker), { revokeApiTokens: [ended.id] });
  expect(removed.status, removed.text).toBe(200);
  expect([await works(kept.token), await works(ended.token)]).toEqual([true, false]);
  expect(await revocations(database, [kept.id, ended.id])).toEqual([{ actor_id: owner.member.id, id: ended.id }]);
  const { apiTokens } = apiTokenList.parse((await owner.get("api-tokens")).json);
  expect(apiTokens.find(({ id }) => id === kept.id)).toMatchObject({ maker: "removed", createdBy: maker.member.name });
});

test("S14: disabling and demoting a member can revoke what they made", async ({ database }) => {
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

test("S14: an owner who leaves can revoke what they made themselves", async ({ database }) => {
  const owner = await adminClient(database, "owner");
  const { token, id } = await makeApiToken(owner, newId());
  const left = await owner.send("DELETE", pathOf(owner), { revokeApiTokens: [id] });
  expect(left.status, left.text).toBe(200);
  expect(await works(token)).toBe(false);
});

test("S14: an API token that the member did not make is refused, and nothing is changed", async ({ database }) => {
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
