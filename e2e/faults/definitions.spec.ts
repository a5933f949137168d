import { randomInt } from "node:crypto";
import fc from "fast-check";
import { decodeJwt } from "jose";
import { request } from "undici";
import { PRESETS } from "@/lib/db/scopes";
import { batchAnswer } from "@/lib/groups/batch-schema";
import { insertApiToken } from "../fixtures/api-token";
import { keepDoing } from "../fixtures/client";
import { apply, settled, upload } from "../fixtures/imports";
import { test as base, expect, query } from "../fixtures/own-service";

const METRICS_TOKEN = "metrics-of-definitions";
const SETTINGS = { SECRET_KEY: "ab".repeat(32), PUBLIC_URL: "https://groups.example.com", METRICS_TOKEN };
const PLAN = { properties: { plan: { type: "string", required: true, enum: ["free", "pro"] } } };
const MISSING = [{ path: ["properties", "plan"], message: "is required" }];

/** Calls of one service with one API token; a text is sent as it is. */
function callsOf(url: string, token: string) {
  const send = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await request(url + path, {
      method,
      headers: { authorization: `Token ${token}`, "content-type": "application/json", ...headers },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      reset: true,
    });
    const text = await response.body.text();
    return { status: response.statusCode, text, headers: response.headers, json: JSON.parse(text) };
  };
  const done = async (...sent: Parameters<typeof send>) => {
    const answer = await send(...sent);
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  return {
    send,
    done,
    define: (document: object | string) => done("PUT", "/api/definitions", document),
    create: async (user_group_id: string, fields = {}): Promise<string> =>
      (await done("GET", "/api/user", { user_group_id, ...fields })).json.user_group.token,
    put: (user_group_id: string, fields: object) => send("PUT", "/api/user", { user_group_id, ...fields }),
    view: async (userGroupToken: string, more = {}) =>
      (await done("POST", "/api/viewer", { token: userGroupToken, ...more })).json,
  };
}

/** How many problems one instance has counted, by kind. */
async function counted(url: string): Promise<Record<string, number>> {
  const { body } = await request(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const lines = (await body.text()).matchAll(/^definition_findings_total\{.*kind="(\w+)".*\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, kind, count]) => [kind, Number(count)]).filter(([, count]) => count));
}

interface Place {
  /** of the first instance */
  url: string;
  /** of the first instance, and of the second */
  calls: ReturnType<typeof callsOf>;
  others: ReturnType<typeof callsOf>;
  databaseUrl: string;
}

const test = base.extend<{ place: Place }>({
  place: async ({ createDatabase, start }, use) => {
    const databaseUrl = await createDatabase();
    const settings = { ...SETTINGS, DATABASE_URL: databaseUrl };
    const [one, other] = [await start(settings), await start(settings)];
    const token = await insertApiToken(settings, { scopes: PRESETS.full });
    await use({ url: one.url, calls: callsOf(one.url, token), others: callsOf(other.url, token), databaseUrl });
  },
});

test("definitions are read as they were set, have versions, and are in the history", async ({ place }) => {
  const { calls, others, databaseUrl } = place;
  const none = await calls.done("GET", "/api/definitions");
  expect(none.json).toMatchObject({ version: 0, definitions: { properties: {}, enforcement: "off" } });
  expect(none.headers.etag).toBe('"d-0"');
  const set = await calls.define('{"properties":{"rate":{"type":"number","default":1.50e3,"enum":[0.250,1500]}}}');
  expect(set.json.version).toBe(1);
  const found = await others.done("GET", "/api/definitions");
  expect(found.text).toContain('"default":1.50e3,"enum":[0.250,1500]');
  expect(found.headers.etag).toBe('"d-1"');
  // The same again is no change.
  expect((await others.define(JSON.parse(found.text).definitions)).json.version).toBe(2);
  expect((await others.define(JSON.parse(found.text).definitions)).json.version).toBe(2);

  const stale = await calls.send("PUT", "/api/definitions", PLAN, { "if-match": '"d-1"' });
  expect(stale.status, stale.text).toBe(412);
  const malformed = await calls.send("PUT", "/api/definitions", PLAN, { "if-match": "d-2" });
  expect(malformed.status, malformed.text).toBe(412);
  expect(malformed.json.error.message).toContain("with its quotes");
  expect((await calls.done("PUT", "/api/definitions", PLAN, { "if-match": '"d-2"' })).json.version).toBe(3);
  const wrong = await calls.send("PUT", "/api/definitions", { properties: { plan: { type: "text" } } });
  expect(wrong.status).toBe(422);
  expect(wrong.json.error.issues).toMatchObject([{ path: ["properties", "plan", "type"] }]);

  const entries = await query(
    databaseUrl,
    "SELECT before::json -> 'properties' AS before, after::json -> 'properties' AS after FROM audit_entry WHERE action = 'environment.definitions_changed' ORDER BY id",
  );
  expect(entries).toHaveLength(3);
  expect(entries[0]).toMatchObject({ before: {}, after: { rate: { type: "number" } } });
  expect(entries[2]).toMatchObject({ after: { plan: { required: true, enum: ["free", "pro"] } } });
});

test("definitions with the number of others that a failover has lost are read again", { tag: "@release" }, async ({
  place,
}) => {
  const { calls, databaseUrl } = place;
  await calls.define({ ...PLAN, enforcement: "report" });
  await query(databaseUrl, "UPDATE definitions SET document = replace(document, '\"pro\"', '\"gold\"')");
  const { json } = await calls.done("GET", "/api/definitions");
  expect(json).toMatchObject({ version: 1, definitions: { properties: { plan: { enum: ["free", "gold"] } } } });
});

test("enforced, they refuse every way to write, with the path, and change nothing", async ({ place }) => {
  const { calls, others, databaseUrl } = place;
  await calls.create("old", { properties: { plan: "none" } });
  await calls.define({ ...PLAN, enforcement: "enforce", creations: "enforce" });

  const refused = async (answer: Promise<{ status: number; text: string; json: { error: { issues: unknown } } }>) => {
    const { status, text, json } = await answer;
    expect(status, text).toBe(422);
    return json.error.issues;
  };
  const stored = () =>
    query(databaseUrl, "SELECT provided_id, name, properties, version FROM user_group ORDER BY team_id");
  const before = await stored();
  // The other instance has not read them.
  for (const one of [calls, others]) {
    expect(await refused(one.put("old", { properties: {} }))).toEqual(MISSING);
    expect(await refused(one.put("old", { properties: null }))).toEqual(MISSING);
    const merge = { user_group_id: "old", properties: { plan: "gold" } };
    const gold = [{ path: ["properties", "plan"], message: "must be one of free, pro" }];
    expect(await refused(one.send("PATCH", "/api/user", merge))).toEqual(gold);
    expect(await refused(one.send("POST", "/api/user/upsert", merge))).toEqual(gold);
    expect(await refused(one.send("GET", "/api/user", { user_group_id: "new" }))).toEqual(MISSING);
    expect(await refused(one.send("POST", "/api/user/upsert", { user_group_id: "new" }))).toEqual(MISSING);
    for (const dry_run of [true, false]) {
      const rows = [
        { user_group_id: "old", properties: {} },
        { user_group_id: "new", name: "New" },
      ];
      const answer = await one.done("POST", "/api/user-groups/batch", {
        mode: "upsert",
        user_groups: [{ ...rows[0], properties: { plan: "gold" } }, rows[1]],
        dry_run,
      });
      const { results } = batchAnswer.parse(answer.json);
      expect(results.map(({ error }) => error?.issues?.[0]?.path)).toEqual([
        ["user_groups", 0, "properties", "plan"],
        ["user_groups", 1, "properties", "plan"],
      ]);
    }
  }
  expect(await stored()).toEqual(before);

  // What a change leaves alone is not its fault.
  expect((await calls.put("old", { name: "Renamed" })).status).toBe(200);
  expect((await calls.put("old", { properties: { plan: "pro", more: 1 } })).status).toBe(200);
  expect((await calls.send("GET", "/api/user", { user_group_id: "old", properties: {} })).status).toBe(200);
  await calls.create("new", { properties: { plan: "free" } });

  // By default a creation is a page view, and only reported.
  await calls.define({ ...PLAN, enforcement: "enforce" });
  await others.create("newer");
});

test("a restoration is never refused: it says what the definitions find, which is counted", {
  tag: "@release",
}, async ({ place }) => {
  const { url, calls, databaseUrl } = place;
  const ids: number[] = [];
  for (const [id, properties] of [
    ["bad", { plan: "gold", seats: 1 }],
    ["good", { plan: "pro" }],
  ] as const) {
    await calls.create(id, { properties });
    const { team_id } = (await calls.done("GET", "/api/user", { user_group_id: id })).json.user_group;
    ids.push(team_id);
  }
  const remove = () => calls.done("POST", "/api/user-groups/delete-many", { team_ids: ids });
  const restore = (id: string) => calls.done("POST", "/api/user-groups/restore", { user_group_id: id });
  const restoreAll = async () => (await calls.done("POST", "/api/user-groups/restore-many", { team_ids: ids })).json;
  const stored = () => query(databaseUrl, "SELECT provided_id, properties FROM user_group ORDER BY team_id");
  const before = await stored();

  await remove();
  expect((await restore("bad")).json).not.toHaveProperty("issues");
  await remove();
  expect(await restoreAll()).not.toHaveProperty("incomplete");
  expect(await counted(url)).toEqual({});
  await remove();
  await calls.define({ ...PLAN, unknown_properties: "refuse", enforcement: "enforce", creations: "enforce" });
  expect((await restore("good")).json.issues).toEqual([]);
  const issues = [
    { path: ["properties", "plan"], kind: "not_in_enum", message: "must be one of free, pro" },
    { path: ["properties", "seats"], kind: "unknown_property", message: "is not a defined property" },
  ];
  expect((await restore("bad")).json).toMatchObject({ user_group: { provided_id: "bad" }, issues });
  expect(await counted(url)).toEqual({ not_in_enum: 1, unknown_property: 1 });
  await remove();
  expect(await restoreAll()).toMatchObject({
    restored: [{ provided_id: "bad" }, { provided_id: "good" }],
    incomplete: [{ team_id: ids[0], provided_id: "bad", name: "bad" }],
  });
  expect(await counted(url)).toEqual({ not_in_enum: 2, unknown_property: 2 });
  expect(await stored()).toEqual(before);
});

test("an import says what the definitions refuse, also when they change before it is applied", {
  tag: "@release",
}, async ({ place }) => {
  const { calls } = place;
  await calls.create("kept", { properties: { plan: "free" } });
  await calls.define({ ...PLAN, enforcement: "enforce", creations: "enforce" });
  const file = [
    '{"user_group_id":"kept","properties":{"plan":"gold"}}',
    '{"user_group_id":"made","properties":{"plan":"pro"}}',
    '{"user_group_id":"less"}',
  ].join("\n");
  const { id } = await upload(calls, "groups.jsonl", file);
  const checked = await settled(calls, id);
  expect(checked).toMatchObject({ state: "checked", planned: { error: 2, create: 1 } });

  await calls.define({
    properties: { plan: { type: "string", enum: ["free"] } },
    enforcement: "enforce",
    creations: "enforce",
  });
  await apply(calls, id);
  expect(await settled(calls, id)).toMatchObject({ state: "done", done: { created: 0, skipped: 1 } });
});

test("off, every answer is as without definitions; reported, writes are too", async ({ place }) => {
  const { calls, databaseUrl } = place;
  const token = await calls.create("one", { properties: { seats: 3 } });
  const answers = async () => {
    const all = [
      await calls.done("GET", "/api/user", { user_group_id: "one" }),
      await calls.send("PUT", "/api/user", { user_group_id: "one", properties: { seats: 3 } }),
      await calls.send("GET", "/api/user", { user_group_id: "one", properties: { plan: "gold" } }),
      await calls.done("POST", "/api/viewer", { token }),
      await calls.done("POST", "/api/viewer", { token, strict: true }),
    ];
    return all.map(({ status, text }) => ({ status, text }));
  };
  const without = await answers();
  const document = { ...PLAN, properties: { ...PLAN.properties, region: { type: "string", default: "eu" } } };
  await calls.define(document);
  expect(await answers()).toEqual(without);

  await calls.define({ ...document, enforcement: "report" });
  expect((await answers()).slice(0, 3)).toEqual(without.slice(0, 3));
  expect(await calls.view(token)).toMatchObject({
    active: true,
    user_group: { properties: { seats: 3 } },
    variables: { seats: 3, region: "eu" },
    issues: [{ path: ["properties", "plan"], kind: "missing", message: "is required" }],
  });
  expect(await calls.view(token, { strict: true })).toEqual({ success: 1, active: false, reason: "incomplete" });
  // Defaults are never stored.
  const [stored] = await query(databaseUrl, "SELECT properties FROM user_group WHERE provided_id = 'one'");
  expect(stored?.properties).toBe('{"seats":3}');
});

test("a mint may override what is overridable, and viewer tokens have what is visible, with defaults", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, others } = place;
  await calls.create("one", { properties: { plan: "pro", secret: "s" } });
  const mint = (variables: object) => others.send("POST", "/api/viewer-tokens", { user_group_id: "one", variables });
  expect((await mint({ plan: "free" })).status).toBe(422);
  const visible = { type: "string", viewer_visible: true };
  await calls.define({
    properties: { plan: visible, page: { ...visible, default: "home", overridable: true }, secret: { type: "string" } },
    enforcement: "report",
  });
  const claims = async (variables: object) => {
    const { status, text, json } = await mint(variables);
    expect(status, text).toBe(200);
    return decodeJwt(json.viewer_token).variables;
  };
  expect(await claims({})).toEqual({ plan: "pro", page: "home" });
  expect(await claims({ page: "orders", shown: 1 })).toEqual({ plan: "pro", page: "orders", shown: 1 });
  expect((await mint({ plan: "free" })).status).toBe(422);
});

test("a mint sets no defined property by itself, and overrides with values as they are defined", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, others } = place;
  await calls.create("one", { properties: { seats: 3 } });
  const mint = (variables: object) => others.send("POST", "/api/viewer-tokens", { user_group_id: "one", variables });
  const mode = { type: "string", enum: ["light", "dark"], default: "light", viewer_visible: true, overridable: true };
  const document = { properties: { tenant: { type: "string" }, mode } };
  await calls.define({ ...document, enforcement: "enforce" });
  // The group has no tenant: a caller who could choose one would choose what the dashboards show.
  const foreign = await mint({ tenant: "other" });
  expect(foreign.json.error?.issues).toMatchObject([{ path: ["variables", "tenant"] }]);
  const wrong = await mint({ mode: "blue" });
  expect(wrong.json.error?.issues).toEqual([{ path: ["variables", "mode"], message: "must be one of light, dark" }]);
  const shown = async (variables: object) => {
    const { status, text, json } = await mint(variables);
    expect(status, text).toBe(200);
    return decodeJwt(json.viewer_token).variables;
  };
  expect(await shown({ mode: "dark" })).toEqual({ mode: "dark" });
  expect(await shown({ mode: null, page: null })).toEqual({ mode: "light", page: null });
  await calls.define({ ...document, enforcement: "report" });
  expect(await shown({ mode: "blue" })).toEqual({ mode: "blue" });
});

test("a refusal names at most fifty problems of a group, in a batch too", { tag: "@release" }, async ({ place }) => {
  const { calls } = place;
  const names = Array.from({ length: 500 }, (_, n) => `property_${String(n).padStart(3, "0")}`);
  const required = { type: "string", required: true, enum: ["x".repeat(300)] };
  await calls.create("one");
  await calls.define({
    properties: Object.fromEntries(names.map((name) => [name, required])),
    enforcement: "enforce",
    creations: "enforce",
  });
  const { status, json } = await calls.put("one", { properties: {} });
  expect(status).toBe(422);
  expect(json.error.issues).toHaveLength(50);
  expect(json.error.issues.at(-1)).toEqual({
    path: ["properties", "property_049"],
    message: "is required; and 450 more problems",
  });
  const properties = Object.fromEntries(names.map((name) => [name, "y"]));
  const user_groups = Array.from({ length: 100 }, (_, n) => ({ user_group_id: `new ${n}`, properties }));
  const batch = await calls.done("POST", "/api/user-groups/batch", { mode: "create", user_groups, dry_run: true });
  expect(batch.text.length).toBeLessThan(1_500_000);
});

test("a suggestion is read off the groups there are, and can be set as it is", { tag: "@release" }, async ({
  place,
}) => {
  const { calls } = place;
  for (let n = 0; n < 12; n++) {
    await calls.create(`group ${n}`, {
      mapping: { 40: n % 2 ? "213" : "214" },
      properties: { plan: n % 2 ? "pro" : "free", seats: n, ...(n > 2 && { since: "2026-11-26" }) },
    });
  }
  const { groups, definitions } = (await calls.done("GET", "/api/definitions/suggestion")).json;
  expect(groups).toBe(12);
  expect(definitions).toMatchObject({
    properties: {
      plan: { type: "string", required: true, enum: ["free", "pro"] },
      seats: { type: "integer", required: true, enum: null },
      since: { type: "date", required: false },
    },
    schemas: { 40: { required: true } },
    data_sources: { 213: { schemas: ["40"] }, 214: { schemas: ["40"] } },
    enforcement: "off",
  });
  expect((await calls.done("GET", "/api/definitions")).json.version).toBe(0);
  await calls.define({ ...definitions, enforcement: "enforce" });
  expect((await calls.put("group 1", { properties: { plan: "gold", seats: 1 } })).status).toBe(422);
  expect((await calls.put("group 1", { properties: { plan: "free", seats: 1 } })).status).toBe(200);
});

const document = fc.record(
  {
    properties: fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.record(
        {
          type: fc.constantFrom(
            "string",
            "integer",
            "number",
            "boolean",
            "date",
            "string[]",
            "integer[]",
            "object",
            "any",
          ),
          required: fc.boolean(),
        },
        { requiredKeys: ["type"] },
      ),
      { minKeys: 1 },
    ),
    unknown_properties: fc.constantFrom("allow", "refuse"),
    schemas: fc.dictionary(fc.constantFrom("40", "41"), fc.record({ required: fc.boolean() })),
    data_sources: fc.dictionary(fc.constantFrom("1", "2", "3"), fc.constant({})),
  },
  { requiredKeys: ["properties"] },
);
const value = fc.oneof(
  fc.constantFrom("x", "2026-11-30", "2026-02-30", 1, 1.5, true, null, ["x"], [1, 2], { x: 1 }),
  fc.string({ maxLength: 5 }),
);
const members = fc.record({
  properties: fc.option(fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), value)),
  mapping: fc.dictionary(fc.constantFrom("40", "41", "42"), fc.constantFrom("1", "2", 3, "4", null)),
});

test("for any definitions and group, report and enforce find the same", { tag: "@release" }, async ({ place }) => {
  const { calls } = place;
  const token = await calls.create("any");
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(document, members, async (defined, fields) => {
      await calls.define({ ...defined, enforcement: "report" });
      expect((await calls.put("any", fields)).status).toBe(200);
      const { issues } = await calls.view(token);
      await calls.define({ ...defined, enforcement: "enforce" });
      // Another name: the members are checked whether or not they change.
      const { status, json } = await calls.put("any", { ...fields, name: `Any ${randomInt(1e9)}` });
      expect(status).toBe(issues.length === 0 ? 200 : 422);
      const found = issues.map(({ path, message }: { path: string[]; message: string }) => ({ path, message }));
      expect(json.error?.issues ?? []).toEqual(found);
      if (status === 422) refusals++;
    }),
    { numRuns: 60 },
  );
  expect(refusals).toBeGreaterThan(5);
});

test("a switch to enforce under concurrent writes lets nothing pass that it refuses", { tag: "@release" }, async ({
  place,
}) => {
  const { calls, others, databaseUrl } = place;
  const ids = Array.from({ length: 20 }, (_, n) => `group ${n}`);
  for (const id of ids) await calls.create(id, { properties: { plan: "free" } });
  const refused = () =>
    query(databaseUrl, `SELECT provided_id, version FROM user_group WHERE properties LIKE '%"wrong%' ORDER BY team_id`);
  let [written, stopped] = [0, 0];
  const writing = keepDoing(24, async (lane, count) => {
    const one = lane % 2 === 0 ? calls : others;
    const user_group_id = ids[(lane * 7 + count) % ids.length] ?? "";
    const properties = { plan: `wrong ${lane} ${count}` };
    const made = { user_group_id: `made ${lane} ${count}`, properties };
    const ways = [
      () => one.put(user_group_id, { properties }),
      () => one.send("PATCH", "/api/user", { user_group_id, properties }),
      () => one.send("POST", "/api/user-groups/batch", { mode: "merge", user_groups: [{ user_group_id, properties }] }),
      () => one.send("GET", "/api/user", made),
      () => one.send("POST", "/api/user/upsert", made),
      () => one.send("POST", "/api/user-groups/batch", { mode: "create", user_groups: [made] }),
    ];
    // Each way on both instances.
    const answer = await ways[Math.floor(lane / 2) % ways.length]?.();
    if (!answer) return;
    const isRefused = answer.status === 422 || answer.json.results?.[0]?.outcome === "error";
    if (isRefused) stopped++;
    else if (answer.status === 200) written++;
    else expect([429, 503], answer.text).toContain(answer.status);
  });
  for (let round = 0; round < 6; round++) {
    await calls.define({ ...PLAN, enforcement: "report" });
    const before = written;
    await expect.poll(() => written).toBeGreaterThan(before + 50);
    const enforced = { ...PLAN, enforcement: "enforce", creations: "enforce" };
    await (round % 2 === 0 ? calls : others).define(enforced);
    const atSwitch = await refused();
    expect(atSwitch.length).toBeGreaterThan(0);
    const earlier = stopped;
    await expect.poll(() => stopped).toBeGreaterThan(earlier + 50);
    expect(await refused()).toEqual(atSwitch);
  }
  await writing.stop();
});
