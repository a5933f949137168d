import { createEnvironment } from "../fixtures/admin-client";
import { call, expect, expectError, newId } from "../fixtures/api";
import { claimsOf, partOf, test, type ViewerPlace } from "../fixtures/viewer-place";

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** Ends the views of the person `u`. */
async function end(place: ViewerPlace, group: { provided_id: string }, body: object = {}) {
  const asked = { user_group_id: group.provided_id, viewer_id: "u", ...body };
  const { status, text, json } = await place.send("POST", "/api/viewers/end", asked);
  expect(status, text).toBe(200);
  return json;
}

async function revocations(place: ViewerPlace, since?: string) {
  const { json } = await place.send("GET", `/api/revocations${since ? `?since=${since}` : ""}`);
  expect(json.has_more).toBe(false);
  return json;
}

test("a viewer can be an object: a claim in its own form, which the answer repeats", async ({ place, database }) => {
  const { provided_id: id } = await place.group();
  const email = `${newId()}@example.com`;
  const viewer = `{"name":"Ada","id":"u","email":"${email}","properties":{"b":1.50,"a":[1E2,{"n":null}]}}`;
  const body = `{"user_group_id":"${id}","viewer":${viewer}}`;
  const minted = await call("POST", "/api/viewer-tokens", { token: place.token, body });
  expect(minted.status, minted.text).toBe(200);
  const token = minted.json.viewer_token;
  expect(partOf(token, 1)).toContain(`"viewer":${viewer}`);
  expect((await place.ask(token)).text).toContain(`"viewer":${viewer}`);
  const { viewer_key } = claimsOf(await place.mint({ user_group_id: id, viewer: "u" }));
  expect(viewer_key).toMatch(/^[\w-]{22}$/);
  expect(claimsOf(token).viewer_key, "an object is the same person as its id").toBe(viewer_key);
  const other = await place.group();
  expect(claimsOf(await place.mint({ token: other.token, viewer: "u" })).viewer_key).not.toBe(viewer_key);
  const [{ rows }] = await database.query(
    "SELECT count(*)::int AS rows FROM audit_entry WHERE strpos(coalesce(before, '') || coalesce(after, ''), $1) > 0",
    [email],
  );
  expect(rows, "it is never stored").toBe(0);
});

test("an invalid viewer or content is refused with its path", async ({ place }) => {
  const { provided_id } = await place.group();
  const large = "x".repeat(4_000);
  for (const [body, path] of [
    [{ viewer: 7 }, ["viewer"]],
    [{ viewer: [] }, ["viewer"]],
    [{ viewer: {} }, ["viewer", "id"]],
    [{ viewer: { id: " u" } }, ["viewer", "id"]],
    [{ viewer: { id: "u", name: "" } }, ["viewer", "name"]],
    [{ viewer: { id: "u", email: 7 } }, ["viewer", "email"]],
    [{ viewer: { id: "u", properties: [] } }, ["viewer", "properties"]],
    [{ viewer: { id: "u", role: "buyer" } }, ["viewer", "role"]],
    [{ viewer: { id: "u", properties: { large: `${large}${"x".repeat(100)}` } } }, ["viewer"]],
    [{ viewer: { id: "u", properties: { large } }, variables: { page: "y".repeat(800) } }, ["viewer"]],
    [{ content: "sales" }, ["content"]],
    [{ content: [""] }, ["content", 0]],
    [{ content: ["x".repeat(256)] }, ["content", 0]],
    [{ content: Array(101).fill("x") }, ["content"]],
    [{ content: Array.from({ length: 100 }, (_, n) => `${n}${"x".repeat(100)}`) }, ["content"]],
  ] as const) {
    const { json } = expectError(
      await place.send("POST", "/api/viewer-tokens", { user_group_id: provided_id, ...body }),
      422,
      "invalid_fields",
    );
    expect(json.error.issues[0].path, JSON.stringify(body).slice(0, 80)).toEqual(path);
  }
});

test("content is a claim that the answer repeats: absent for everything, empty for nothing", async ({ place }) => {
  const { token: of } = await place.group();
  for (const content of [undefined, [], ["sales", "overview"]]) {
    const token = await place.mint({ token: of, content });
    expect(claimsOf(token).content).toEqual(content);
    expect((await place.ask(token)).json.viewer_token.content).toEqual(content);
  }
});

test("a template inserts what is known of the viewer, and the content", async ({ place }) => {
  const claims = {
    who: "{{viewer}}",
    name: "{{viewer.name}}",
    mail: "to {{viewer.email}}",
    all: "{{viewer.properties}}",
    level: "{{viewer.properties.level}}",
    shown: "{{content}}",
    text: "role={{viewer.properties.a.b}}",
  };
  await place.set({ templates: { own: { claims } } });
  const { token } = await place.group();
  const properties = { level: 3, "a.b": "c" };
  const viewer = { id: "u", name: "Ada", email: "ada@example.com", properties };
  const asked = { token, template: "own", content: ["sales"], viewer };
  expect(claimsOf(await place.mint(asked))).toMatchObject({
    who: "u",
    name: "Ada",
    mail: "to ada@example.com",
    all: properties,
    level: 3,
    shown: ["sales"],
    text: "role=c",
    viewer,
    content: ["sales"],
  });
  for (const [body, path] of [
    [{ viewer: undefined }, ["viewer"]],
    [{ viewer: "u" }, ["viewer", "name"]],
    [{ viewer: { ...viewer, email: undefined } }, ["viewer", "email"]],
    [{ viewer: { ...viewer, properties: { level: 3 } } }, ["viewer", "properties", "a.b"]],
    [{ viewer: { ...viewer, email: " " } }, ["viewer", "email"]],
    [{ content: undefined }, ["content"]],
    [{ content: [] }, ["content"]],
  ] as const) {
    const response = await place.send("POST", "/api/viewer-tokens", { ...asked, ...body });
    const { json } = expectError(response, 422, "invalid_fields");
    expect(json.error.issues[0].path).toEqual(path);
  }
  for (const unknown of ["viewer.id", "viewer.properties.", "viewer_key"]) {
    const templates = { own: { claims: { a: `{{${unknown}}}` } } };
    expectError(await place.send("PUT", "/api/viewer-settings", { templates }), 422, "invalid_fields");
  }
});

test("ending one person's views revokes exactly their tokens in that group, and is listed and recorded", async ({
  place,
}) => {
  const [group, elsewhere] = await Promise.all([place.group(), place.group()]);
  const [text, object, other, nobody, away] = await Promise.all([
    place.mint({ token: group.token, viewer: "u" }),
    place.mint({ token: group.token, viewer: { id: "u", name: "Ada" } }),
    place.mint({ token: group.token, viewer: "v" }),
    place.mint({ token: group.token }),
    place.mint({ token: elsewhere.token, viewer: "u" }),
  ]);
  const { next_since } = await revocations(place);
  const ended = await end(place, group);
  const { viewer_key } = claimsOf(text);
  expect(ended).toEqual({
    success: 1,
    team_id: group.team_id,
    viewer_key,
    before: expect.any(String),
    blocked_until: null,
  });
  for (const service of [0, 1] as const) {
    for (const token of [text, object]) {
      const { json } = await place.ask(token, service);
      expect(json).toEqual({ success: 1, active: false, reason: "revoked" });
    }
    for (const token of [other, nobody, away]) expect((await place.ask(token, service)).json.active).toBe(true);
  }
  const { before } = ended;
  expect((await revocations(place, next_since)).revocations).toEqual([{ team_id: group.team_id, viewer_key, before }]);
  expect(claimsOf(text).iat).toBeLessThanOrEqual(Math.floor(Date.parse(before) / 1_000));
  const history = await place.send("GET", `/api/user-groups/history?user_group_id=${group.provided_id}`);
  expect(history.json.entries[0]).toMatchObject({ action: "user_group.viewer_ended", after: { viewer_key } });
  expect(history.text).not.toContain('"u"');
  expect(history.json.entries[0].after).toEqual({ viewer_key });
});

test("a token minted after an end is valid, even in the same second, and a further end revokes it", async ({
  place,
}) => {
  const group = await place.group();
  const mint = () => place.mint({ token: group.token, viewer: "u" });
  const earlier: string[] = [];
  for (let round = 0, current = await mint(); round < 5; round++) {
    const { before } = await end(place, group);
    earlier.push(current);
    current = await mint();
    expect(claimsOf(current).iat).toBeGreaterThan(Math.floor(Date.parse(before) / 1_000));
    expect((await place.ask(current)).json.active).toBe(true);
    for (const token of earlier) expect((await place.ask(token)).json.reason).toBe("revoked");
  }
});

test("views ended many times in a row date no token far ahead: after some, the caller has to wait", async ({
  place,
}) => {
  const group = await place.group();
  const asked = { user_group_id: group.provided_id, viewer_id: "u" };
  const answers = [];
  for (let n = 0; n < 30; n++) answers.push(await place.send("POST", "/api/viewers/end", asked));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(10);
  for (const one of refused) expect(expectError(one, 429, "rate_limited").headers["retry-after"]).toBe("1");
  const { iat } = claimsOf(await place.mint({ token: group.token, viewer: "u" }));
  expect(iat - Date.now() / 1_000).toBeLessThan(12);
  const later = await place.send("POST", "/api/viewers/end", { ...asked, viewer_id: "v" });
  expect(later.status, later.text).toBe(200);
});

test("a block refuses to mint for the person, whatever finds the group, until a later call lifts it", async ({
  place,
  database,
}) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token, viewer: "u" });
  const blocked_until = inDays(300);
  expect((await end(place, group, { blocked_until })).blocked_until).toBe(blocked_until);
  const rotated = await place.send("POST", "/api/user", { current_token: group.token, overlap_seconds: 60 });
  const byId = { user_group_id: group.provided_id };
  const named = [byId, { token: group.token }, { token: rotated.json.user_group.token }];
  const viewers = ["u", { id: "u", name: "Ada" }];
  for (const body of named.flatMap((by) => viewers.map((viewer) => ({ ...by, viewer })))) {
    for (const service of [0, 1] as const) {
      const refused = await place.send("POST", "/api/viewer-tokens", body, service);
      expect(expectError(refused, 409, "viewer_ended").json.error.message).toContain(blocked_until);
    }
  }
  expectError(await place.admin.send("POST", "/api/viewer-tokens", { ...byId, viewer: "u" }), 409, "viewer_ended");
  await place.mint({ ...byId, viewer: "v" });
  await place.mint(byId);
  const history = await place.send("GET", `/api/user-groups/history?user_group_id=${group.provided_id}`);
  expect(history.json.entries).toContainEqual(
    expect.objectContaining({ action: "user_group.viewer_ended", after: expect.objectContaining({ blocked_until }) }),
  );
  const [kept] = await database.query(
    "SELECT at + interval '25 hours' AS until FROM viewer_revocation WHERE team_id = $1 AND viewer_key <> ''",
    [group.team_id],
  );
  expect(kept.until.toISOString(), "cleaning keeps it as long").toBe(blocked_until);

  expect((await end(place, group)).blocked_until).toBeNull();
  expect((await place.ask(token)).json.reason, "before only moves forward").toBe("revoked");
  const again = await place.mint({ ...byId, viewer: "u" });
  expect((await place.ask(again)).json.active).toBe(true);
  await end(place, group, { blocked_until: inDays(1) });
  expectError(await place.send("POST", "/api/viewer-tokens", { ...byId, viewer: "u" }), 409, "viewer_ended");
  await database.query("UPDATE viewer_revocation SET blocked_until = now() WHERE team_id = $1", [group.team_id]);
  await place.mint({ ...byId, viewer: "u" });
});

test("invalid calls that end one person's views are refused, and change nothing", async ({
  place,
  database,
  stage,
}) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token, viewer: "u" });
  const id = { user_group_id: group.provided_id, viewer_id: "u" };
  for (const [body, path] of [
    [{ ...id, viewer_id: undefined }, ["viewer_id"]],
    [{ ...id, viewer_id: "" }, ["viewer_id"]],
    [{ ...id, blocked_until: "tomorrow" }, ["blocked_until"]],
    [{ ...id, blocked_until: inDays(-1) }, ["blocked_until"]],
    [{ ...id, blocked_until: inDays(400) }, ["blocked_until"]],
    [{ ...id, viewer: "u" }, ["viewer"]],
  ] as const) {
    const { json } = expectError(await place.send("POST", "/api/viewers/end", body), 422, "invalid_fields");
    expect(json.error.issues[0].path, JSON.stringify(body)).toEqual(path);
  }
  const unknown = { ...id, user_group_id: newId() };
  expectError(await place.send("POST", "/api/viewers/end", unknown), 404, "unknown_user_group");
  expectError(await call("POST", "/api/viewers/end", { token: stage.tokens.readOnly, body: id }), 403, "forbidden");
  const slug = await createEnvironment(database);
  expectError(await place.admin.in(slug).send("POST", "/api/viewers/end", id), 404, "unknown_user_group");
  expect((await place.ask(token)).json.active).toBe(true);
});
