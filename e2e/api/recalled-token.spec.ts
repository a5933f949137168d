import { adminClient } from "../fixtures/admin-client";
import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";
import { scopedToken } from "../fixtures/scoped-token";

// A PUT with an API token known to the process skips the look-up, as its statement notices any change of the token.

const LOSSES = {
  revoked: "revoked_at = now()",
  expired: "expires_at = now()",
  "limited to other networks": "allowed_networks = '{203.0.113.0/24}'",
  "given another scope in the database": "scopes = scopes || 'groups:purge'::text",
};

/** Requests that would be accepted, or refused for other reasons. */
const REQUESTS: Record<string, (id: string) => { body: unknown; headers?: Record<string, string> }> = {
  "a change": (id) => ({ body: { user_group_id: id, name: "Changed" } }),
  "no change": (id) => ({ body: { user_group_id: id, name: "Before" } }),
  "a change of an unknown group": () => ({ body: { user_group_id: newId(), name: "Changed" } }),
  "a change of another version": (id) => ({
    body: { user_group_id: id, name: "Changed" },
    headers: { "if-match": '"1-1"' },
  }),
  "an invalid field": (id) => ({ body: { user_group_id: id, name: 5 } }),
};

for (const [loss, set] of Object.entries(LOSSES)) {
  test(`a known API token that was ${loss} gets 401 for every request`, async ({ database }) => {
    const { provided_id } = await createGroup({ user_group_id: newId() });
    const token = await scopedToken("groups:write", "tokens:read");
    const put = (body: unknown, headers = {}) => call("PUT", "/api/user", { token, body, headers });
    for (const name of ["First", "Before"]) {
      expect((await put({ user_group_id: provided_id, name })).status).toBe(200);
    }
    const [{ actor_id }] = await database.query(
      "SELECT actor_id FROM audit_entry WHERE action = 'user_group.updated' AND after::json ->> 'provided_id' = $1 LIMIT 1",
      [provided_id],
    );
    await database.query(`UPDATE api_token SET ${set} WHERE id = $1`, [actor_id]);
    for (const [what, requestFor] of Object.entries(REQUESTS)) {
      const { body, headers } = requestFor(provided_id);
      expect((await put(body, headers)).status, what).toBe(401);
    }
    const groups = await database.query("SELECT name, version FROM user_group WHERE provided_id = $1", [provided_id]);
    expect(groups).toEqual([{ name: "Before", version: 3 }]);
  });
}

test("changed networks of a known API token apply from the next PUT on", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  const { provided_id } = await createGroup({ user_group_id: newId() });
  const scopes = ["groups:write", "tokens:read"];
  const made = (await send("POST", "/api/admin/api-tokens", { name: newId(), scopes, expiresAt: null })).json;
  const rename = (name: string) =>
    call("PUT", "/api/user", { token: made.token, body: { user_group_id: provided_id, name } });
  const limitTo = (...allowedNetworks: string[]) =>
    send("PATCH", `/api/admin/api-tokens/${made.apiToken.id}`, { allowedNetworks });
  expect((await rename("One")).status).toBe(200);
  await limitTo("203.0.113.0/24");
  expectError(await rename("Two"), 401, "unauthorized");
  await limitTo("127.0.0.0/8");
  expect((await rename("Three")).status).toBe(200);
  await limitTo("203.0.113.0/24", "127.0.0.0/8");
  expect((await rename("Four")).json.user_group.name).toBe("Four");
});
