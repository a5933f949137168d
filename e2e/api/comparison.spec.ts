import { randomBytes } from "node:crypto";
import { copyAnswer, groupCounts } from "@/lib/comparison/schema";
import { type AdminClient, adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { test as base, type Database, expect, expectError, type Response } from "../fixtures/api";
import { holdingLock } from "../fixtures/hold";

interface Place {
  here: AdminClient;
  there: AdminClient;
}

const test = base.extend<{ place: Place }>({
  place: async ({ database }, use) => {
    const admin = await adminClient(database, "admin");
    const slugs = [await createEnvironment(database), await createEnvironment(database)] as const;
    await use({ here: admin.in(slugs[0]), there: admin.in(slugs[1]) });
    for (const table of ["user_group", "deleted_group", "environment"]) {
      const column = table === "environment" ? "id" : "environment_id";
      await database.query(
        `DELETE FROM ${table} WHERE ${column} IN (SELECT id FROM environment WHERE slug = ANY ($1))`,
        [slugs],
      );
    }
  },
});

interface Part {
  name: string;
  here: unknown;
  there: unknown;
  tag: string | null;
}

const done = (response: Response) => {
  expect(response.status, response.text).toBe(200);
  return response;
};
const PLAN = { properties: { plan: { type: "string", enum: ["free", "pro"] } }, enforcement: "report" };
const ORIGINS = ["https://app.example.com"];
const TEMPLATE = "<iframe src='https://example.com/#{{userGroupToken}}'></iframe>";
// Nobody listens there, and none of these events happens.
const HOOK = { url: "https://127.0.0.1:1/hook?key=secret", description: "billing", types: ["environment.deleted"] };

const define = ({ send }: AdminClient, body: object) => send("PUT", "/api/definitions", body).then(done);
const setTemplate = ({ send, environment }: AdminClient, embedTemplate: string) =>
  send("PATCH", `/api/admin/environments/${environment}`, { embedTemplate }).then(done);
const setViewers = ({ send }: AdminClient, body: object) => send("PUT", "/api/viewer-settings", body).then(done);
const addHook = async ({ send }: AdminClient, body: object = HOOK) =>
  done(await send("POST", "/api/webhooks", body)).json.webhook as { id: number };
const hooksOf = async ({ send }: AdminClient) => done(await send("GET", "/api/webhooks")).json.webhooks;
/** As settings: how far its feed was read goes on by itself. */
const withoutHealth = (hooks: { health: unknown }[]) => hooks.map(({ health: _, ...hook }) => hook);
const templateOf = async ({ send, environment }: AdminClient) =>
  done(await send("GET", "/api/admin/environments")).json.environments.find(
    ({ slug }: { slug: string }) => slug === environment,
  ).embedTemplate;

async function compare({ here, there }: Place): Promise<Part[]> {
  return done(await here.get("comparison", { with: there.environment })).json.parts;
}

const copy = ({ here, there }: Place, parts: Pick<Part, "name" | "tag">[]) =>
  here.post("comparison/copy", { to: there.environment, parts: parts.map(({ name, tag }) => ({ name, tag })) });

const entriesOf = (database: Database, { environment }: AdminClient) =>
  database.query(
    `SELECT action, actor_name, before, after FROM audit_entry
     WHERE environment_id = (SELECT id FROM environment WHERE slug = $1) ORDER BY id`,
    [environment],
  );

test("chosen parts are copied, each in the history under its own action, and the rest stays", async ({
  place,
  database,
}) => {
  const { here, there } = place;
  await define(here, PLAN);
  await setTemplate(here, TEMPLATE);
  const templates = { cube: { audience: null, claims: { team: "{{team_id}}" } } };
  await setViewers(here, { allowed_origins: ORIGINS, audience: "from here", templates });
  await setViewers(there, { audience: "kept" });
  const parts = await compare(place);
  expect(parts.map(({ name }) => name)).toEqual([
    ...["definitions", "embed_template", "allowed_origins", "claim_templates", "viewer_tokens"],
  ]);
  expect(parts[0]).toMatchObject({ here: PLAN, there: { properties: {}, enforcement: "off" } });
  expect(parts[2]).toMatchObject({ here: ORIGINS, there: null });

  const chosen = parts.filter(({ name }) => name !== "viewer_tokens");
  expect(done(await copy(place, chosen)).json).toEqual({ success: 1, webhooks: [] });
  expect(done(await there.send("GET", "/api/definitions")).json.definitions).toMatchObject(PLAN);
  expect(await templateOf(there)).toBe(TEMPLATE);
  expect(done(await there.send("GET", "/api/viewer-settings")).json.settings).toMatchObject({
    ...{ allowed_origins: ORIGINS, templates, audience: "kept" },
  });
  const entries = (await entriesOf(database, there)).slice(1);
  expect(entries.map(({ action }) => action)).toEqual([
    ...["environment.definitions_changed", "environment.updated", "environment.viewer_settings_changed"],
  ]);
  expect(new Set(entries.map(({ actor_name }) => actor_name))).toEqual(new Set([here.member.name]));
  expect(JSON.parse(String(entries[1]?.after))).toMatchObject({ slug: there.environment, embed_template: TEMPLATE });

  // The same again is outdated, and what is alike changes nothing.
  expectError(await copy(place, chosen), 412, "stale");
  done(await copy(place, (await compare(place)).slice(0, 4)));
  expect(await entriesOf(database, there)).toHaveLength(4);
});

test("a webhook that is new there gets its own secret, is disabled, and loses its query; another keeps what it has", async ({
  place,
  database,
}) => {
  const { here, there } = place;
  const [first, second] = [
    await addHook(here),
    await addHook(here, { ...HOOK, url: "https://127.0.0.1:2/", types: null }),
  ];
  const paired = await addHook(there, { ...HOOK, url: "https://127.0.0.1:2/?other", types: ["user_group.*"] });
  const only = await addHook(there, { ...HOOK, url: "https://127.0.0.1:3/" });
  const [before] = await database.query("SELECT secret_sealed FROM webhook WHERE id = $1", [paired.id]);
  const parts = (await compare(place)).slice(5);
  expect(parts).toMatchObject([
    { name: `webhook:${first.id}`, here: { ...HOOK, url: "https://127.0.0.1:1/hook" }, there: null },
    { name: `webhook:${second.id}`, here: { types: null }, there: { types: ["user_group.*"] } },
    { name: `webhook:${only.id}`, here: null, tag: null },
  ]);

  const { webhooks } = copyAnswer.parse(done(await copy(place, parts.slice(0, 2))).json);
  expect(webhooks).toEqual([
    { id: expect.any(Number), url: "https://127.0.0.1:1/hook", secret: expect.stringMatching(/^whsec_/) },
  ]);
  const all = await hooksOf(there);
  expect(all).toMatchObject([
    { id: paired.id, url: "https://127.0.0.1:2/?other", types: null, enabled: true },
    { id: only.id, enabled: true },
    {
      ...{ id: webhooks[0]?.id, url: "https://127.0.0.1:1/hook", description: "billing", types: HOOK.types },
      ...{ enabled: false, disabled_reason: "asked" },
    },
  ]);
  const [after] = await database.query("SELECT secret_sealed FROM webhook WHERE id = $1", [paired.id]);
  expect(after?.secret_sealed).toEqual(before?.secret_sealed);
  const entries = await entriesOf(database, there);
  expect(entries.slice(2).map(({ action, after }) => [action, JSON.parse(String(after))])).toMatchObject([
    ["webhook.created", { url: "https://127.0.0.1:1/hook", enabled: false }],
    ["webhook.updated", { url: "https://127.0.0.1:2/", types: null }],
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/whsec_|key=secret/);
  expect((await compare(place)).slice(5, 7)).toMatchObject([
    { there: { types: HOOK.types } },
    { there: { types: null } },
  ]);
});

test("nothing is copied when one part has changed on either side, or has no place there", async ({
  place,
  database,
}) => {
  const { here, there } = place;
  await define(here, PLAN);
  await setTemplate(here, TEMPLATE);
  const hook = await addHook(here);
  const changes: Record<string, () => Promise<unknown>> = {
    "the target": () => setTemplate(there, "theirs {{userGroupToken}}"),
    "the source": () => setTemplate(here, "newer {{userGroupToken}}"),
    "the definitions of the target": () => define(there, { creations: "enforce" }),
    "the webhook of the source": () =>
      here.send("PATCH", "/api/webhooks", { webhook_id: hook.id, types: null }).then(done),
    "the webhook of the target": () => addHook(there),
  };
  for (const [what, change] of Object.entries(changes)) {
    const parts = await compare(place);
    await change();
    const [before, hooks] = [await compare(place), withoutHealth(await hooksOf(there))];
    const { json } = expectError(await copy(place, parts.slice(0, 6)), 412, "stale");
    expect(json.error.message, what).toMatch(/^Nothing was copied: [a-z_ 0-9,]+ changed since/);
    expect(await compare(place), what).toEqual(before);
    expect(withoutHealth(await hooksOf(there))).toEqual(hooks);
  }
  for (let made = 1; made < 20; made++) await addHook(there, { ...HOOK, url: `https://127.0.0.1:9/${made}` });
  await there.send("DELETE", "/api/webhooks", { webhook_id: (await hooksOf(there))[0].id }).then(done);
  await addHook(there, { ...HOOK, url: "https://127.0.0.1:9/last" });
  const entries = await entriesOf(database, there);
  expectError(await copy(place, (await compare(place)).slice(0, 6)), 409, "conflict");
  expect(await entriesOf(database, there)).toEqual(entries);
});

test("a change of the target that a copy waits for makes it outdated, and one that waits for the copy comes after it", async ({
  place,
  stage,
}) => {
  const { here, there } = place;
  await define(here, PLAN);
  await setTemplate(here, TEMPLATE);
  const parts = (await compare(place)).slice(0, 2);
  const lock = "UPDATE environment SET embed_template = 'theirs' WHERE slug = $1 RETURNING pg_backend_pid() AS pid";
  const held = await holdingLock(stage.databaseUrl, lock, there.environment);
  const copied = copy(place, parts);
  await held.waited();
  await held.commit();
  expectError(await copied, 412, "stale");
  expect(done(await there.send("GET", "/api/definitions")).json.version).toBe(0);
  expect(await templateOf(there)).toBe("theirs");

  // Of many at the same time, one is first: what it copied is what it had compared.
  const current = (await compare(place)).slice(0, 2);
  const changed = (await there.send("GET", "/api/definitions")).headers.etag;
  expect(changed).toBe('"d-0"');
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => copy(place, current)),
    define(there, { unknown_properties: "refuse" }),
    copy({ here: there, there: here }, await compare({ here: there, there: here }).then((all) => all.slice(0, 2))),
  ]);
  const statuses = answers.map(({ status }) => status);
  expect(
    statuses.every((status) => [200, 412].includes(status)),
    statuses.join(),
  ).toBe(true);
  const { definitions } = (await there.send("GET", "/api/definitions")).json;
  expect(definitions.unknown_properties).toBe("refuse");
});

test("without the role nothing is copied, and viewers see no webhooks", async ({ place, database }) => {
  const { here, there } = place;
  await addHook(here);
  await setTemplate(here, TEMPLATE);
  const viewer = (await adminClient(database, "viewer")).in(here.environment);
  const parts = await compare({ here: viewer, there });
  expect(parts.map(({ name }) => name)).toHaveLength(5);
  expectError(await copy({ here: viewer, there }, parts.slice(0, 2)), 403, "forbidden");
  expect(await templateOf(there)).toBeNull();
});

test("an environment that is deleted, the same, or unknown is refused", async ({ place, database, stage }) => {
  const { here, there } = place;
  await setTemplate(here, TEMPLATE);
  expectError(await here.get("comparison", { with: here.environment }), 422, "invalid_fields");
  expectError(await here.get("comparison", { with: "No Where" }), 404, "not_found");
  expectError(await here.get("comparison/groups", { with: "nowhere" }), 404, "not_found");
  const parts = (await compare(place)).slice(1, 2);
  expectError(await here.post("comparison/copy", { to: here.environment, parts }), 422, "invalid_fields");
  expectError(await here.post("comparison/copy", { to: there.environment, parts: [] }), 422, "invalid_fields");
  const unknown = [{ name: "webhook:2147483647", tag: "none" }];
  expectError(await copy(place, unknown), 412, "stale");

  const lock = "DELETE FROM environment WHERE slug = $1 RETURNING pg_backend_pid() AS pid";
  const held = await holdingLock(stage.databaseUrl, lock, there.environment);
  const copied = copy(place, parts);
  await held.waited();
  await held.commit();
  expectError(await copied, 404, "not_found");
  expect(await database.query("SELECT FROM environment WHERE slug = $1", [there.environment])).toEqual([]);
  expectError(await copy(place, parts), 404, "not_found");
});

test("groups differ by what their members say, not by how it is written", async ({ place }) => {
  const { here, there } = place;
  const of = (one: object, other: object) => ({ one, other });
  const pairs: Record<string, { one: object; other: object; differing?: string[] }> = {
    alike: of({ name: "A", mapping: { 1: 2 } }, { name: "A", mapping: { 1: 2 } }),
    ordered: of({ properties: { a: 1, b: { c: 1, d: 2 } } }, { properties: { b: { d: 2, c: 1 }, a: 1 } }),
    named: { ...of({ name: "A" }, { name: "a" }), differing: ["name"] },
    mapped: { ...of({ mapping: { 1: 2 } }, { mapping: { 1: "2" } }), differing: ["mapping"] },
    nothing: { ...of({ properties: null }, { properties: {} }), differing: ["properties"] },
    listed: { ...of({ properties: { a: [1, 2] } }, { properties: { a: [2, 1] } }), differing: ["properties"] },
  };
  for (const [id, { one, other }] of Object.entries(pairs)) {
    await makeGroup(here, id, one);
    await makeGroup(there, id, other);
  }
  await makeGroup(here, "exact", { properties: { big: 0 } });
  await makeGroup(there, "exact", { properties: { big: 0 } });
  for (const [client, big] of [
    [here, "1.50"],
    [there, "1.5"],
  ] as const) {
    const body = `{"user_group_id":"exact","properties":{"big":${big}}}`;
    done(await client.send("PUT", "/api/user", body));
  }
  await makeGroup(here, "held");
  await makeGroup(there, "held");
  done(await there.act("suspend", { user_group_id: "held" }));
  await makeGroup(here, "mine", { name: "Mine" });
  await makeGroup(there, "thine", { name: "Thine" });

  const answer = done(await here.get("comparison/groups", { with: there.environment }));
  const { groups, next_cursor } = answer.json;
  expect(next_cursor).toBeNull();
  const found = groups.map(({ user_group_id: id, kind, differing }: Record<string, unknown>) => [id, kind, differing]);
  expect(found).toEqual([
    ["exact", "differing", ["properties"]],
    ["held", "differing", ["state"]],
    ["listed", "differing", ["properties"]],
    ["mapped", "differing", ["mapping"]],
    ["mine", "only_here", []],
    ["named", "differing", ["name"]],
    ["nothing", "differing", ["properties"]],
    ["thine", "only_there", []],
  ]);
  expect(answer.text).toContain('"properties":{"big":1.50}');
  expect(answer.text).toContain('"properties":{"big":1.5}');
  expect(groups.find(({ kind }: { kind: string }) => kind === "only_here")).toMatchObject({
    here: { name: "Mine", state: "active", team_id: expect.any(Number) },
    there: null,
  });
  expect(answer.text).not.toContain("ugt_");
  const only = done(await here.get("comparison/groups", { with: there.environment, show: "only_there" }));
  expect(only.json.groups).toMatchObject([{ user_group_id: "thine", here: null }]);
  expect(done(await here.get("comparison/groups/counts", { with: there.environment })).json).toEqual({
    ...{ success: 1, same: 2, only_here: 1, only_there: 1, differing: 6, next_cursor: null },
  });
});

test("pages and counts reach every group once, across windows and whatever their number on either side", async ({
  place,
  database,
}) => {
  const { here, there } = place;
  // More than a window on either side, in blocks that are only here, only there, alike and different.
  const insert = ({ environment }: AdminClient, where: string, name: string) =>
    database.query(
      `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
       SELECT e.id, 'g' || lpad(n::text, 6, '0'), ${name}, CASE WHEN n % 7 = 0 THEN repeat(' ', 0) || '{"n":' || n || '}' END,
         sha256((e.slug || n)::bytea), '' FROM environment e, generate_series(1, 9000) n WHERE e.slug = $1 AND ${where}`,
      [environment],
    );
  await insert(here, "(n <= 5000 OR n > 8990)", "'Group'");
  await insert(there, "(n > 2500 AND n <= 8000 OR n = 9000)", "CASE WHEN n % 100 = 0 THEN 'Other' ELSE 'Group' END");
  const expected = { only_here: 2500 + 9, only_there: 3000, differing: 26, same: 2500 - 25 };

  const total = { only_here: 0, only_there: 0, differing: 0, same: 0 };
  const query = { with: there.environment };
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { json } = done(await here.get("comparison/groups/counts", cursor ? { ...query, cursor } : query));
    const counts = groupCounts.parse(json);
    for (const kind of Object.keys(total) as (keyof typeof total)[]) total[kind] += counts[kind];
    cursor = counts.next_cursor;
  }
  expect(total).toEqual(expected);

  for (const show of ["all", "differing", "only_there"] as const) {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { groups: { user_group_id: string }[]; next_cursor: string | null } = done(
        await here.get("comparison/groups", { ...query, show, limit: 97, ...(cursor && { cursor }) }),
      ).json;
      ids.push(...page.groups.map(({ user_group_id }) => user_group_id));
      expect(page.groups.length).toBeLessThanOrEqual(97);
      cursor = page.next_cursor;
    }
    const { only_here, only_there, differing } = expected;
    expect(ids).toHaveLength(show === "all" ? only_here + only_there + differing : expected[show]);
    expect(ids).toEqual([...new Set(ids)].toSorted());
  }
  const foreign = (await there.get("comparison/groups", { with: here.environment, limit: 1 })).json.next_cursor;
  expectError(await here.get("comparison/groups", { ...query, cursor: foreign }), 422, "invalid_fields");
  expectError(
    await here.get("comparison/groups", { ...query, cursor: randomBytes(9).toString("hex") }),
    422,
    "invalid_fields",
  );
});
