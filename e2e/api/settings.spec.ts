import { appliedSettingsAnswer, settingsAnswer } from "@/lib/settings/schema";
import { type AdminClient, adminClient, adminElsewhere } from "../fixtures/admin-client";
import { test as base, call, type Database, expect, expectError, type Response } from "../fixtures/api";
import { holdingLock } from "../fixtures/hold";
import { scopedToken } from "../fixtures/scoped-token";

interface Settled extends AdminClient {
  read(): Promise<Response>;
  apply(document: object | string, options?: { dryRun?: boolean; ifMatch?: string | undefined }): Promise<Response>;
  history(): Promise<Record<string, unknown>[]>;
}

const test = base.extend<{ here: Settled; there: Settled }>({
  here: ({ database }, use) => withEnvironment(database, use),
  there: ({ database }, use) => withEnvironment(database, use),
});

async function withEnvironment(database: Database, use: (settled: Settled) => Promise<void>) {
  const client = await adminElsewhere(database);
  const { environment, cookie } = client;
  await use({
    ...client,
    read: () => client.send("GET", "/api/settings"),
    apply: (body, { dryRun, ifMatch } = {}) =>
      call("PUT", `/api/settings${dryRun ? "?dry_run=true" : ""}`, {
        token: null,
        body,
        headers: { cookie, "x-environment": environment, ...(ifMatch !== undefined && { "if-match": ifMatch }) },
      }),
    history: () =>
      database.query(
        `SELECT action, actor_name, before, after FROM audit_entry
         WHERE environment_id = (SELECT id FROM environment WHERE slug = $1) ORDER BY id`,
        [environment],
      ),
  });
  await database.query("DELETE FROM environment WHERE slug = $1", [environment]);
}

const done = (response: Response) => {
  expect(response.status, response.text).toBe(200);
  return response;
};
const documentIn = (text: string) => /^\{"success":1,"settings":(.*)\}\n$/.exec(text)?.[1] ?? "";
const etagOf = ({ headers }: Response) => String(headers.etag);

// Nothing listens on this port, and none of these events occurs.
const HOOK = { url: "https://127.0.0.1:1/hook", description: "billing", types: ["environment.deleted"], enabled: true };
const OTHER = { ...HOOK, url: "https://127.0.0.1:2/", types: null, enabled: false };
const DOCUMENT = {
  definitions: {
    properties: { plan: { type: "string", enum: ["free", "pro"] }, rate: { type: "number", default: 0 } },
    schemas: { 40: { name: "Orders" } },
    data_sources: { 213: { schemas: ["40"] } },
    enforcement: "report",
  },
  viewer_tokens: {
    visible: { properties: ["plan"], mapping: ["40"] },
    audience: "renderer",
    preview_url: "https://app.example.com/#{{viewerToken}}",
  },
  templates: { cube: { audience: null, claims: { cube: { team: "{{team_id}}" } } } },
  allowed_origins: ["https://app.example.com"],
  embed_template: "<iframe src='https://example.com/#{{userGroupToken}}'></iframe>",
  webhooks: [HOOK, OTHER],
};
/** The document as sent, with exact numbers. */
const WRITTEN = JSON.stringify(DOCUMENT).replace('"default":0', '"default":1.50');

test("an environment accepts another's export in every part, and repeating it writes nothing", async ({
  here,
  there,
}) => {
  expect(settingsAnswer.parse(done(await there.read()).json).settings).toMatchObject({
    definitions: { enforcement: "off" },
    templates: {},
    allowed_origins: null,
    embed_template: null,
    webhooks: [],
  });
  done(await here.apply(WRITTEN));
  const exported = done(await here.read());
  expect(exported.json.settings).toMatchObject({ ...DOCUMENT, definitions: { enforcement: "report" } });
  expect(exported.text).toContain('"default":1.50');

  const applied = done(await there.apply(documentIn(exported.text)));
  const found = done(await there.read());
  expect(documentIn(found.text)).toBe(documentIn(exported.text));
  expect(etagOf(found)).toBe(etagOf(applied));
  expect(etagOf(found)).not.toBe(etagOf(exported));
  const { changes } = appliedSettingsAnswer.parse(applied.json);
  expect(changes.map(({ path }) => path.join(" "))).toEqual([
    "definitions properties plan",
    "definitions properties rate",
    "definitions schemas 40",
    "definitions data_sources 213",
    "definitions enforcement",
    "viewer_tokens visible properties",
    "viewer_tokens visible mapping",
    "viewer_tokens audience",
    "viewer_tokens preview_url",
    "templates cube",
    "allowed_origins",
    "embed_template",
    `webhooks ${HOOK.url}`,
    `webhooks ${OTHER.url}`,
  ]);
  expect(applied.text).toContain('{"path":["allowed_origins"],"before":null,"after":["https://app.example.com"]}');
  const entries = await there.history();
  expect(entries.map(({ action }) => action)).toEqual([
    "environment.definitions_changed",
    "environment.viewer_settings_changed",
    "environment.updated",
    "webhook.created",
    "webhook.created",
  ]);
  expect(new Set(entries.map(({ actor_name }) => actor_name))).toEqual(new Set([there.member.name]));

  for (const again of [documentIn(found.text), WRITTEN, "{}"]) {
    const same = done(await there.apply(again));
    expect(same.json).toEqual({ success: 1, changes: [], webhooks: [] });
    expect(etagOf(same)).toBe(etagOf(found));
  }
  // Member order is irrelevant.
  const { properties, ...rest } = DOCUMENT.definitions;
  done(await there.apply(JSON.stringify({ definitions: { ...rest, properties } }).replace(":0", ":1.50")));
  expect(await there.history()).toHaveLength(entries.length);
  expect(done(await there.send("GET", "/api/definitions")).json.version).toBe(1);
});

test("an omitted part stays unchanged, and any other is replaced as a whole", async ({ here }) => {
  done(await here.apply(DOCUMENT));
  const { settings: before } = done(await here.read()).json;
  const { changes } = done(await here.apply({ viewer_tokens: { audience: "other" }, templates: {} })).json;
  expect(changes).toEqual([
    { path: ["viewer_tokens", "visible", "properties"], before: ["plan"], after: [] },
    { path: ["viewer_tokens", "visible", "mapping"], before: ["40"], after: [] },
    { path: ["viewer_tokens", "audience"], before: "renderer", after: "other" },
    { path: ["viewer_tokens", "preview_url"], before: DOCUMENT.viewer_tokens.preview_url, after: null },
    { path: ["templates", "cube"], before: DOCUMENT.templates.cube },
  ]);
  expect(done(await here.read()).json.settings).toEqual({
    ...before,
    viewer_tokens: { visible: { properties: [], mapping: [] }, audience: "other", preview_url: null },
    templates: {},
  });
  done(await here.apply({ allowed_origins: [] }));
  expect(done(await here.send("GET", "/api/viewer-settings")).json.settings).toMatchObject({
    audience: "other",
    allowed_origins: [],
  });
});

test("a dry run returns the differences and changes nothing", async ({ here }) => {
  const before = done(await here.read());
  const dry = done(await here.apply(WRITTEN, { dryRun: true }));
  expect(dry.json.webhooks).toEqual([]);
  expect(etagOf(dry)).toBe(etagOf(before));
  expect((await here.read()).text).toBe(before.text);
  expect(await here.history()).toEqual([]);
  const applied = done(await here.apply(WRITTEN, { ifMatch: etagOf(dry) }));
  expect(applied.json.changes).toEqual(dry.json.changes);
});

test("webhooks keep id, secret and query, unlisted ones are deleted, and a new one's secret is shown once", async ({
  here,
  database,
}) => {
  const added = async (webhook: object) => done(await here.send("POST", "/api/webhooks", webhook)).json;
  const { enabled: _, ...hook } = HOOK;
  const first = await added({ ...hook, url: `${HOOK.url}?key=hidden` });
  const second = await added({ ...hook, url: "https://127.0.0.1:2/" });
  const sealed = () =>
    database.query(
      `SELECT w.id, w.url, w.secret_sealed FROM webhook w JOIN environment e ON e.id = w.environment_id
       WHERE e.slug = $1 ORDER BY w.id`,
      [here.environment],
    );
  const [kept] = await sealed();
  const exported = done(await here.read());
  expect(exported.json.settings.webhooks).toMatchObject([{ url: HOOK.url }, { url: "https://127.0.0.1:2/" }]);
  expect(done(await here.apply(documentIn(exported.text))).json.changes).toEqual([]);

  const third = "https://127.0.0.1:3/new?key=hidden";
  const wanted = [{ ...HOOK, types: ["user_group.*"], enabled: false }, { url: third }];
  const dry = done(await here.apply({ webhooks: wanted }, { dryRun: true }));
  const applied = done(await here.apply({ webhooks: wanted }));
  expect(applied.json.changes).toEqual([
    { path: ["webhooks", HOOK.url, "types"], before: HOOK.types, after: ["user_group.*"] },
    { path: ["webhooks", HOOK.url, "enabled"], before: true, after: false },
    {
      path: ["webhooks", "https://127.0.0.1:2/"],
      before: { description: hook.description, types: hook.types, enabled: true },
    },
    {
      path: ["webhooks", "https://127.0.0.1:3/new"],
      after: { description: "", types: null, enabled: true },
    },
  ]);
  const [{ id, secret }] = applied.json.webhooks;
  expect(applied.json.webhooks).toEqual([{ id, url: third, secret: expect.stringMatching(/^whsec_/) }]);
  const rows = await sealed();
  expect(rows).toEqual([kept, { id, url: third, secret_sealed: expect.anything() }]);
  expect(kept).toMatchObject({ id: first.webhook.id, url: `${HOOK.url}?key=hidden` });

  const again = done(await here.apply({ webhooks: wanted }));
  const listed = done(await here.send("GET", "/api/webhooks"));
  expect(listed.json.webhooks).toMatchObject([{ enabled: false, disabled_reason: "asked" }, { enabled: true }]);
  const history = await here.history();
  expect(history.map(({ action }) => action).slice(2)).toEqual([
    "webhook.deleted",
    "webhook.updated",
    "webhook.disabled",
    "webhook.created",
  ]);
  const told = [exported, dry, again, done(await here.read())].map(({ text }) => text);
  for (const text of [...told, JSON.stringify(history)]) expect(text).not.toMatch(/whsec_|key=hidden/);
  for (const text of [listed.text, ...told]) expect(text).not.toContain(secret);
  expect(JSON.stringify(applied.json.changes)).not.toMatch(/whsec_|hidden/);
  expect([first.secret, second.secret]).not.toContain(secret);
});

test("webhooks with the same address are matched by order or by query", async ({ here }) => {
  const urls = ["?a", "?b", ""].map((query) => `${HOOK.url}${query}`);
  for (const [index, url] of urls.entries()) {
    done(await here.send("POST", "/api/webhooks", { url, description: `${index}`, types: HOOK.types }));
  }
  const exported = done(await here.read());
  expect(done(await here.apply(documentIn(exported.text))).json.changes).toEqual([]);
  const wanted = [urls[1], HOOK.url, HOOK.url].map((url) => ({ ...HOOK, url, description: "same" }));
  const { changes } = done(await here.apply({ webhooks: wanted })).json;
  expect(changes).toEqual([
    { path: ["webhooks", HOOK.url, "description"], before: "1", after: "same" },
    { path: ["webhooks", `${HOOK.url} (2)`, "description"], before: "0", after: "same" },
    { path: ["webhooks", `${HOOK.url} (3)`, "description"], before: "2", after: "same" },
  ]);
  const listed = done(await here.send("GET", "/api/webhooks")).json.webhooks;
  expect(listed.map(({ url }: { url: string }) => url)).toEqual(urls);
});

test("an API token needs the scopes of each part, for a dry run too", async () => {
  const parts = Object.keys(DOCUMENT);
  const scopes = (part: string) =>
    part === "webhooks"
      ? (["webhooks:write", "events:read"] as const)
      : (["definitions:write", "viewers:mint"] as const);
  const other = await scopedToken("groups:read", ...scopes("webhooks"));
  const own = await scopedToken("groups:read", ...scopes("definitions"));
  const designer = await scopedToken("groups:read", "templates:write", ...scopes("definitions"));
  const blind = await scopedToken(...scopes("webhooks"), ...scopes("definitions"));
  for (const part of parts) {
    const body = { [part]: DOCUMENT[part as keyof typeof DOCUMENT] };
    const [allowed, lacking] =
      part === "webhooks" ? [other, own] : part === "templates" ? [designer, other] : [own, other];
    for (const path of ["/api/settings?dry_run=true", "/api/settings"]) {
      const refused = expectError(await call("PUT", path, { token: lacking, body }), 403, "forbidden");
      expect(refused.json.error.message).toMatch(new RegExp(`lacks the scopes? ${scopes(part)[0]}\\b`));
      expectError(await call("PUT", path, { token: blind, body }), 403, "forbidden");
    }
    done(await call("PUT", "/api/settings?dry_run=true", { token: allowed, body }));
  }
  const templates = expectError(
    await call("PUT", "/api/settings?dry_run=true", { token: own, body: { templates: DOCUMENT.templates } }),
    403,
    "forbidden",
  );
  expect(templates.json.error.message).toContain("lacks the scope templates:write");
  const all = { token: other, body: DOCUMENT };
  expectError(await call("PUT", "/api/settings?dry_run=true", all), 403, "forbidden");
  expectError(await call("GET", "/api/settings", { token: own }), 403, "forbidden");
  done(await call("GET", "/api/settings", { token: other }));
});

test("viewers can neither export nor apply settings", async ({ here, database }) => {
  const viewer = (await adminClient(database, "viewer")).in(here.environment);
  expectError(await viewer.send("GET", "/api/settings"), 403, "forbidden");
  for (const part of Object.keys(DOCUMENT)) {
    const body = { [part]: DOCUMENT[part as keyof typeof DOCUMENT] };
    expectError(await viewer.send("PUT", "/api/settings?dry_run=true", body), 403, "forbidden");
  }
});

/** Two documents without a common member. */
const contrary = (name: string) => ({
  definitions: { properties: { [name]: { type: "string" } } },
  viewer_tokens: { audience: name },
  allowed_origins: [`https://${name}.example.com`],
  embed_template: name,
  webhooks: [{ ...HOOK, url: `https://127.0.0.1:1/${name}` }],
});

test("of several concurrent applies one is first, the others are refused, and nothing is mixed", async ({ here }) => {
  for (const isConditional of [true, false]) {
    const ifMatch = isConditional ? etagOf(done(await here.read())) : undefined;
    const names = ["a", "b", "c", "d"].map((name) => `${name}${isConditional ? 1 : 2}`);
    const answers = await Promise.all(names.map((name) => here.apply(contrary(name), { ifMatch })));
    const statuses = answers.map(({ status }) => status);
    const refusal = isConditional ? 412 : 409;
    expect(
      statuses.every((status) => [200, 429, refusal].includes(status)),
      statuses.join(),
    ).toBe(true);
    const applied = names.filter((_, index) => statuses[index] === 200);
    if (isConditional) expect(applied).toHaveLength(1);
    expect(applied.length).toBeGreaterThan(0);
    const { settings } = done(await here.read()).json;
    const name = settings.embed_template;
    expect(applied).toContain(name);
    const { definitions, ...rest } = contrary(name);
    expect(settings).toMatchObject(rest);
    expect(Object.keys(settings.definitions.properties)).toEqual(Object.keys(definitions.properties));
  }
});

test("an apply is outdated by a change that it waited for, in every part", async ({ here, stage }) => {
  const locks = {
    environment: "UPDATE environment SET embed_template = 'theirs' WHERE slug = $1 RETURNING pg_backend_pid() AS pid",
    webhooks: `UPDATE webhook SET description = 'theirs' FROM environment e
      WHERE e.id = environment_id AND e.slug = $1 RETURNING pg_backend_pid() AS pid`,
    definitions: `WITH locked AS MATERIALIZED (
        SELECT id, pg_advisory_xact_lock(hashtext('definitions'), id) FROM environment WHERE slug = $1
      ) UPDATE definitions SET document = replace(document, 'before', 'theirs') FROM locked
      WHERE environment_id = id RETURNING pg_backend_pid() AS pid`,
  };
  for (const lock of Object.values(locks)) {
    for (const [status, code] of [
      [409, "conflict"],
      [412, "stale"],
    ] as const) {
      done(await here.apply(contrary("before")));
      const history = await here.history();
      const ifMatch = status === 412 ? etagOf(await here.read()) : undefined;
      const held = await holdingLock(stage.databaseUrl, lock, here.environment);
      const applying = here.apply(contrary("after"), { ifMatch });
      // Ignores the deliveries' UPDATEs of webhooks.
      await held.waited(1, /^\s*SELECT/);
      await held.commit();
      expectError(await applying, status, code);
      expect(await here.history()).toEqual(history);
      const { text } = done(await here.read());
      expect(text).toContain("theirs");
      expect(text).not.toContain("after");
    }
  }
});

test("one invalid or unstorable part, and nothing is changed", async ({ here, database }) => {
  done(await here.apply(contrary("before")));
  const [before, history] = [done(await here.read()).text, await here.history()];
  const refused = async (document: object | string, path: (string | number)[], message: string) => {
    for (const dryRun of [true, false]) {
      const { json } = expectError(await here.apply(document, { dryRun }), 422, "invalid_fields");
      expect(json.error.issues).toMatchObject([{ path, message: expect.stringContaining(message) }]);
    }
  };
  const good = contrary("after");
  const hooks = Array.from({ length: 21 }, (_, n) => ({ url: `https://127.0.0.1:9/${n}` }));
  await refused(
    { ...good, definitions: { properties: { a: { type: "text" } } } },
    ["definitions", "properties", "a", "type"],
    "must be one of",
  );
  await refused({ ...good, definitions: [] }, ["definitions"], "must be a JSON object");
  await refused({ ...good, viewer_tokens: null }, ["viewer_tokens"], "must be an object");
  await refused({ ...good, viewer_tokens: { visible: [] } }, ["viewer_tokens", "visible"], "must be an object");
  await refused({ ...good, templates: { cube: 1 } }, ["templates", "cube"], "must be an object");
  await refused({ ...good, webhooks: [HOOK.url] }, ["webhooks", 0], "must be an object");
  await refused({ ...good, viewer_tokens: { visibel: {} } }, ["viewer_tokens", "visibel"], "did you mean visible");
  await refused(
    { ...good, viewer_tokens: { allowed_origins: [] } },
    ["viewer_tokens", "allowed_origins"],
    "not a known",
  );
  await refused(
    { ...good, templates: { cube: { claims: { exp: 1 } } } },
    ["templates", "cube", "claims", "exp"],
    "viewer token",
  );
  await refused({ ...good, allowed_origins: ["example.com"] }, ["allowed_origins", 0], "must be an origin");
  await refused({ ...good, embed_template: "{{nope}}" }, ["embed_template"], "nope");
  await refused({ ...good, webhooks: hooks }, ["webhooks"], "at most 20");
  await refused(
    { ...good, webhooks: [{ ...HOOK, secret: "whsec_a" }] },
    ["webhooks", 0, "secret"],
    "not a known field",
  );
  await refused({ ...good, webhooks: [HOOK, { url: "https://10.1.2.3/" }] }, ["webhooks", 1, "url"], "public address");
  await refused({ ...good, webhook: [] }, ["webhook"], "did you mean webhooks");
  await refused("[]", [], "must be a JSON object");
  expectError(await here.apply('{"definitions":{},"definitions":{}}'), 400, "invalid_json");
  for (const ifMatch of ['"s-none"', "unquoted"]) expectError(await here.apply(good, { ifMatch }), 412, "stale");
  const place = { token: null, headers: { cookie: here.cookie, "x-environment": here.environment } };
  expectError(await call("PUT", "/api/settings?dry_run=maybe", { ...place, body: good }), 422, "invalid_fields");
  expectError(await call("PUT", "/api/settings?dryrun=true", { ...place, body: good }), 422, "invalid_fields");
  expectError(await call("PUT", "/api/settings?dry_run=true", place), 400, "body_missing");
  expectError(await here.apply(`{"embed_template":"${"x".repeat(524_288)}"}`), 413, "body_too_large");

  // The webhook is written last, and storing it fails.
  const name = `none_${here.environment}`;
  const [stored] = await database.query("SELECT id FROM environment WHERE slug = $1", [here.environment]);
  // Other tests have webhooks too.
  const check = `environment_id <> ${stored?.id} OR url NOT LIKE '%/after'`;
  await database.query(`ALTER TABLE webhook ADD CONSTRAINT ${name} CHECK (${check}) NOT VALID`);
  try {
    expectError(await here.apply(good), 500, "internal");
  } finally {
    await database.query(`ALTER TABLE webhook DROP CONSTRAINT ${name}`);
  }
  expect(done(await here.read()).text).toBe(before);
  expect(await here.history()).toEqual(history);
});

test("definitions of the maximum size can be copied between environments", async ({ here, there }) => {
  const sources = Object.fromEntries(
    Array.from({ length: 1_250 }, (_, n) => [`source-${n}`, { name: "n".repeat(130), provided_id: null, schemas: [] }]),
  );
  done(await here.apply({ ...DOCUMENT, definitions: { data_sources: sources } }));
  const exported = documentIn(done(await here.read()).text);
  expect(exported.length).toBeGreaterThan(220_000);
  done(await there.apply(exported));
  expect(documentIn(done(await there.read()).text)).toBe(exported);
});
