import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { changedEnvironment, environmentList } from "@/lib/environments/schema";
import { PRESETS } from "../../lib/authority/scopes";
import { type AdminCall, type AdminClient, adminClient } from "../fixtures/admin-client";
import { test as base, call, expect, expectError, newId } from "../fixtures/api";

const PATH = "/api/admin/environments";

interface Fixtures {
  owner: AdminClient;
  /** a slug unique to this test; its environment is deleted afterwards */
  newSlug: () => string;
  /** creates an environment; returns its slug */
  create: (fields?: object) => Promise<string>;
}

const test = base.extend<Fixtures>({
  owner: async ({ database }, use) => use(await adminClient(database, "owner")),
  newSlug: async ({ database }, use) => {
    const slugs: string[] = [];
    await use(() => {
      const slug = `e2e-${randomBytes(8).toString("hex")}`;
      slugs.push(slug);
      return slug;
    });
    for (const table of ["deleted_group", "user_group", "api_token"]) {
      const ids = "SELECT id FROM environment WHERE slug = ANY ($1)";
      await database.query(`DELETE FROM ${table} WHERE environment_id IN (${ids})`, [slugs]);
    }
    await database.query("DELETE FROM environment WHERE slug = ANY ($1)", [slugs]);
  },
  create: async ({ owner, newSlug }, use) => {
    await use(async (fields = {}) => {
      const slug = newSlug();
      const response = await owner.send("POST", PATH, { slug, name: "Staging", tag: "Testing", ...fields });
      expect(response.status, response.text).toBe(200);
      return slug;
    });
  },
});

async function find(send: AdminCall, slug: string) {
  const { environments } = environmentList.parse((await send("GET", PATH)).json);
  return environments.find((one) => one.slug === slug);
}

async function createToken(send: AdminCall, slug: string) {
  const body = { name: newId("token"), scopes: [...PRESETS.backend], expiresAt: null };
  const response = await send("POST", "/api/admin/api-tokens", body, slug);
  expect(response.status, response.text).toBe(200);
  return { token: response.json.token as string, path: `/api/admin/api-tokens/${response.json.apiToken.id}` };
}

const getOrCreate = (token: string, id = newId()) =>
  call("POST", "/api/user/get-or-create", { token, body: { user_group_id: id } });

test("an environment is created, used, updated and deleted", async ({ owner, newSlug, database }) => {
  const slug = newSlug();
  const made = await owner.send("POST", PATH, { slug, name: " Staging ", tag: "Customer" });
  const environment = {
    slug,
    name: "Staging",
    tag: "Customer",
    embedTemplate: null,
    groups: { count: 0, exact: true },
    apiTokens: 0,
    createdAt: expect.any(String),
  };
  expect(changedEnvironment.parse(made.json).environment).toEqual(environment);

  const { token, path } = await createToken(owner.send, slug);
  expect(token).toMatch(/^uga_live_/);
  const group = (await getOrCreate(token, "acme")).json.user_group;
  expect((await getOrCreate(token, "acme")).json.user_group).toEqual(group);
  const holding = { ...environment, groups: { count: 1, exact: true }, apiTokens: 1 };
  expect(await find((await adminClient(database, "viewer")).send, slug)).toEqual(holding);

  const admin = await adminClient(database, "admin");
  const embedTemplate = "<x y={{ a: 1 }} token='{{userGroupToken}}'>ä</x>";
  const changed = await admin.send("PATCH", `${PATH}/${slug}`, { name: "Stage", embedTemplate });
  expect(changedEnvironment.parse(changed.json).environment).toEqual({ ...holding, name: "Stage", embedTemplate });
  expect((await admin.send("PATCH", `${PATH}/${slug}`, {})).json).toEqual(changed.json);
  const cleared = await admin.send("PATCH", `${PATH}/${slug}`, { embedTemplate: null });
  expect(cleared.json.environment).toMatchObject({ name: "Stage", embedTemplate: null });

  const refused = expectError(await owner.send("DELETE", `${PATH}/${slug}`), 409, "conflict");
  expect(refused.json.error.message).toBe(
    "Nothing was deleted: Stage holds 1 user group: delete them first, and has 1 valid API token: revoke them first.",
  );
  await database.query("DELETE FROM user_group WHERE team_id = $1", [group.team_id]);
  expectError(await owner.send("DELETE", `${PATH}/${slug}`), 409, "conflict");
  expect((await owner.send("DELETE", path, undefined, slug)).status).toBe(200);
  expectError(await admin.send("DELETE", `${PATH}/${slug}`), 403, "forbidden");
  expect((await owner.send("DELETE", `${PATH}/${slug}`)).json).toEqual({ success: 1 });

  expect(await find(owner.send, slug)).toBeUndefined();
  expectError(await getOrCreate(token), 401, "unauthorized");
  expectError(await owner.send("GET", "/api/admin/api-tokens", undefined, slug), 404, "not_found");
  expectError(await owner.send("DELETE", `${PATH}/${slug}`), 404, "not_found");
  expectError(await owner.send("PATCH", `${PATH}/${slug}`, { name: "Again" }), 404, "not_found");

  const rows = await database.query(
    "SELECT * FROM audit_entry WHERE action LIKE 'environment.%' AND position($1 in coalesce(before, '') || coalesce(after, '')) > 0 ORDER BY id",
    [slug],
  );
  const was = { slug, name: "Stage", tag: "Customer" };
  expect(
    rows.map(({ action, actor_name, before, after }) => [action, actor_name, JSON.parse(before), JSON.parse(after)]),
  ).toEqual([
    ["environment.created", owner.member.name, null, { ...was, name: "Staging", embed_template: null }],
    [
      "environment.updated",
      admin.member.name,
      { ...was, name: "Staging", embed_template: null },
      { ...was, embed_template: embedTemplate },
    ],
    [
      "environment.updated",
      admin.member.name,
      { ...was, embed_template: embedTemplate },
      { ...was, embed_template: null },
    ],
    ["environment.deleted", owner.member.name, { ...was, embed_template: null }, null],
  ]);
  expect(new Set(rows.map(({ environment_id }) => environment_id)).size).toBe(1);
});

test("an environment with a recently deleted group is kept, as the deletion can be undone", async ({
  owner,
  create,
  database,
}) => {
  const slug = await create();
  await database.query(
    `INSERT INTO deleted_group (team_id, environment_id, provided_id, name, mapping, token_index, token_sealed, version, created_at, updated_at, rotated_at)
     SELECT nextval('user_group_team_id_seq'), id, 'gone', 'Gone', '{}', '', '', 1, now(), now(), now() FROM environment WHERE slug = $1`,
    [slug],
  );
  const { json } = expectError(await owner.send("DELETE", `${PATH}/${slug}`), 409, "conflict");
  expect(json.error.message).toContain("holds 1 deleted user group that can still be restored");
});

test("an environment's expired API tokens are deleted with it", async ({ owner, create, database }) => {
  const slug = await create();
  const { token } = await createToken(owner.send, slug);
  await database.query(
    "UPDATE api_token SET expires_at = now() WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
    [slug],
  );
  expect((await find(owner.send, slug))?.apiTokens).toBe(0);
  expect((await owner.send("DELETE", `${PATH}/${slug}`)).status).toBe(200);
  expectError(await getOrCreate(token), 401, "unauthorized");
});

test("of concurrent requests for one slug, one succeeds", async ({ owner, newSlug }) => {
  const body = { slug: newSlug(), name: "Staging", tag: "Testing" };
  const answers = await Promise.all(Array.from({ length: 8 }, () => owner.send("POST", PATH, body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(422)]);
  const { json } = expectError(await owner.send("POST", PATH, { ...body, slug: "testing" }), 422, "invalid_fields");
  expect(json.error.issues).toEqual([{ path: ["slug"], message: "is taken by another environment" }]);
});

for (const [what, fields, field] of [
  ["an uppercase slug", { slug: "Staging" }, "slug"],
  ["a slug of 41 characters", { slug: `a${"0".repeat(40)}` }, "slug"],
  ["a slug reserved for our paths", { slug: "settings" }, "slug"],
  ["a blank name", { name: " " }, "name"],
  ["an invisible name", { name: "\u3164\ufe0f" }, "name"],
  ["a name of 61 characters", { name: "n".repeat(61) }, "name"],
  ["no tag", { tag: undefined }, "tag"],
  ["an unknown tag", { tag: "Staging" }, "tag"],
  ["an id", { id: 1 }, "id"],
] as const) {
  test(`${what} is refused`, async ({ owner, newSlug }) => {
    const body = { slug: newSlug(), name: "Staging", tag: "Testing", ...fields };
    const { json } = expectError(await owner.send("POST", PATH, body), 422, "invalid_fields");
    expect(json.error.issues.map(({ path }: { path: string[] }) => path)).toEqual([[field]]);
  });
}

for (const [what, fields, message] of [
  ["the tag", { tag: "Customer" }, "tag cannot change: API tokens start with it"],
  ["a template over 16 KiB", { embedTemplate: "x".repeat(16_385) }, "embedTemplate must have at most 16 KiB"],
  [
    "a template with an unknown placeholder",
    { embedTemplate: "<x\n  y={{ a: 1 }} z='ä{{userGroupTokn}}'>" },
    "embedTemplate has an unknown placeholder at line 2, column 20: {{userGroupTokn}} (did you mean {{userGroupToken}}?)",
  ],
  [
    "a template with an unknown placeholder and one without a key",
    { embedTemplate: "{{userGroupToken}}{{ plan }}\r\n{{properties.}}" },
    "embedTemplate has an unknown placeholder at line 1, column 19: {{ plan }} (a property is {{properties.plan}}), and one at line 2, column 1: {{properties.}} (a property is {{properties.KEY}})",
  ],
  ["a template that is not a string", { embedTemplate: {} }, "embedTemplate must be a string or null"],
  ["a blank name", { name: "" }, "name must not be blank"],
] as const) {
  test(`an update of an environment refuses ${what}`, async ({ owner, create }) => {
    const slug = await create();
    const before = await find(owner.send, slug);
    const { json } = expectError(await owner.send("PATCH", `${PATH}/${slug}`, fields), 422, "invalid_fields");
    expect(json.error.message).toContain(message);
    expect(await find(owner.send, slug)).toEqual(before);
  });
}

test("a template of 16 KiB is returned unchanged", async ({ owner, create }) => {
  const slug = await create();
  const embedTemplate = `  {"a":"{{userGroupToken}}"}\r\n${"\u{1F600}".repeat(4_000)}`;
  const { json } = await owner.send("PATCH", `${PATH}/${slug}`, { embedTemplate });
  expect(json.environment.embedTemplate).toBe(embedTemplate);
});

test("a group created while its environment is deleted is either kept with it or refused", {
  tag: "@release",
}, async ({ owner, create, database }) => {
  for (let round = 0; round < 40; round++) {
    const slug = await create();
    const [environment] = await database.query("SELECT id FROM environment WHERE slug = $1", [slug]);
    const { token, path } = await createToken(owner.send, slug);
    const remove = async () => {
      await owner.send("DELETE", path, undefined, slug);
      return owner.send("DELETE", `${PATH}/${slug}`);
    };
    // API token and session are looked up before the group is created, and may be deleted in between.
    const byToken = () => getOrCreate(token);
    const bySession = () => owner.send("POST", "/api/user/get-or-create", { user_group_id: newId() }, slug);
    const pause = sleep(round / 2);
    const [removed, ...created] = await Promise.all([
      remove(),
      pause.then(byToken),
      pause.then(byToken),
      pause.then(bySession),
      pause.then(bySession),
    ]);
    const kept = await database.query("SELECT FROM user_group WHERE environment_id = $1", [environment.id]);
    expect(kept.length).toBe(created.filter(({ status }) => status === 200).length);
    for (const refused of created.filter(({ status }) => status !== 200)) {
      expect([401, 404], refused.text).toContain(refused.status);
    }
    expect(removed.status, removed.text).toBe(kept.length > 0 ? 409 : 200);
  }
});

test("a deletion waits for a group being created, and then deletes nothing", async ({ owner, create, database }) => {
  const slug = await create();
  const creation = database.query(
    `WITH locked AS (SELECT * FROM environment WHERE slug = $1 FOR KEY SHARE), created AS (
       INSERT INTO user_group (environment_id, provided_id, name, token_index, token_sealed)
       SELECT id, slug, slug, sha256(slug::bytea), '' FROM locked RETURNING 1
     ) SELECT pg_sleep(0.4) FROM created`,
    [slug],
  );
  await sleep(150);
  const [removed] = await Promise.all([owner.send("DELETE", `${PATH}/${slug}`), creation]);
  expectError(removed, 409, "conflict");
  expect((await find(owner.send, slug))?.groups).toEqual({ count: 1, exact: true });
});

test("calls that outlive their environment are refused and store nothing", async ({ owner, create, database }) => {
  const calls: [path: string, body: object][] = [
    ["/api/user/get-or-create", { user_group_id: newId() }],
    ["/api/admin/api-tokens", { name: newId("token"), scopes: [...PRESETS.backend], expiresAt: null }],
    ["/api/webhooks", { url: "https://127.0.0.1:1/" }],
    ["/api/admin/viewer-keys/rotate", { template: null }],
  ];
  for (const [path, body] of calls) {
    const slug = await create();
    const [{ id }] = await database.query("SELECT id FROM environment WHERE slug = $1", [slug]);
    const deletion = database.query(
      "WITH deleted AS (DELETE FROM environment WHERE slug = $1 RETURNING 1) SELECT pg_sleep(0.4) FROM deleted",
      [slug],
    );
    await sleep(150);
    const [late] = await Promise.all([owner.send("POST", path, body, slug), deletion]);
    expect(expectError(late, 404, "not_found").json.error.message).toBe("This environment has just been deleted.");
    const recorded = "SELECT FROM audit_entry WHERE environment_id = $1 AND action <> 'environment.created'";
    expect(await database.query(recorded, [id])).toEqual([]);
  }
});

test("groups are counted up to 10,000", async ({ owner, create, database }) => {
  const slug = await create();
  const add = (from: number, to: number) =>
    database.query(
      `INSERT INTO user_group (environment_id, provided_id, name, token_index, token_sealed)
       SELECT id, n, n, sha256((slug || n)::bytea), '' FROM environment, generate_series($2::int, $3::int) n WHERE slug = $1`,
      [slug, from, to],
    );
  await add(1, 10_000);
  expect((await find(owner.send, slug))?.groups).toEqual({ count: 10_000, exact: true });
  await add(10_001, 10_002);
  expect((await find(owner.send, slug))?.groups).toEqual({ count: 10_000, exact: false });
  const { json } = expectError(await owner.send("DELETE", `${PATH}/${slug}`), 409, "conflict");
  expect(json.error.message).toContain("holds more than 10,000 user groups: delete them first");
});
