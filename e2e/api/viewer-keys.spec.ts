import { createRemoteJWKSet, jwtVerify } from "jose";
import { TEMPLATE_PRESETS } from "@/lib/viewer-tokens/presets";
import { call, expect, expectError } from "../fixtures/api";
import { claimsOf, partOf, test, type ViewerPlace } from "../fixtures/viewer-place";

const keysOf = async ({ slug }: ViewerPlace, template = "") =>
  call("GET", `/e/${slug}${template}/.well-known/jwks.json`, { token: null });

test("a claim template adds its claims with their types, signed with its own key", async ({ place }) => {
  const claims = {
    "https://example.com/claims": {
      id: "{{team_id}}",
      text: "group {{user_group_id}} in {{environment}}",
      n: [1, null],
    },
    who: "{{viewer}}",
    seats: "{{variables.seats}}",
  };
  await place.set({
    visible: { properties: ["seats"] },
    templates: { own: { audience: "third party", claims }, cube: TEMPLATE_PRESETS.cube.template },
  });
  const group = await place.group({ properties: { seats: 7, hidden: "h" } });
  const token = await place.mint({ token: group.token, template: "own", viewer: "u" });
  expect(JSON.parse(partOf(token, 0)).typ).toBe("JWT");
  expect(claimsOf(token)).toMatchObject({
    "https://example.com/claims": {
      id: group.team_id,
      text: `group ${group.provided_id} in ${place.slug}`,
      n: [1, null],
    },
    who: "u",
    seats: 7,
    aud: "third party",
    iss: place.issuer,
    team_id: group.team_id,
    gen: 1,
  });
  const plain = await place.mint({ token: group.token });
  const [own, ordinary, cube] = await Promise.all([keysOf(place, "/own"), keysOf(place), keysOf(place, "/cube")]);
  const kid = (of: string) => JSON.parse(partOf(of, 0)).kid;
  expect(own.json.keys.map((key: { kid: string }) => key.kid)).toEqual([kid(token)]);
  expect(ordinary.json.keys.map((key: { kid: string }) => key.kid)).toEqual([kid(plain)]);
  expect(cube.json).toEqual({ keys: [] });
  // Otherwise a third party with the template's key could pass such tokens to the renderer.
  expect((await place.ask(token)).json).toEqual({ success: 1, active: false });
  const missing = await place.send("POST", "/api/viewer-tokens", { token: group.token, template: "own" });
  expect(expectError(missing, 422, "invalid_fields").json.error.issues[0].path).toEqual(["viewer"]);
  const other = await place.group();
  const lacking = await place.send("POST", "/api/viewer-tokens", { token: other.token, template: "own", viewer: "u" });
  expect(expectError(lacking, 422, "invalid_fields").json.error.issues[0].path).toEqual(["variables", "seats"]);
});

test("the key set is public, cached and free of private members, and an empty one is not cached", async ({ place }) => {
  const empty = await keysOf(place);
  expect({ status: empty.status, json: empty.json, cache: empty.headers["cache-control"] }).toEqual({
    status: 200,
    json: { keys: [] },
    cache: "no-store",
  });
  const group = await place.group();
  const tokens = await Promise.all(
    Array.from({ length: 16 }, (_, n) => place.mint({ token: group.token }, n % 2 === 0 ? 0 : 1)),
  );
  const { json, headers } = await keysOf(place);
  expect(headers).toMatchObject({
    "cache-control": "public, max-age=300",
    "content-type": "application/json; charset=utf-8",
  });
  expect(json.keys).toEqual([
    {
      kty: "EC",
      crv: "P-256",
      alg: "ES256",
      use: "sig",
      x: expect.any(String),
      y: expect.any(String),
      kid: JSON.parse(partOf(tokens[0] ?? "", 0)).kid,
    },
  ]);
  // Two instances minted concurrently before there was a key, and created only one.
  expect(new Set(tokens.map((token) => partOf(token, 0))).size).toBe(1);
  await jwtVerify(tokens[0] ?? "", createRemoteJWKSet(new URL(`${place.issuer}/.well-known/jwks.json`)));
  expect((await call("GET", "/e/none-such/.well-known/jwks.json", { token: null })).status).toBe(404);
});

test("clients that discover an issuer find its keys, and verify a token of typ JWT with them", async ({ place }) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token, typ: "JWT" });
  expect(JSON.parse(partOf(token, 0)).typ).toBe("JWT");
  const response = await fetch(`${place.issuer}/.well-known/openid-configuration`);
  expect(response.headers.get("cache-control")).toBe("public, max-age=300");
  const metadata = (await response.json()) as { issuer: string; jwks_uri: string };
  expect(metadata).toEqual({
    issuer: place.issuer,
    jwks_uri: `${place.issuer}/.well-known/jwks.json`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
    issuer: metadata.issuer,
    typ: "JWT",
  });
  expect(payload).toEqual({ ...claimsOf(await place.mint({ token: group.token })), ...claimsOf(token) });
  // Our own viewer tokens require the type viewer+jwt.
  expect((await place.ask(token)).json).toEqual({ success: 1, active: false });
  await place.set({ templates: { cube: TEMPLATE_PRESETS.cube.template } });
  for (const body of [{ typ: "at+jwt" }, { typ: "JWT", template: "cube" }, { typ: "viewer+jwt", template: "cube" }]) {
    const refused = await place.send("POST", "/api/viewer-tokens", { token: group.token, ...body });
    expect(expectError(refused, 422, "invalid_fields").json.error.issues[0].path).toEqual(["typ"]);
  }
  const unknown = "/e/none-such/.well-known/openid-configuration";
  expect((await call("GET", unknown, { token: null })).status).toBe(404);
});

test("a rotated key is published before it signs, and a revoked one is replaced", async ({ place, database }) => {
  const group = await place.group();
  const id = { user_group_id: group.provided_id };
  const before = await place.mint(id);
  const keys = async (path = "", body?: object) => {
    const { status, json, text } = await place.admin.send(body ? "POST" : "GET", `/api/admin/viewer-keys${path}`, body);
    expect(status, text).toBe(200);
    expect(text).not.toMatch(/"d"|sealed/);
    return json.keys.map((key: { kid: string; state: string }) => [key.kid, key.state]);
  };
  const kidOf = (token: string) => JSON.parse(partOf(token, 0)).kid;
  const [[next], [current]] = await keys("/rotate", {});
  expect(await keys()).toEqual([
    [next, "waits"],
    [kidOf(before), "signs"],
  ]);
  expect(current).toBe(kidOf(before));
  expectError(await place.admin.send("POST", "/api/admin/viewer-keys/rotate", {}), 409, "conflict");
  expect(kidOf(await place.mint(id, 1))).toBe(current);
  expect((await keysOf(place)).json.keys.length).toBeGreaterThan(0);
  await database.query("UPDATE viewer_key SET signs_from = now() WHERE kid = $1", [next]);
  await database.query("UPDATE environment SET viewer_version = viewer_version + 1 WHERE slug = $1", [place.slug]);
  const after = await place.mint(id, 1);
  expect(kidOf(after)).toBe(next);
  for (const token of [before, after]) expect((await place.ask(token)).json.active).toBe(true);

  const [[fresh, state]] = await keys("/revoke", { kid: next });
  expect({ state, isNew: ![current, next].includes(fresh) }).toEqual({ state: "signs", isNew: true });
  for (const service of [0, 1] as const) {
    expect((await place.ask(after, service)).json).toEqual({ success: 1, active: false });
    expect(kidOf(await place.mint(id, service))).toBe(fresh);
    expect((await place.ask(before, service)).json.active).toBe(true);
  }
  expectError(await place.admin.send("POST", "/api/admin/viewer-keys/revoke", { kid: next }), 404, "not_found");

  // Revoking a waiting key removes the current one's end; a waiting key replaces a revoked current one.
  const [[waiting]] = await keys("/rotate", {});
  await keys("/revoke", { kid: waiting });
  const [{ ends_at }] = await database.query("SELECT ends_at FROM viewer_key WHERE kid = $1", [fresh]);
  expect(ends_at).toBeNull();
  const [[successor]] = await keys("/rotate", {});
  await keys("/revoke", { kid: fresh });
  expect(kidOf(await place.mint(id))).toBe(successor);
  // Revoking a retired key leaves the others unchanged.
  const [[waits]] = await keys("/rotate", {});
  const left = await keys("/revoke", { kid: current });
  expect(left.filter(([, state]: string[]) => state !== "revoked")).toEqual([
    [waits, "waits"],
    [successor, "signs"],
  ]);
  const history = await place.send(
    "GET",
    "/api/user-groups/history?action=environment.viewer_key_rotated&action=environment.viewer_key_revoked",
  );
  expect(history.json.entries).toHaveLength(8);
});

test("a key that cannot be decrypted stops minting, but not token checks", async ({ place, database }) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token }, 0);
  await database.query(
    "UPDATE viewer_key k SET private_sealed = '\\x00' FROM environment e WHERE e.id = k.environment_id AND e.slug = $1",
    [place.slug],
  );
  // The second instance has not read this environment's keys yet.
  for (const known of [group.token, token]) expect((await place.ask(known, 1)).json).toMatchObject({ active: true });
  expectError(await place.send("POST", "/api/viewer-tokens", { token: group.token }, 1), 500, "internal");
});
