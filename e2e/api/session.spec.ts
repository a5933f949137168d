import { readFile } from "node:fs/promises";
import pg from "pg";
import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";
import { cookieOf, createMember, signIn } from "../fixtures/member";

/** A call as made by the dashboard: with a session and an environment instead of an API token. */
const asMember = (method: string, cookie: string, body: unknown, headers: Record<string, string> = {}) =>
  call(method, "/api/user", { token: null, body, headers: { cookie, "x-environment": "testing", ...headers } });

test("the first owner, created by variables, signs in and takes a group through its life", async ({
  stage,
  database,
}) => {
  const signedIn = await signIn(stage.owner);
  expect(signedIn.status, signedIn.text).toBe(200);
  expect(signedIn.headers["cache-control"]).toBe("no-store");
  for (const cookie of [signedIn.headers["set-cookie"] ?? []].flat()) {
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Lax");
  }
  // The browser must not drop it before the session ends: 30 days of use, with SESSION_MAX_DAYS unset.
  expect([signedIn.headers["set-cookie"]].flat()).toEqual([
    expect.stringMatching(/\.session_token=.*; Max-Age=2592000;/),
  ]);
  const cookie = cookieOf(signedIn);
  const id = newId();
  const created = await asMember("GET", cookie, { user_group_id: id, properties: { a: 1 } });
  expect(created.json).toMatchObject({ success: 1, new_user_group: true, user_group: { provided_id: id } });
  const { team_id, token } = created.json.user_group;
  const updated = await asMember("PUT", cookie, { user_group_id: id, name: "By hand" });
  expect(updated.json.user_group).toMatchObject({ name: "By hand", token, api_environment_tag: "Testing" });
  const rotated = await asMember("POST", cookie, { current_token: token });
  expect(rotated.status).toBe(200);
  const history = await database.query("SELECT * FROM audit_entry WHERE team_id = $1 ORDER BY id", [team_id]);
  expect(history.map(({ actor_type, actor_name }) => [actor_type, actor_name])).toEqual(
    Array(3).fill(["member", stage.owner.email]),
  );
  const elsewhere = await asMember("PUT", cookie, { user_group_id: id }, { "x-environment": "production" });
  expectError(elsewhere, 404, "unknown_user_group");
});

test("every call that gives a member a token is in the history", async ({ database }) => {
  const cookie = cookieOf(await signIn(await createMember(database, "admin")));
  const id = newId();
  const { team_id } = (await call("GET", "/api/user", { body: { user_group_id: id } })).json.user_group;
  await call("GET", "/api/user", { body: { user_group_id: id } });
  await call("PUT", "/api/user", { body: { user_group_id: id } });
  const actions = async () =>
    (await database.query("SELECT action FROM audit_entry WHERE team_id = $1 ORDER BY id", [team_id])).map(
      ({ action }) => action,
    );
  expect(await actions()).toEqual(["user_group.created"]);
  expect((await asMember("GET", cookie, { user_group_id: id })).status).toBe(200);
  expect((await asMember("PUT", cookie, { user_group_id: id })).status).toBe(200);
  expect((await asMember("PUT", cookie, { user_group_id: id, name: "New" })).status).toBe(200);
  const [created, ...others] = await actions();
  expect(created).toBe("user_group.created");
  expect(others).toEqual(["user_group.token_revealed", "user_group.token_revealed", "user_group.updated"]);
  const { token } = (await asMember("PUT", cookie, { user_group_id: id, name: "Newer" })).json.user_group;
  const key = { "idempotency-key": newId("key") };
  for (const action of ["user_group.token_rotated", "user_group.token_revealed"]) {
    expect((await asMember("POST", cookie, { current_token: token }, key)).status).toBe(200);
    expect((await actions()).at(-1)).toBe(action);
  }
});

test("a member rotates a group's token in one call, if the group is unchanged since it was read", async ({
  stage,
  database,
}) => {
  const cookie = cookieOf(await signIn(await createMember(database, "admin")));
  const group = await createGroup();
  const rotate = (etag: string, team_id = group.team_id) =>
    call("POST", "/api/user-groups/rotate", {
      token: null,
      body: { team_id },
      headers: { cookie, "x-environment": "testing", "if-match": etag },
    });
  const { token } = (await rotate(`"${group.team_id}-1"`)).json.user_group;
  const { user_group } = (await call("PUT", "/api/user", { body: { user_group_id: group.provided_id } })).json;
  expect(token).not.toBe(group.token);
  expect(user_group.token).toBe(token);
  expectError(await rotate(`"${group.team_id}-1"`), 412, "stale");
  expectError(await rotate('"1-1"', 2_147_483_647), 404, "unknown_user_group");
  const [entry] = await database.query("SELECT * FROM audit_entry WHERE team_id = $1 ORDER BY id DESC LIMIT 1", [
    group.team_id,
  ]);
  expect(entry).toMatchObject({ action: "user_group.token_rotated", actor_type: "member" });

  const holder = new pg.Client({ connectionString: stage.databaseUrl });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("UPDATE user_group SET name = 'Changed', version = version + 1 WHERE team_id = $1", [
    group.team_id,
  ]);
  const waiting = rotate(`"${group.team_id}-2"`);
  await expect(async () => {
    const locks = await database.query("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'");
    expect(locks.length).toBeGreaterThan(0);
  }).toPass();
  await holder.query("COMMIT");
  await holder.end();
  expectError(await waiting, 412, "stale");
});

test("a member's Idempotency-Key is scoped to the environment", async ({ database }) => {
  const cookie = cookieOf(await signIn(await createMember(database, "admin")));
  const key = { "idempotency-key": newId("key") };
  const created = await asMember("GET", cookie, { user_group_id: newId() });
  const body = { current_token: created.json.user_group.token };
  const rotated = await asMember("POST", cookie, body, key);
  expect((await asMember("POST", cookie, body, key)).text).toBe(rotated.text);
  const elsewhere = { ...key, "x-environment": "production" };
  expectError(await asMember("POST", cookie, body, elsewhere), 404, "unknown_token");
  const other = await asMember("GET", cookie, { user_group_id: newId() }, { "x-environment": "production" });
  const { token } = other.json.user_group;
  expect((await asMember("POST", cookie, { current_token: token }, elsewhere)).status).toBe(200);
});

test("two services that start concurrently create one first owner", async ({ stage, database }) => {
  const rows = await database.query("SELECT role FROM member WHERE email = $1", [stage.owner.email]);
  expect(rows).toEqual([{ role: "owner" }]);
});

test("a session without X-Environment, or from another site, does nothing", async ({ database, stage }) => {
  const cookie = cookieOf(await signIn(await createMember(database, "admin")));
  const body = { user_group_id: newId() };
  expectError(await call("GET", "/api/user", { token: null, body, headers: { cookie } }), 401, "unauthorized");
  expectError(await asMember("GET", cookie, body, { "sec-fetch-site": "cross-site" }), 403, "forbidden");
  expectError(await asMember("GET", cookie, body, { origin: "https://evil.example" }), 403, "forbidden");
  expectError(await asMember("GET", cookie, body, { "x-environment": "staging" }), 404, "not_found");
  const madeUp = `user-groups-${new URL(stage.urls[0]).port}.session_token=made.up`;
  expectError(await asMember("GET", madeUp, body), 401, "unauthorized");
  expectError(await asMember("GET", cookie, body, { authorization: "Token made-up" }), 401, "unauthorized");
  const inTesting = { cookie, "x-environment": "testing" };
  for (const headers of [{ cookie }, { ...inTesting, authorization: "Token made-up" }]) {
    expectError(await call("GET", "/api/admin/members", { token: null, headers }), 401, "unauthorized");
  }
  expect((await call("GET", "/api/admin/members", { token: null, headers: inTesting })).status).toBe(200);
  expect(await database.query("SELECT FROM user_group WHERE provided_id = $1", [body.user_group_id])).toEqual([]);
});

test("the address after signing in comes in a header, safely encoded", async ({ stage, database }) => {
  const { email, password } = await createMember(database, "admin");
  const [url] = stage.urls;
  const signInFor = (callbackURL: string) =>
    call("POST", "/api/auth/sign-in/email", {
      token: null,
      body: { email, password, callbackURL },
      headers: { origin: url },
    });
  const { status, headers } = await signInFor(`${url}/a\u007fb`);
  expect([status, headers.location]).toEqual([200, `${url}/a%7Fb`]);
  expect((await signInFor("https://evil.example/")).status).toBe(403);
});

test("a viewer is refused any answer that holds tokens", async ({ database }) => {
  const cookie = cookieOf(await signIn(await createMember(database, "viewer")));
  expectError(await asMember("GET", cookie, { user_group_id: newId() }), 403, "forbidden");
});

test("signing out, being disabled or a new role ends a session immediately", async ({ stage, database }) => {
  const body = { user_group_id: newId() };
  const member = await createMember(database, "admin");
  const first = cookieOf(await signIn(member));
  expect((await asMember("GET", first, body)).status).toBe(200);
  const headers = { cookie: first, origin: stage.urls[0] };
  const foreign = { ...headers, origin: "https://evil.example" };
  expect((await call("POST", "/api/auth/sign-out", { token: null, body: {}, headers: foreign })).status).toBe(403);
  expect((await asMember("GET", first, body)).status).toBe(200);
  const out = await call("POST", "/api/auth/sign-out", { token: null, body: {}, headers });
  expect(out.status, out.text).toBe(200);
  expectError(await asMember("GET", first, body), 401, "unauthorized");

  const second = cookieOf(await signIn(member));
  await database.query("UPDATE member SET role = 'viewer' WHERE id = $1", [member.id]);
  expectError(await asMember("GET", second, body), 403, "forbidden");
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [member.id]);
  expectError(await asMember("GET", second, body), 401, "unauthorized");
  const wrong = await signIn({ ...member, password: "not the password" });
  const disabled = await signIn(member);
  expect([disabled.status, disabled.json.message]).toEqual([401, wrong.json.message]);
});

test("an unknown address and a wrong password get the same answer, and no one can sign up", async ({ database }) => {
  const member = await createMember(database, "admin");
  const wrong = await signIn({ ...member, password: "not the password" });
  const unknown = await signIn({ email: `${newId()}@example.com`, password: "not the password" });
  expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
  expect(unknown.status).toBe(401);
  const email = `${newId()}@example.com`;
  const body = { email, password: "correct horse battery", name: "N" };
  expect((await call("POST", "/api/auth/sign-up/email", { token: null, body })).status).toBeGreaterThanOrEqual(400);
  expect(await database.query("SELECT FROM member WHERE email = $1", [email])).toEqual([]);
});

test("a sign-in over 256 KiB is refused with 413", async () => {
  const body = { email: "a@example.com", password: "x".repeat(262_144) };
  expectError(await call("POST", "/api/auth/sign-in/email", { token: null, body }), 413, "body_too_large");
});

test("a NUL in a sign-in is refused, and no error of the service", async () => {
  const body = { email: "a\0@example.com", password: "x".repeat(12) };
  expectError(await call("POST", "/api/auth/sign-in/email", { token: null, body }), 400, "bad_request");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const form = { token: null, headers, body: "email=a%00%40example.com&password=x" };
  expectError(await call("POST", "/api/auth/sign-in/email", form), 400, "bad_request");
  expectError(await call("GET", "/api/auth/callback/oidc?state=%00&code=x", { token: null }), 400, "bad_request");
  const typed = { email: "a@example.com", password: "a password with \\u0000 in it" };
  expect((await call("POST", "/api/auth/sign-in/email", { token: null, body: typed })).status).toBe(401);
});

test("a sign-in's refused return address is not in the log", async ({ stage }) => {
  const { token } = await createGroup();
  const mark = newId("back");
  const callbackURL = `https://${mark}.example/${token}?${"x ".repeat(9_000)}`;
  const body = { email: "a@example.com", password: "x".repeat(12), callbackURL };
  const headers = { origin: stage.urls[0] };
  expect((await call("POST", "/api/auth/sign-in/email", { token: null, headers, body })).status).toBe(403);
  const log = () => readFile(stage.logs[0], "utf8");
  await expect.poll(log).toContain('"msg":"Invalid callbackURL"');
  expect(await log()).not.toContain(mark);
});

test("sign-ins at two services of one host coexist", async ({ database }) => {
  const jar = new Map<string, string>();
  const members = await Promise.all([createMember(database, "viewer"), createMember(database, "admin")]);
  for (const [service, { email, password }] of members.entries()) {
    const body = { email, password };
    const signedIn = await call("POST", "/api/auth/sign-in/email", { token: null, body, service: service as 0 | 1 });
    expect(signedIn.status, signedIn.text).toBe(200);
    for (const cookie of cookieOf(signedIn).split("; ")) jar.set(cookie.split("=")[0] ?? "", cookie);
  }
  const headers = { cookie: [...jar.values()].join("; "), "x-environment": "-" };
  for (const [service, { email }] of members.entries()) {
    const seen = await call("GET", "/api/admin/session", { token: null, headers, service: service as 0 | 1 });
    expect(seen.json.member?.email).toBe(email);
  }
});
