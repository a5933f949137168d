import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { openCursor, writeCursor } from "@/lib/crypto/cursor";
import { adminClient } from "../fixtures/admin-client";
import { call, expect, expectError, newId } from "../fixtures/api";
import { claimsOf, partOf, test, type ViewerPlace } from "../fixtures/viewer-place";

test("a minted token has the documented claims, and only visible properties of the group", async ({
  place,
  database,
}) => {
  const properties = { plan: "pro", secret: "s3cret", seats: 7 };
  const group = await place.group({ properties, mapping: { 40: "213", 134: "386" } });
  const [{ now: before }] = await database.query("SELECT floor(extract(epoch FROM now()))::int AS now");
  const token = await place.mint({ user_group_id: group.provided_id, viewer: "user_42" });
  expect(JSON.parse(partOf(token, 0))).toEqual({ alg: "ES256", typ: "viewer+jwt", kid: expect.any(String) });
  const { iat, exp, jti, ...claims } = claimsOf(token);
  expect(claims).toEqual({
    iss: place.issuer,
    aud: place.issuer,
    sub: group.provided_id,
    team_id: group.team_id,
    gen: 1,
    viewer: "user_42",
    viewer_key: expect.stringMatching(/^[\w-]{22}$/),
    variables: {},
  });
  expect(iat - before).toBeLessThanOrEqual(1);
  expect(exp - iat).toBe(900);
  expect(jti).toMatch(/^[\w-]{22}$/);
  expect(partOf(token, 1)).not.toContain("s3cret");

  await place.set({ visible: { properties: ["plan", "none"], mapping: ["40"] }, audience: "renderers" });
  const shown = claimsOf(await place.mint({ token: group.token, expires_in: 60, variables: { page: [1.0] } }));
  expect(shown).toMatchObject({ aud: "renderers", variables: { plan: "pro", page: [1] }, mapping: { 40: "213" } });
  expect(Object.keys(shown.variables)).toEqual(["plan", "page"]);
  expect(Object.keys(shown.mapping)).toEqual(["40"]);
  expect(shown.exp - shown.iat).toBe(60);
  expect(Object.keys(shown)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(viewer|content)/)]));
  expect(claimsOf(await place.mint({ token: group.token, audience: "other" })).aud).toBe("other");
});

test("visible properties keep their values, and nested ones their exact form", async ({ place }) => {
  await place.set({ visible: { properties: ["b", "__proto__"], mapping: [] } });
  const body = `{"user_group_id":"${newId()}","properties":{"b":9007199254740991,"__proto__":{"x":1E2},"a":1}}`;
  const { json } = await call("GET", "/api/user", { token: place.token, body });
  const token = await place.mint({ token: json.user_group.token });
  expect(partOf(token, 1)).toContain('"variables":{"b":9007199254740991,"__proto__":{"x":1E2}}');
  expect((await place.ask(token)).text).toContain('"variables":{"b":9007199254740991,"__proto__":{"x":1E2}}');
});

test("both kinds of viewer token are answered, on both instances", async ({ place }) => {
  const group = await place.group({ properties: { plan: "pro" }, mapping: { 40: "213" } });
  const plain = await place.ask(group.token);
  expect(Object.keys(plain.json)).toEqual(["success", "active", "user_group"]);
  const token = await place.mint({ user_group_id: group.provided_id, viewer: "u", variables: { page: "p" } });
  for (const service of [0, 1] as const) {
    const { status, json, headers } = await place.ask(token, service);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...plain.json,
      viewer_token: { viewer: "u", variables: { page: "p" }, preview: false, expires_at: expect.any(String) },
    });
    expect(headers.etag).toBe(plain.headers.etag);
    expect(new Date(json.viewer_token.expires_at).getTime()).toBe(claimsOf(token).exp * 1_000);
  }
});

for (const [what, end, reason] of [
  [
    "an immediate rotation",
    (p: ViewerPlace, g: Group) => p.send("POST", "/api/user", { current_token: g.token }),
    "revoked",
  ],
  [
    "a rotation without the token",
    (p: ViewerPlace, g: Group) => p.send("POST", "/api/user-groups/rotate", { team_id: g.team_id }),
    "revoked",
  ],
  [
    "ending all views",
    (p: ViewerPlace, g: Group) => p.send("POST", "/api/user-groups/end-views", { user_group_id: g.provided_id }),
    "revoked",
  ],
  [
    "suspending and resuming",
    async (p: ViewerPlace, g: Group) => {
      await p.send("POST", "/api/user-groups/suspend", { user_group_id: g.provided_id });
      return p.send("POST", "/api/user-groups/resume", { user_group_id: g.provided_id });
    },
    "revoked",
  ],
  [
    "bringing the end forward",
    (p: ViewerPlace, g: Group) =>
      p.send("PATCH", "/api/user", { user_group_id: g.provided_id, access_ends_at: "2099-01-01T00:00:00Z" }),
    "revoked",
  ],
  [
    "deleting and restoring",
    async (p: ViewerPlace, g: Group) => {
      await p.send("DELETE", "/api/user", { user_group_id: g.provided_id });
      return p.send("POST", "/api/user-groups/restore", { user_group_id: g.provided_id });
    },
    "revoked",
  ],
  [
    "suspending",
    (p: ViewerPlace, g: Group) => p.send("POST", "/api/user-groups/suspend", { user_group_id: g.provided_id }),
    "suspended",
  ],
  [
    "ending an overlap",
    async (p: ViewerPlace, g: Group) => {
      const rotated = await p.send("POST", "/api/user", { current_token: g.token, overlap_seconds: 60 });
      expect(rotated.status).toBe(200);
      return p.send("POST", "/api/user/end-overlap", { user_group_id: g.provided_id });
    },
    "revoked",
  ],
  [
    "an access_ends_at in the past",
    (p: ViewerPlace, g: Group) =>
      p.send("PATCH", "/api/user", { user_group_id: g.provided_id, access_ends_at: "2020-01-01T00:00:00Z" }),
    "ended",
  ],
  [
    "deleting",
    (p: ViewerPlace, g: Group) => p.send("DELETE", "/api/user", { user_group_id: g.provided_id }),
    undefined,
  ],
] as const) {
  test(`${what} ends viewer tokens immediately, and appears in the revocations`, async ({ place }) => {
    const [group, other] = await Promise.all([place.group(), place.group()]);
    const since = await latest(place);
    const [token, kept] = await Promise.all([place.mint({ token: group.token }), place.mint({ token: other.token })]);
    expect((await place.ask(token)).json.active).toBe(true);
    expect((await end(place, group)).status).toBe(200);
    for (const service of [0, 1] as const) {
      expect((await place.ask(token, service)).json).toEqual({ success: 1, active: false, ...(reason && { reason }) });
    }
    expect((await place.ask(kept)).json.active).toBe(true);
    const { json } = await place.send("GET", `/api/revocations?since=${since}`);
    const told = json.revocations.filter((one: { team_id: number }) => one.team_id === group.team_id);
    expect(told.at(-1).gen).toBeGreaterThan(claimsOf(token).gen);
    expect(json.revocations.every((one: { team_id: number }) => one.team_id === group.team_id)).toBe(true);
  });
}

interface Group {
  team_id: number;
  token: string;
  provided_id: string;
}

async function latest(place: ViewerPlace): Promise<string> {
  const { json } = await place.send("GET", "/api/revocations");
  expect(json.has_more).toBe(false);
  return json.next_since;
}

test("changing other fields, or removing the end, ends no viewer token", async ({ place }) => {
  const group = await place.group();
  const id = { user_group_id: group.provided_id };
  await place.send("PATCH", "/api/user", { ...id, access_ends_at: "2098-01-01T00:00:00Z" });
  const since = await latest(place);
  const token = await place.mint(id);
  await place.send("PUT", "/api/user", { ...id, name: "Renamed", properties: { a: 1 }, mapping: { 1: "2" } });
  await place.send("PATCH", "/api/user", { ...id, access_ends_at: "2099-01-01T00:00:00Z" });
  await place.send("PATCH", "/api/user", { ...id, access_ends_at: null });
  expect((await place.ask(token)).json).toMatchObject({ active: true, user_group: { name: "Renamed" } });
  expect((await place.send("GET", `/api/revocations?since=${since}`)).json.revocations).toEqual([]);
});

test("revocations include transactions that commit late, also in another environment", async ({
  place,
  database,
  stage,
}) => {
  const [late, early] = await Promise.all([place.group(), place.group()]);
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const start = await latest(place);
  await client.query("BEGIN");
  await client.query("UPDATE user_group SET gen = gen + 1 WHERE team_id = $1", [late.team_id]);
  await place.send("POST", "/api/user-groups/end-views", { user_group_id: early.provided_id });
  const first = (await place.send("GET", `/api/revocations?since=${start}`)).json;
  expect(first.revocations).toEqual([{ team_id: early.team_id, gen: 2 }]);
  await client.query("COMMIT");
  await client.end();
  const second = (await place.send("GET", `/api/revocations?since=${first.next_since}`)).json;
  expect(second.revocations).toContainEqual({ team_id: late.team_id, gen: 2 });
  const third = (await place.send("GET", `/api/revocations?since=${second.next_since}`, undefined, 1)).json;
  expect(third.revocations.filter(({ team_id }: Group) => team_id === late.team_id).length).toBeLessThan(2);
  const foreign = await call("GET", "/api/revocations", { token: stage.tokens.readOnly });
  expect(foreign.json.revocations.map(({ team_id }: Group) => team_id)).not.toContain(late.team_id);
  for (const since of ["x", foreign.json.next_since]) {
    expectError(await place.send("GET", `/api/revocations?since=${since}`), 422, "invalid_fields");
  }
  // A position that was never issued is refused too, as the statement's type cannot hold it.
  const [{ id }] = await database.query("SELECT id FROM environment WHERE slug = $1", [place.slug]);
  const anyPlace = z.tuple([z.string()], z.unknown());
  const [history] = openCursor(`revocations 1 ${id}`, anyPlace, { cursor: second.next_since, refusal: "" });
  for (const forged of [
    [history, "9999999999999999999", 1],
    [history, "1", 1e12],
    ["\0", "1", 1],
  ]) {
    const since = writeCursor(`revocations 1 ${id}`, forged);
    expectError(await place.send("GET", `/api/revocations?since=${since}`), 422, "invalid_fields");
  }
  await database.query("UPDATE viewer_revocation SET xid = xid + 1000000000 WHERE team_id = $1", [early.team_id]);
  expect((await place.send("GET", `/api/revocations?since=${second.next_since}`)).json.revocations).toContainEqual({
    team_id: early.team_id,
    gen: 2,
  });
});

test("a token is not valid for a later group with the number of its own, as after a restored backup", async ({
  place,
  database,
}) => {
  const group = await place.group();
  const token = await place.mint({ user_group_id: group.provided_id });
  expect((await place.ask(token)).json.active).toBe(true);
  const later = "UPDATE user_group SET created_at = now() + interval '1 minute' WHERE team_id = $1";
  await database.query(later, [group.team_id]);
  expect((await place.ask(token)).json).toEqual({ success: 1, active: false });
});

test("more revocations than fit an answer come in pages, once each", async ({ place, database }) => {
  const [{ id }] = await database.query("SELECT id FROM environment WHERE slug = $1", [place.slug]);
  await database.query(
    "INSERT INTO viewer_revocation (team_id, environment_id, gen) SELECT 2000000000 + n, $1, 2 FROM generate_series(1, 10005) AS n",
    [id],
  );
  const first = (await place.send("GET", "/api/revocations")).json;
  expect({ count: first.revocations.length, more: first.has_more }).toEqual({ count: 10_000, more: true });
  const rest = (await place.send("GET", `/api/revocations?since=${first.next_since}`)).json;
  expect({ count: rest.revocations.length, more: rest.has_more }).toEqual({ count: 5, more: false });
  await database.query("DELETE FROM viewer_revocation WHERE environment_id = $1", [id]);
});

test("a token ends no later than the group's access, and expires by the database's clock", { tag: "@release" }, async ({
  place,
}) => {
  const group = await place.group();
  const end = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000).toISOString();
  await place.send("PATCH", "/api/user", { user_group_id: group.provided_id, access_ends_at: end });
  const token = await place.mint({ token: group.token, expires_in: 86_400 });
  expect(claimsOf(token).exp * 1_000).toBe(new Date(end).getTime());
  await sleep(new Date(end).getTime() - Date.now() + 50);
  expect((await place.ask(token)).json).toEqual({ success: 1, active: false, reason: "ended" });
  expectError(await place.send("POST", "/api/viewer-tokens", { token: group.token }), 409, "not_active");
  await place.send("PATCH", "/api/user", { user_group_id: group.provided_id, access_ends_at: null });
  expect((await place.ask(token)).json).toEqual({ success: 1, active: false, reason: "expired" });
});

test("nothing is minted in the last, incomplete second of an overlap or of access", async ({ place, database }) => {
  const group = await place.group();
  await place.send("POST", "/api/user", { current_token: group.token, overlap_seconds: 60 });
  // Waits for the start of a second, to have all of it left.
  await database.query("SELECT pg_sleep(1.01 - extract(epoch FROM clock_timestamp())::numeric % 1)");
  const last = "date_trunc('second', clock_timestamp()) + interval '999 ms'";
  await database.query(`UPDATE previous_token SET valid_until = ${last} WHERE team_id = $1`, [group.team_id]);
  const previous = await place.send("POST", "/api/viewer-tokens", { token: group.token });
  expect(expectError(previous, 404, "unknown_token").json.error.message).toMatch(/^token is not/);
  await database.query(`UPDATE user_group SET access_ends_at = ${last} WHERE team_id = $1`, [group.team_id]);
  const byId = { user_group_id: group.provided_id };
  expectError(await place.send("POST", "/api/viewer-tokens", byId), 409, "not_active");
});

test("a token minted with the previous user group token ends with the overlap", { tag: "@release" }, async ({
  place,
}) => {
  const group = await place.group();
  const old = await place.mint({ token: group.token });
  const rotated = await place.send("POST", "/api/user", { current_token: group.token, overlap_seconds: 3 });
  const until = Date.parse(rotated.json.previous_token_valid_until);
  expect((await place.ask(old)).json.active, "an overlap's rotation ends no views").toBe(true);
  const [previous, current] = await Promise.all([
    place.mint({ token: group.token }, 1),
    place.mint({ token: rotated.json.user_group.token }),
  ]);
  expect(claimsOf(previous).exp).toBe(Math.floor(until / 1_000));
  expect(claimsOf(current).exp - claimsOf(current).iat).toBe(900);
  expect((await place.ask(previous)).json.active).toBe(true);
  await sleep(until - Date.now() + 50);
  expect((await place.ask(previous)).json).toEqual({ success: 1, active: false, reason: "expired" });
  expectError(await place.send("POST", "/api/viewer-tokens", { token: group.token }), 404, "unknown_token");
  expect((await place.ask(current)).json.active).toBe(true);
});

test("invalid mint requests are refused with their reason", async ({ place, stage }) => {
  const group = await place.group({ properties: { plan: "pro", large: "x".repeat(7_000), larger: "y".repeat(9_000) } });
  const id = { user_group_id: group.provided_id };
  const mint = (body: object) => place.send("POST", "/api/viewer-tokens", body);
  expectError(await mint({ user_group_id: newId() }), 404, "unknown_user_group");
  expectError(await mint({ token: "ugt_none" }), 404, "unknown_token");
  for (const [body, path] of [
    [{}, ["user_group_id"]],
    [{ ...id, token: group.token }, ["user_group_id"]],
    [{ ...id, expires_in: 59 }, ["expires_in"]],
    [{ ...id, expires_in: 86_401 }, ["expires_in"]],
    [{ ...id, expires_in: 60.5 }, ["expires_in"]],
    [{ ...id, variables: [] }, ["variables"]],
    [{ ...id, variables: { plan: "basic" } }, ["variables", "plan"]],
    [{ ...id, viewer: "" }, ["viewer"]],
    [{ ...id, template: "none" }, ["template"]],
    [{ ...id, exp: 1 }, ["exp"]],
  ] as const) {
    const { json } = expectError(await mint(body), 422, "invalid_fields");
    expect(json.error.issues[0].path, JSON.stringify(body)).toEqual(path);
  }
  await place.set({ visible: { properties: ["plan", "large", "larger"] } });
  const { json } = expectError(await mint(id), 422, "invalid_fields");
  expect(json.error.issues.map(({ path }: { path: string[] }) => path.join("."))).toEqual([
    "variables.larger",
    "variables.large",
    "variables.plan",
  ]);
  const claims = Object.fromEntries(Array.from({ length: 180 }, (_, n) => [`c${n}`, "{{variables}}"]));
  await place.set({ templates: { many: { claims } } });
  const filled = expectError(
    await mint({ ...id, template: "many", variables: { page: "x".repeat(60_000) } }),
    422,
    "invalid_fields",
  );
  // Refused before the template multiplies the variables.
  const [, bytes] = /at least (\d+) bytes/.exec(filled.json.error.issues[0].message) ?? [];
  expect(Number(bytes)).toBeLessThan(100_000);
  await place.send("POST", "/api/user-groups/suspend", id);
  expectError(await mint(id), 409, "not_active");
  expectError(await call("POST", "/api/viewer-tokens", { token: stage.tokens.testing, body: id }), 403, "forbidden");
});

test("View as opens the preview page with a short-lived token in its fragment, and is recorded", async ({
  place,
  database,
}) => {
  const group = await place.group();
  const body = { user_group_id: group.provided_id };
  expectError(await place.admin.act("view-as", body), 409, "conflict");
  await place.set({ preview_url: "https://app.example.com/preview?a=1#token={{viewerToken}}&b" });
  const { status, json, text } = await place.admin.act("view-as", body);
  expect(status, text).toBe(200);
  const { url, expires_at } = json;
  expect(url.startsWith("https://app.example.com/preview?a=1#token=eyJ")).toBe(true);
  const token = /token=([^&]+)&b$/.exec(url)?.[1] ?? "";
  const claims = claimsOf(token);
  expect(claims).toMatchObject({ preview: true, viewer: `member:${place.admin.member.id}`, team_id: group.team_id });
  expect(claims.exp - claims.iat).toBe(900);
  expect(new Date(expires_at).getTime()).toBe(claims.exp * 1_000);
  expect((await place.ask(token)).json.viewer_token.preview).toBe(true);
  const entries = () =>
    database.query("SELECT * FROM audit_entry WHERE team_id = $1 AND action = 'user_group.viewed_as'", [group.team_id]);
  expect(await entries()).toMatchObject([{ actor_id: place.admin.member.id, actor_type: "member" }]);
  const viewer = (await adminClient(database, "viewer")).in(place.slug);
  expectError(await viewer.act("view-as", body), 403, "forbidden");
  expectError(await place.admin.act("view-as", { user_group_id: newId() }), 404, "unknown_user_group");
  await place.send("POST", "/api/user-groups/suspend", body);
  expectError(await place.admin.act("view-as", body), 409, "not_active");
  expect(await entries()).toHaveLength(1);
});

test("minting and checks count as uses of the group, not of its token", async ({ place, database }) => {
  const group = await place.group();
  const token = await place.mint({ user_group_id: group.provided_id });
  await place.ask(token);
  const stored = async () =>
    (
      await database.query(
        "SELECT u.*, m.checks::int AS checks, g.rotated_at FROM group_use u JOIN user_group g USING (team_id) JOIN group_use_month m USING (team_id) WHERE team_id = $1",
        [group.team_id],
      )
    )[0];
  await expect.poll(async () => (await stored())?.checks).toBe(2);
  const use = await stored();
  expect(Date.now() - use.last_used_at.getTime()).toBeLessThan(60_000);
  expect(use.first_used_at).toBeNull();
  await place.ask(group.token);
  await expect.poll(async () => (await stored()).first_used_at).not.toBeNull();
});
