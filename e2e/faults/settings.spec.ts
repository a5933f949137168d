import { writeFile } from "node:fs/promises";
import path from "node:path";
import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { holdingLock } from "../fixtures/hold";
import { test as base, expect, query } from "../fixtures/own-service";
import { command, type Ended } from "../fixtures/run";

const FILE = `{
  "definitions": {
    "properties": {
      "plan": { "type": "string", "required": true, "enum": ["free", "pro"] },
      "rate": { "type": "number", "default": 1.50 },
      "limits.max": { "type": "object", "default": { "rows": 10, "per": { "day": 1e3 } } }
    },
    "enforcement": "report"
  },
  "viewer_tokens": { "visible": { "properties": ["plan"] } },
  "templates": { "cube": { "claims": { "cube": { "weight": 2.50, "id": "{{team_id}}" } } } },
  "embed_template": "<div id='a'>{{userGroupToken}}</div>\\n",
  "webhooks": [{ "url": "https://127.0.0.1:1/hook?key=hidden", "types": ["environment.deleted"] }]
}`;
const written = (property: object) =>
  JSON.stringify({
    type: "string",
    required: false,
    default: null,
    enum: null,
    description: null,
    overridable: false,
    viewer_visible: false,
    ...property,
  });
const FIRST = [
  `definitions.properties.plan: added ${written({ required: true, enum: ["free", "pro"] })}`,
  `definitions.properties.rate: added ${written({ type: "number", default: "?" }).replace('"?"', "1.50")}`,
  `definitions.properties."limits.max": added ${written({ type: "object", default: "?" }).replace('"?"', '{"rows":10,"per":{"day":1e3}}')}`,
  'definitions.enforcement: "off" → "report"',
  'viewer_tokens.visible.properties: [] → ["plan"]',
  'templates.cube: added {"audience":null,"claims":{"cube":{"weight":2.5,"id":"{{team_id}}"}}}',
  `embed_template: null → "<div id='a'>{{userGroupToken}}</div>\\n"`,
  'webhooks."https://127.0.0.1:1/hook": added {"description":"","types":["environment.deleted"],"enabled":true}',
];
const STORED = `
  SELECT e.slug, e.viewer_settings, e.allowed_origins, e.embed_template, e.viewer_version, d.version, d.document
  FROM environment e LEFT JOIN definitions d ON d.environment_id = e.id ORDER BY e.slug`;

// Nothing listens on this port.
const NETWORKS = { WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };

interface Place {
  settings: Record<"DATABASE_URL" | "SECRET_KEY" | "WEBHOOK_PRIVATE_NETWORKS", string>;
  file: string;
  /** writes the text to the file and applies it */
  apply: (text: string | Uint8Array, ...options: string[]) => Promise<Ended>;
  /** the settings of all environments, and their number of changes */
  state: () => Promise<unknown>;
}

const test = base.extend<{ place: Place }>({
  place: async ({ createDatabase, folder }, use) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: "ab".repeat(32), ...NETWORKS };
    const file = path.join(folder, "settings.json");
    await use({
      settings,
      file,
      async apply(text, ...options) {
        await writeFile(file, text);
        return command(["settings", "apply", file, ...options], settings);
      },
      state: async () => [
        await query(settings.DATABASE_URL, STORED),
        await query(settings.DATABASE_URL, "SELECT count(*)::int FROM audit_entry"),
      ],
    });
  },
});

const SECRET = /^Secret of the webhook to https:\/\/127\.0\.0\.1:1\/hook\?key=hidden: (whsec_.+)\n/m;
const said = (lines: string[], end: string) => ({ code: 0, stdout: [...lines, end, ""].join("\n"), stderr: "" });

test("a dry run previews the changes; applying makes them, and the history names the operator", async ({
  place,
  start,
}) => {
  const { settings, apply, state } = place;
  const untouched = await state();
  expect(await apply(FILE, "--dry-run")).toEqual(said(FIRST, "testing: 8 differences. Nothing was changed."));
  expect(await state()).toEqual(untouched);
  const { stdout, ...ended } = await apply(FILE);
  expect({ ...ended, stdout: stdout.replace(SECRET, "") }).toEqual(said(FIRST, "testing: 8 differences. Applied."));
  const [, secret = ""] = SECRET.exec(stdout) ?? [];
  expect(secret).toMatch(/^whsec_/);
  const applied = await state();
  expect(await apply(FILE)).toEqual(said([], "Nothing to change."));
  expect(await apply("{}")).toEqual(said([], "Nothing to change."));
  expect(await state()).toEqual(applied);

  const service = await start(settings);
  const headers = { Authorization: `Token ${await insertApiToken(settings, { scopes: PRESETS.full })}` };
  const read = async (name: string) => (await fetch(`${service.url}/api/${name}`, { headers })).text();
  const { definitions, viewer_tokens, templates, embed_template } = JSON.parse(FILE);
  const found = await read("definitions");
  expect(found).toContain('"default":1.50,');
  expect(JSON.parse(found)).toMatchObject({ version: 1, definitions });
  expect(JSON.parse(await read("viewer-settings"))).toMatchObject({ settings: { ...viewer_tokens, templates } });

  const exported = await command(["settings", "export"], settings);
  expect(exported.stdout).toMatch(/^\{\n {2}"definitions": \{\n[\s\S]+\n\}\n$/);
  expect(exported.stdout).toContain('"default": 1.50');
  expect(exported.stdout).not.toMatch(/whsec_|hidden/);
  const document = JSON.parse(exported.stdout);
  expect(document).toMatchObject({ viewer_tokens, templates, embed_template, webhooks: [{ enabled: true }] });
  expect(JSON.parse(await read("settings")).settings).toEqual(document);
  expect(await apply(exported.stdout)).toEqual(said([], "Nothing to change."));
  expect((await apply(exported.stdout, "--environment", "production")).stdout).toContain(
    "production: 8 differences. Applied.",
  );
  const there = await command(["settings", "export", "--environment", "production"], settings);
  expect(there.stdout).toBe(exported.stdout);
  const entries = await query<{ action: string; actor_type: string; actor_name: string }>(
    settings.DATABASE_URL,
    `SELECT action, actor_type, actor_name FROM audit_entry
     WHERE environment_id = (SELECT id FROM environment WHERE slug = 'testing') AND actor_type = 'operator' ORDER BY id`,
  );
  const author = { actor_type: "operator", actor_name: expect.stringMatching(/^command line: ./) };
  expect(entries.slice(-4)).toEqual(
    [
      "environment.definitions_changed",
      "environment.viewer_settings_changed",
      "environment.updated",
      "webhook.created",
    ].map((action) => ({ action, ...author })),
  );
});

test("only members named in a file are changed, in its environment only, with a line for each", {
  tag: "@release",
}, async ({ place }) => {
  const { settings, apply } = place;
  expect((await apply(FILE)).code).toBe(0);
  const changed = FILE.replace("1.50", "1.5")
    .replace('"required": true, ', "")
    .replace('"day": 1e3', '"day": 1000, "week": 5')
    .replace('"rows": 10, ', "")
    .replace(/,\s+"viewer_tokens".*/s, "}");
  expect(await apply(changed)).toEqual(
    said(
      [
        "definitions.properties.plan.required: true → false",
        "definitions.properties.rate.default: 1.50 → 1.5",
        'definitions.properties."limits.max".default.rows: removed 10',
        'definitions.properties."limits.max".default.per.day: 1e3 → 1000',
        'definitions.properties."limits.max".default.per.week: added 5',
      ],
      "testing: 5 differences. Applied.",
    ),
  );
  const reordered = '{"definitions":{"enforcement":"report","properties":{"rate":{"default":1.5,"type":"number"}}}}';
  expect((await apply(reordered)).stdout).toMatch(
    /^definitions\.properties\.plan: removed .*\n.*"limits\.max": removed .*\ntesting: 2 /,
  );
  expect((await apply('{"embed_template":" "}')).stdout).toMatch(
    /^embed_template: ".*" → null\ntesting: 1 difference\./,
  );
  expect((await apply('{"definitions":{"enforcement":"enforce"}}', "--environment", "production")).code).toBe(0);
  const [production, testing] = await query(settings.DATABASE_URL, STORED);
  expect(testing).toMatchObject({ slug: "testing", version: 3, embed_template: null });
  expect(testing?.viewer_settings).toContain('"cube"');
  expect(testing?.document).toContain('"enforcement":"report"');
  expect(production).toMatchObject({ slug: "production", version: 1, viewer_settings: null });
  expect(production?.document).toContain('"enforcement":"enforce"');
});

test("an invalid file is refused with the places of its errors, and changes nothing", { tag: "@release" }, async ({
  place,
}) => {
  const { file, apply, state } = place;
  expect((await apply('{"embed_template":"before"}')).code).toBe(0);
  const untouched = await state();
  const other = '{\n  "embed_template": "after",\n';
  for (const { text, says } of [
    { text: `${other} "definitons": {} }`, says: "definitons is not a known field (did you mean definitions?)" },
    {
      text: `${other} "definitions": { "properties": { "plan": { "type": "text" }, "rate": {} } } }`,
      says: /definitions\.properties\.plan\.type must be one of string,.*; definitions\.properties\.rate\.type is required\./,
    },
    {
      text: `${other} "definitions": { "schemas": { "40": {} }, "data_sources": { "2": { "schemas": ["40", "41"] } } } }`,
      says: "definitions.data_sources.2.schemas.1 is not in schemas",
    },
    { text: `${other} "allowed_origins": ["example.com"] }`, says: "allowed_origins.0 must be an origin" },
    { text: `${other} "viewer_tokens": null }`, says: "viewer_tokens " },
    { text: `${other} "definitions": [] }`, says: "definitions must be a JSON object" },
    { text: '{"definitions": {}, "embed_template": "{{nope}}"}', says: "embed_template has an unknown" },
    {
      text: `${other}  "definitions": {,} }`,
      says: /is not valid I-JSON: expected a value;.*, at line 3, column 19\./,
    },
    {
      text: `${other}  "embed_template": null }`,
      says: 'duplicate member name "embed_template", at line 3, column 3.',
    },
    { text: "[]", says: "the settings must be a JSON object" },
    { text: "", says: "is not valid I-JSON: expected a value" },
    { text: Buffer.from([123, 255, 125]), says: `${file} is not UTF-8` },
  ]) {
    const { code, stdout, stderr } = await apply(text);
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(says);
  }
  expect(await state()).toEqual(untouched);
});

test("a mistyped command is refused", { tag: "@release" }, async ({ place }) => {
  const { settings, file, apply } = place;
  for (const { args, says } of [
    { args: [], says: "Give export or apply." },
    { args: ["diff", file], says: "Give export or apply." },
    { args: ["export", file], says: "Unexpected argument" },
    { args: ["apply"], says: "Give the FILE with the settings." },
    { args: ["apply", file, "more"], says: 'Unexpected argument "more".' },
    { args: ["apply", file], says: "Cannot read the file: ENOENT" },
    { args: ["apply", path.dirname(file)], says: "Cannot read the file: EISDIR" },
  ]) {
    const { code, stdout, stderr } = await command(["settings", ...args], settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(says);
  }
  expect((await apply(FILE, "--environment", "none")).stderr).toContain('Unknown environment "none".');
});

test("concurrent changes to definitions are kept, and nothing else is changed", { tag: "@release" }, async ({
  place,
}) => {
  const { settings, apply, state } = place;
  expect((await apply('{"definitions":{"enforcement":"report"}}')).code).toBe(0);
  const untouched = await state();
  // The lock that a change of definitions holds until it commits, and what it writes.
  const held = await holdingLock(
    settings.DATABASE_URL,
    `WITH locked AS MATERIALIZED (
       SELECT id, pg_advisory_xact_lock(hashtext('definitions'), id) FROM environment WHERE slug = $1
     ) UPDATE definitions SET version = version + 1, document = replace(document, 'allow', 'refuse')
     FROM locked WHERE environment_id = id
     RETURNING pg_backend_pid() AS pid`,
    "testing",
  );
  const applying = apply(FILE);
  await held.waited();
  await held.commit();
  expect(await applying).toEqual({
    code: 1,
    stdout: "",
    stderr: "The settings changed at the same time. Nothing was changed: try again.\n",
  });
  const changed = JSON.stringify(untouched)
    .replace('"version":1', '"version":2')
    .replace(/allow(?!ed)/, "refuse");
  expect(await state()).toEqual(JSON.parse(changed));
});

test("a failure halfway changes nothing, and the next run applies everything", { tag: "@release" }, async ({
  place,
}) => {
  const { settings, apply, state } = place;
  await query(
    settings.DATABASE_URL,
    "ALTER TABLE environment ADD CONSTRAINT none CHECK (embed_template IS NULL) NOT VALID",
  );
  const untouched = await state();
  const { code, stdout, stderr } = await apply(FILE);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain('violates check constraint "none"');
  expect(await state()).toEqual(untouched);
  await query(settings.DATABASE_URL, "ALTER TABLE environment DROP CONSTRAINT none");
  expect((await apply(FILE)).stdout).toContain("testing: 8 differences. Applied.");
});

test("long values are cut around their difference, and stored values cannot control the terminal", {
  tag: "@release",
}, async ({ place }) => {
  const { apply } = place;
  const long = "x".repeat(1_000);
  expect((await apply(`{"embed_template":"${long}"}`)).code).toBe(0);
  const { stdout } = await apply(`{"embed_template":"${long}\\u009b31m${long}"}`);
  const same = `…${"x".repeat(40)}`;
  expect(stdout.split("\n")[0]).toBe(`embed_template: ${same}" → ${same}\\u009b31m${"x".repeat(256)}…`);
});
