import { randomBytes } from "node:crypto";
import jwt from "jsonwebtoken";
import { PRESETS, type Scope } from "@/lib/authority/scopes";
import { call, expect, expectError, type Response } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { scopedToken } from "../fixtures/scoped-token";
import { claimsOf, partOf, test, type ViewerPlace } from "../fixtures/viewer-place";

const SECRET_BYTES = { HS256: 32, HS384: 48, HS512: 64 } as const;
type Algorithm = keyof typeof SECRET_BYTES;
const secretFor = (algorithm: Algorithm) => randomBytes(SECRET_BYTES[algorithm] / 2).toString("hex");

const CLAIMS = { params: { customer: "{{user_group_id}}" } };
const signedBy = (secret?: string, algorithm: Algorithm = "HS256", rest: object = {}) => ({
  audience: null,
  claims: CLAIMS,
  signing: { algorithm, ...(secret !== undefined && { secret }) },
  ...rest,
});
const put = (place: ViewerPlace, templates: object) => place.send("PUT", "/api/viewer-settings", { templates });
const mint = (place: ViewerPlace, body: object) => place.send("POST", "/api/viewer-tokens", body);
const issueOf = (response: Response) => {
  const [{ path, message }] = expectError(response, 422, "invalid_fields").json.error.issues;
  return { path: path.join("."), message };
};

for (const algorithm of ["HS256", "HS384", "HS512"] as const) {
  test(`a renderer's secret signs a template's tokens with ${algorithm}, and appears nowhere`, async ({
    place,
    database,
  }) => {
    const secret = secretFor(algorithm);
    const group = await place.group();
    const claims = { ...CLAIMS, preview: "as the renderer has it" };
    const form = { typ: "guest+jwt", audience: "renderer", expires_in: 300, claims };
    const template = signedBy(secret, algorithm, form);
    const answers = [await place.set({ templates: { own: template } })];
    for (const service of [0, 1] as const) {
      const token = await place.mint({ token: group.token, template: "own" }, service);
      const found = jwt.verify(token, secret, { algorithms: [algorithm], audience: "renderer" }) as jwt.JwtPayload;
      const { iat = 0 } = found;
      expect(found).toEqual({
        iss: expect.stringMatching(`/e/${place.slug}$`),
        sub: group.provided_id,
        aud: "renderer",
        iat,
        exp: iat + 300,
        jti: expect.any(String),
        team_id: group.team_id,
        gen: 1,
        params: { customer: group.provided_id },
        preview: claims.preview,
      });
      expect(JSON.parse(partOf(token, 0))).toEqual({ alg: algorithm, typ: "guest+jwt" });
      expect((await place.ask(token)).json).toEqual({ success: 1, active: false });
    }
    expect(answers[0]?.json.settings.templates.own).toEqual({ ...template, signing: { algorithm } });
    answers.push(await place.send("GET", "/api/viewer-settings"), await place.send("GET", "/api/settings"));
    const history = await place.send("GET", "/api/user-groups/history?action=environment.viewer_settings_changed");
    expect(history.json.entries[0].after).toMatchObject({
      settings: { templates: { own: { signing: { algorithm } } } },
      new_secrets: ["own"],
    });
    const rows = await database.query(
      `SELECT e.viewer_settings, k.*, encode(k.private_sealed, 'escape') AS sealed FROM environment e
       JOIN viewer_key k ON k.environment_id = e.id WHERE e.slug = $1`,
      [place.slug],
    );
    expect(rows).toHaveLength(1);
    const events = await place.send("GET", "/api/events");
    const keys = await call("GET", `/e/${place.slug}/own/.well-known/jwks.json`, { token: null });
    const listed = await place.admin.send("GET", "/api/admin/viewer-keys");
    expect([keys.json.keys, listed.json.keys]).toEqual([[], []]);
    for (const text of [...answers, history, events].map((one) => one.text)) expect(text).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
}

test("content is refused where a secret-signed template would leave it out", async ({ place }) => {
  const [group, secret] = [await place.group(), secretFor("HS256")];
  const within = signedBy(secret, "HS256", { claims: { shown: "{{ content }}" } });
  await place.set({ templates: { own: signedBy(secret), within } });
  for (const content of [[], ["sales"]]) {
    const refused = await mint(place, { token: group.token, template: "own", content });
    expect(issueOf(refused)).toEqual({ path: "content", message: "is not in the claims of this template" });
  }
  const token = await place.mint({ token: group.token, template: "within", content: ["sales"] });
  expect(claimsOf(token).shown).toEqual(["sales"]);
});

test("claims and HS algorithm change only with the secret, which a new template needs and ES256 deletes", async ({
  place,
}) => {
  const group = await place.group();
  const secret = secretFor("HS512");
  const works = async (by: string) => {
    const token = await place.mint({ token: group.token, template: "own" });
    return jwt.verify(token, by, { algorithms: ["HS256", "HS512"] }) as jwt.JwtPayload;
  };
  const missing = issueOf(await put(place, { own: signedBy() }));
  expect(missing).toEqual({ path: "templates.own.signing.secret", message: expect.stringContaining("is missing") });
  await place.set({ templates: { own: signedBy(secret) } });
  // The settings are sent back as read, without the secret.
  const { templates } = (await place.send("GET", "/api/viewer-settings")).json.settings;
  await place.set({ templates });
  await place.set({ templates: { own: signedBy(undefined, "HS256", { expires_in: 60, typ: "x" }) } });
  const { iat = 0, exp } = await works(secret);
  expect(exp).toBe(iat + 60);

  const others = { params: { customer: "someone else" } };
  for (const changed of [signedBy(undefined, "HS256", { claims: others }), signedBy(undefined, "HS512")]) {
    expect(issueOf(await put(place, { own: changed })).message).toContain("must be sent again");
  }
  expect((await works(secret)).params).toEqual({ customer: group.provided_id });
  await place.set({ templates: { own: signedBy(secret, "HS512", { claims: others }) } });
  expect((await works(secret)).params).toEqual(others.params);
  const next = secretFor("HS512");
  await place.set({ templates: { own: signedBy(next, "HS512", { claims: others }) } });
  await expect(works(secret)).rejects.toThrow("invalid signature");
  await works(next);
  const rotation = await place.admin.send("POST", "/api/admin/viewer-keys/rotate", { template: "own" });
  expectError(rotation, 409, "conflict");
  await place.set({ templates: { own: { claims: others } } });
  const deleted = issueOf(await put(place, { own: signedBy(undefined, "HS512", { claims: others }) }));
  expect(deleted.message).toContain("is missing");
});

test("a new secret may sign later, and until then the old one does", async ({ place, database }) => {
  const group = await place.group();
  const [old, next] = [secretFor("HS256"), secretFor("HS256")];
  const signer = async () => {
    const token = await place.mint({ token: group.token, template: "own" });
    return [old, next].findIndex((secret) => {
      try {
        return jwt.verify(token, secret);
      } catch {
        return false;
      }
    });
  };
  const later = (rest: object = {}) => ({
    ...signedBy(),
    signing: { algorithm: "HS256", secret: next, starts_in: 86_400 },
    ...rest,
  });
  const tooEarly = issueOf(await put(place, { own: later() }));
  expect(tooEarly.path).toBe("templates.own.signing.starts_in");
  await place.set({ templates: { own: signedBy(old) } });
  // Otherwise someone who does not know the old secret could choose the claims that it signs.
  expect(issueOf(await put(place, { own: later({ claims: {} }) })).path).toBe("templates.own.signing.starts_in");
  await place.set({ templates: { own: later() } });
  await place.set({ templates: { own: later() } });
  expect(await signer()).toBe(0);
  // Storing other claims with the old secret would delete the one that waits.
  const others = signedBy(old, "HS256", { claims: { params: { customer: "x" } } });
  expectError(await put(place, { own: others }), 409, "conflict");
  await database.query(
    `UPDATE viewer_key SET signs_from = now() - interval '1 second' WHERE signs_from > now()
     AND environment_id = (SELECT id FROM environment WHERE slug = $1)`,
    [place.slug],
  );
  await database.query("UPDATE environment SET viewer_version = viewer_version + 1 WHERE slug = $1", [place.slug]);
  expect(await signer()).toBe(1);
  const secrets = () =>
    database.query(
      "SELECT k.kid FROM viewer_key k JOIN environment e ON e.id = k.environment_id WHERE slug = $1 AND public_jwk IS NULL",
      [place.slug],
    );
  // The next change deletes the old secret; without the signing, all are deleted.
  await place.set({ templates: { own: later() } });
  expect(await secrets()).toHaveLength(2);
  await place.set({ templates: { own: { audience: null, claims: CLAIMS } } });
  expect(await secrets()).toEqual([]);
  expect(JSON.parse(partOf(await place.mint({ token: group.token, template: "own" }), 0)).alg).toBe("ES256");
});

test("invalid secrets, headers, lifetimes and claims are refused with a reason", async ({ place }) => {
  const own = (template: object) => ({ own: { claims: {}, ...template } });
  const hs = (secret: string, rest: object = {}) => own({ signing: { algorithm: "HS256", secret, ...rest } });
  const long = secretFor("HS256");
  for (const [templates, path, message] of [
    [hs("x".repeat(31)), "signing.secret", "must have at least 32 bytes"],
    [hs("x".repeat(31)), "signing.secret", "Some renderers ship shorter defaults"],
    [own({ signing: { algorithm: "HS384", secret: long } }), "signing.secret", "must have at least 48 bytes"],
    [hs(`${long}\n`), "signing.secret", "white space"],
    [own({ signing: { algorithm: "ES256", secret: long } }), "signing.secret", "is not for ES256"],
    [own({ signing: { algorithm: "none" } }), "signing.algorithm", "must be ES256"],
    [own({ signing: { algorithm: "HS256", starts_in: 1 } }), "signing.starts_in", "send it too"],
    [hs(long, { starts_in: 86_401 }), "signing.starts_in", "at most 86400"],
    [own({ typ: "viewer+jwt" }), "typ", "not viewer+jwt"],
    [own({ typ: "application/Viewer+JWT" }), "typ", "not viewer+jwt"],
    [own({ typ: "x".repeat(65) }), "typ", "1 to 64 letters"],
    [own({ expires_in: 59 }), "expires_in", "60 to 86400"],
    [own({ claims: { iss: "mine" } }), "claims.iss", "is a claim of every viewer token"],
    [own({ signing: { algorithm: "HS256", secret: long }, claims: { exp: 1 } }), "claims.exp", "is a claim of every"],
    [own({ claims: { a: "{{properties.}}" } }), "claims", "unknown placeholder"],
    [own({ claims: { a: "{{sql nothing}}" } }), "claims", "unknown placeholder {{sql nothing}}"],
  ] as const) {
    const issue = issueOf(await put(place, templates));
    expect(issue.path).toBe(`templates.own.${path}`);
    expect(issue.message).toContain(message);
  }
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, { claims: {} }]));
  await place.set({ templates: many(20) });
  expect(issueOf(await put(place, many(21))).message).toContain("at most 20");
});

test("templates need their scope, in each call that changes them and in a dry run", async ({ place, stage }) => {
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const scopes: Scope[] = PRESETS.full.filter((scope) => scope !== "templates:write");
  const token = await insertApiToken(settings, { environment: place.slug, scopes });
  const secret = secretFor("HS256");
  await place.set({ templates: { own: signedBy(secret) } });
  const { templates } = (await place.send("GET", "/api/viewer-settings")).json.settings;
  const send = (path: string, body: object) => call("PUT", path, { token, body });
  for (const path of ["/api/viewer-settings", "/api/settings?dry_run=true", "/api/settings"]) {
    expect((await send(path, { templates })).status, path).toBe(200);
    for (const changed of [{ own: signedBy(secret) }, {}, { ...templates, more: { claims: {} } }]) {
      const refused = expectError(await send(path, { templates: changed }), 403, "forbidden");
      expect(refused.json.error.message).toContain("templates:write");
    }
  }
  expectError(await send("/api/viewer-settings", {}), 403, "forbidden");
  await send("/api/viewer-settings", { templates, audience: "mine" });
  expect((await place.send("GET", "/api/viewer-settings")).json.settings).toMatchObject({
    templates,
    audience: "mine",
  });
});

test("a settings document sets secrets; its differences and tag reflect them without revealing them", async ({
  place,
}) => {
  const secret = secretFor("HS256");
  const apply = (templates: object, query = "") => place.send("PUT", `/api/settings${query}`, { templates });
  // Another environment's export is compared without its secrets.
  expect((await apply({ own: signedBy() }, "?dry_run=true")).json.changes).toHaveLength(1);
  expect(issueOf(await apply({ own: signedBy() })).path).toBe("templates.own.signing.secret");
  const tags = new Set<unknown>();
  for (const path of [
    ["templates", "own"],
    ["templates", "own", "signing", "secret"],
  ]) {
    const dry = await apply({ own: signedBy(secret) }, "?dry_run=true");
    const applied = await apply({ own: signedBy(secret) });
    expect(applied.json.changes.map((one: { path: string[] }) => one.path)).toEqual([path]);
    expect(dry.json.changes).toEqual(applied.json.changes);
    expect(applied.text).not.toContain(secret);
    tags.add(applied.headers.etag);
  }
  expect(tags.size).toBe(2);
  const exported = await place.send("GET", "/api/settings");
  expect((await apply(exported.json.settings.templates)).json.changes).toEqual([]);
  const group = await place.group();
  jwt.verify(await place.mint({ token: group.token, template: "own" }), secret);
});

const HOSTILE = ["it's", '"quoted"', "back\\slash", "a, b", "{{name}}", "{% x %}", "\u202bעברית\u202c"];

test("values arrive as they are, of the group, its properties and its mapping", async ({ place }) => {
  const claims = {
    name: "{{name}}",
    all: "{{properties.value}}",
    inText: "<{{properties.value}}>",
    source: "{{mapping.40}}",
    issuer: "{{issuer}}",
    times: ["{{iat}}", "{{exp}}"],
    list: "{{properties.list}}",
    n: "{{properties.n}}",
  };
  const long = signedBy(secretFor("HS256"), "HS256", { claims: { all: "{{properties.value}}" } });
  await place.set({ templates: { own: { claims: { own: claims } }, long } });
  for (const value of HOSTILE) {
    const name = value.replaceAll(/[\u202b\u202c]/g, "");
    const group = await place.group({
      name,
      properties: { value, list: ["a", value], n: 1.5 },
      mapping: { 40: value },
    });
    const { own, iat, exp } = claimsOf(await place.mint({ token: group.token, template: "own" }));
    expect(own).toEqual({
      name,
      all: value,
      inText: `<${value}>`,
      source: value,
      list: ["a", value],
      n: 1.5,
      issuer: place.issuer,
      times: [iat, exp],
    });
  }
  const value = "é'".repeat(1_365);
  const group = await place.group({ properties: { value } });
  expect(claimsOf(await place.mint({ token: group.token, template: "long" })).all).toBe(value);
});

test("a value in a clause is quoted for SQL, and refused where dialects or the renderer would read it differently", async ({
  place,
}) => {
  await place.set({
    templates: { own: { claims: { clause: "id = {{sql properties.value}}", name: "{{ sql name }}" } } },
  });
  const clauseFor = async (value: unknown) => {
    const group = await place.group({ name: "O'Neil", properties: { value } });
    return mint(place, { token: group.token, template: "own" });
  };
  for (const [value, literal] of [
    ["it's", "'it''s'"],
    ["a' OR 1=1 --", "'a'' OR 1=1 --'"],
    ['a, "b" :c %s {x}', `'a, "b" :c %s {x}'`],
    ["\u202bעברית\u202c", "'\u202bעברית\u202c'"],
    ["é'".repeat(500), `'${"é''".repeat(500)}'`],
    [1.5, "1.5"],
    [-5, "(-5)"],
    [true, "TRUE"],
    [false, "FALSE"],
  ] as const) {
    const { json, text } = await clauseFor(value);
    expect(json.success, text).toBe(1);
    expect(claimsOf(json.viewer_token)).toMatchObject({ clause: `id = ${literal}`, name: "'O''Neil'" });
  }
  const quoted = ["' OR 1=1 --", "'", "a'' OR 1=1"];
  for (const value of [
    ...quoted,
    "back\\",
    "{{ current_user() }}",
    "{% if 1 %}",
    "{# x #}",
    "line\nfeed",
    ["a"],
    { a: 1 },
  ]) {
    expect(issueOf(await clauseFor(value))).toEqual({
      path: "properties.value",
      message: expect.stringContaining("has a backslash"),
    });
  }
});

test("a placeholder without a value is refused, and so is a blank one or an empty list", async ({ place }) => {
  const secret = secretFor("HS256");
  const claims = { region: "{{properties.region}}", source: "{{mapping.40}}" };
  await place.set({ templates: { own: signedBy(secret, "HS256", { claims }) } });
  const refused = async (fields: object) => {
    const group = await place.group(fields);
    return issueOf(await mint(place, { token: group.token, template: "own" }));
  };
  const missing = (path: string, fix: string) => ({ path, message: expect.stringMatching(`is missing.*: ${fix}$`) });
  for (const region of [undefined, null, "", " ", []]) {
    const issue = await refused({ properties: { region }, mapping: { 40: "1" } });
    expect(issue).toEqual(missing("properties.region", "give this group a value"));
  }
  expect(await refused({ properties: { region: "eu" } })).toEqual(missing("mapping.40", "give this group a value"));
  const long = await refused({ properties: { region: "x".repeat(7_000) }, mapping: { 40: "1" } });
  expect(long.path).toBe("properties.region");
  await place.set({ templates: { own: { claims: { who: "{{viewer.name}}" } } } });
  expect(await refused({})).toEqual(missing("viewer.name", "send it"));
});

test("long white space is parsed fast, and any around a placeholder's name is ignored", async ({ place }) => {
  const group = await place.group();
  const blanks = " ".repeat(3_500);
  const start = performance.now();
  await place.set({ templates: { own: { claims: { open: `{{${blanks}`, name: "{{\u00a0 team_id }}" } } } });
  const minted = claimsOf(await place.mint({ token: group.token, template: "own" }));
  expect(minted).toMatchObject({ open: `{{${blanks}`, name: group.team_id });
  const large = { templates: { own: { claims: { open: `{{${" ".repeat(200_000)}` } } } };
  // The document is parsed before the scopes of its parts are checked: any reader of settings can send it.
  const token = await scopedToken("groups:read");
  expect(issueOf(await call("PUT", "/api/settings", { token, body: large })).message).toContain("4 KiB");
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("a template that names hundreds of members reads the group once", async ({ place }) => {
  const claims = Object.fromEntries(Array.from({ length: 160 }, (_, n) => [n, "{{properties.a}}"]));
  await place.set({ templates: { own: { claims } } });
  const rest = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`key_${n}`, { n, list: ["x".repeat(10)] }]));
  const group = await place.group({ properties: { a: 1, ...rest } });
  const start = performance.now();
  for (let n = 0; n < 3; n++) await place.mint({ token: group.token, template: "own" });
  expect(performance.now() - start).toBeLessThan(1_500);
});
