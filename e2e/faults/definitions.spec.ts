import fc from "fast-check";
import { decodeJwt } from "jose";
import { request } from "undici";
import { PRESETS } from "@/lib/authority/scopes";
import { batchAnswer } from "@/lib/groups/batch-schema";
import { insertApiToken } from "../fixtures/api-token";
import { keepDoing } from "../fixtures/client";
import { apply, rowsOf, settled, upload } from "../fixtures/jobs";
import { test as base, expect, query } from "../fixtures/own-service";

const METRICS_TOKEN = "metrics-of-definitions";
const SETTINGS = { SECRET_KEY: "ab".repeat(32), PUBLIC_URL: "https://groups.example.com", METRICS_TOKEN };
const PLAN = { properties: { plan: { type: "string", required: true, enum: ["free", "pro"] } } };

/** Calls one service with one API token; a string body is sent as is. */
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

/** The problems counted by one instance, by kind. */
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

test("definitions are read as they were set, are versioned and appear in the history", async ({ place }) => {
  const { calls, others, databaseUrl } = place;
  const none = await calls.done("GET", "/api/definitions");
  expect(none.json).toMatchObject({ version: 0, definitions: { properties: {}, enforcement: "off" } });
  expect(none.headers.etag).toBe('"d-0"');
  const set = await calls.define('{"properties":{"rate":{"type":"number","default":1.50e3,"enum":[0.250,1500]}}}');
  expect(set.json.version).toBe(1);
  const found = await others.done("GET", "/api/definitions");
  expect(found.text).toContain('"default":1.50e3,"enum":[0.250,1500]');
  expect(found.headers.etag).toBe('"d-1"');
  // Setting the same again changes nothing.
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

test("definitions are read again when a failover reuses a version number", { tag: "@release" }, async ({ place }) => {
  const { calls, databaseUrl } = place;
  await calls.define({ ...PLAN, enforcement: "report" });
  await query(databaseUrl, "UPDATE definitions SET document = replace(document, '\"pro\"', '\"gold\"')");
  const { json } = await calls.done("GET", "/api/definitions");
  expect(json).toMatchObject({ version: 1, definitions: { properties: { plan: { enum: ["free", "gold"] } } } });
});

/** The outcome of a call, or of a single row: the refused paths, or that it was stored. */
type Outcome = string[] | "stored";
type Fields = Record<string, unknown>;
/** Sets a group's properties; a replacing way sends all of them, a merging one null for removed ones. */
type Way = (calls: Place["calls"], id: string, properties: Fields) => Promise<Outcome>;

const ENFORCED = {
  properties: {
    plan: { type: "string", required: true, enum: ["free", "pro"] },
    region: { type: "string", required: true },
    seats: { type: "integer" },
    old: { type: "integer" },
    note: { type: "string" },
  },
  enforcement: "enforce",
  creations: "enforce",
};

const pathsOf = (issues: { path: (string | number)[] }[], depth = 0) =>
  issues.map(({ path }) => path.slice(depth).join(".")).toSorted();

const single =
  (method: string, path: string): Way =>
  async (calls, user_group_id, properties) => {
    const { status, text, json } = await calls.send(method, path, { user_group_id, properties });
    expect([200, 422], text).toContain(status);
    return status === 200 ? "stored" : pathsOf(json.error.issues);
  };
const batch =
  (mode: string): Way =>
  async (calls, user_group_id, properties) => {
    const user_groups = [{ user_group_id, properties }];
    const outcomes: Outcome[] = [];
    for (const dry_run of [true, false]) {
      const answer = await calls.done("POST", "/api/user-groups/batch", { mode, dry_run, user_groups });
      const [result] = batchAnswer.parse(answer.json).results;
      outcomes.push(result?.error ? pathsOf(result.error.issues ?? [], 2) : "stored");
    }
    const [dry = [], wet] = outcomes;
    expect(wet).toEqual(dry);
    return dry;
  };
/** Applies what a dry run allows; otherwise `refused` has the paths of its only row. */
async function applied(calls: Place["calls"], id: number): Promise<Outcome> {
  const { planned } = await settled(calls, id);
  if (planned.error === 0) {
    const { done } = await apply(calls, id);
    return done.skipped === 0 ? "stored" : pathsOf((await rowsOf(calls, id))[0]?.issues ?? []);
  }
  await calls.done("POST", `/api/jobs/${id}/cancel`, {});
  return pathsOf((await rowsOf(calls, id))[0]?.issues ?? []);
}
const imported: Way = async (calls, user_group_id, properties) =>
  applied(calls, (await upload(calls, "groups.jsonl", JSON.stringify({ user_group_id, properties }))).id);

const CREATING: Record<string, Way> = {
  "GET with a body": single("GET", "/api/user"),
  "GET with a query": async (calls, user_group_id, properties) => {
    const query = new URLSearchParams({ user_group_id, properties: JSON.stringify(properties) });
    const { status, json } = await calls.send("GET", `/api/user?${query}`);
    return status === 200 ? "stored" : pathsOf(json.error.issues);
  },
  "get-or-create": single("POST", "/api/user/get-or-create"),
  "an upsert of a new group": single("POST", "/api/user/upsert"),
  "a batch that creates": batch("create"),
  "an import of a new group": imported,
};
const REPLACING: Record<string, Way> = {
  PUT: single("PUT", "/api/user"),
  "a batch that updates": batch("update"),
  "an import": imported,
};
const MERGING: Record<string, Way> = {
  PATCH: single("PATCH", "/api/user"),
  "an upsert": single("POST", "/api/user/upsert"),
  "a batch that merges": batch("merge"),
};

test("enforced definitions bind every way to write, but never block a change that leaves bad members alone", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, others, databaseUrl } = place;
  const was = { plan: "pro", old: "x", seats: 1 };
  const ways = [...Object.entries(REPLACING), ...Object.entries(MERGING)].map(([name, way], n) => ({ name, way, n }));
  for (const { n } of ways) await calls.create(`g-${n}`, { properties: was });
  await calls.create("fixed", { properties: was });
  await calls.create("undone", { properties: was });
  await calls.define(ENFORCED);
  const stored = async (id: string) => {
    const [row] = await query<{ properties: string }>(
      databaseUrl,
      "SELECT properties FROM user_group WHERE provided_id = $1",
      [id],
    );
    return row && JSON.parse(row.properties);
  };

  for (const [n, [name, way]] of Object.entries(CREATING).entries()) {
    const one = n % 2 ? others : calls;
    expect(await way(one, `new-${n}`, { plan: "gold", seats: "2" }), name).toEqual([
      "properties.plan",
      "properties.region",
      "properties.seats",
    ]);
    expect(await stored(`new-${n}`), name).toBeUndefined();
    expect(await way(one, `new-${n}`, { plan: "pro", region: "eu" }), name).toBe("stored");
  }

  for (const { name, way, n } of ways) {
    // The other instance has not read the definitions.
    const one = n % 2 ? others : calls;
    const id = `g-${n}`;
    const change = (fields: Fields) => way(one, id, name in REPLACING ? removeNulls({ ...was, ...fields }) : fields);
    expect(await change({ seats: "2" }), name).toEqual(["properties.seats"]);
    expect(await change({ plan: "gold", old: "y" }), name).toEqual(["properties.old", "properties.plan"]);
    expect(await change({ plan: null }), name).toEqual(["properties.plan"]);
    expect(await change({ region: 7 }), name).toEqual(["properties.region"]);
    expect(await stored(id), name).toEqual(was);
    // Region was already missing, and old was already not an integer.
    expect(await change({}), name).toBe("stored");
    expect(await change({ seats: 2 }), name).toBe("stored");
    expect(await stored(id), name).toEqual({ ...was, seats: 2 });
    expect(await change({ seats: null, old: null }), name).toBe("stored");
    expect(await stored(id), name).toEqual({ plan: "pro" });
  }
  expect((await calls.put("unknown", { properties: { plan: "gold" } })).status).toBe(404);
  expect((await calls.put("g-0", { properties: null })).status).toBe(422);
  const stale = { "if-match": '"1-1"' };
  const put = { user_group_id: "g-0", properties: { plan: "gold" } };
  expect((await calls.send("PUT", "/api/user", put, stale)).status).toBe(412);
  expect((await calls.put("g-0", { name: "Renamed" })).status).toBe(200);
  expect((await calls.put("g-0", {})).status).toBe(200);

  // An undo does not restore a value that the definitions refuse.
  const before = await stored("undone");
  const { id } = await upload(
    calls,
    "old.jsonl",
    JSON.stringify({ user_group_id: "undone", properties: { ...was, old: 1 } }),
  );
  expect(await applied(calls, id)).toBe("stored");
  const undo = await calls.done("POST", `/api/jobs/${id}/undo`, {});
  expect(await applied(calls, undo.json.job.id)).toEqual(["properties.old"]);
  expect(await stored("undone")).toEqual({ ...before, old: 1 });

  // By default a creation may be a page view, and is only reported.
  await calls.define({ ...ENFORCED, creations: "report" });
  await others.create("newer");
  expect(await batch("create")(calls, "newest", { plan: "gold" })).toBe("stored");
});

const removeNulls = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** As many as in a real environment in which no group is complete. */
const INCOMPLETE = 4_959;

test("incomplete groups can be changed in every way, and 121 of them fixed together", {
  tag: "@release",
}, async ({ place }) => {
  test.slow();
  const { calls, databaseUrl } = place;
  const file = (seats: number) =>
    Array.from({ length: INCOMPLETE }, (_, n) =>
      JSON.stringify({ user_group_id: `g-${n}`, properties: { plan: n % 41 === 0 ? "Free" : "pro", seats } }),
    ).join("\n");
  const { id: made } = await upload(calls, "groups.jsonl", file(1));
  await settled(calls, made);
  expect(await apply(calls, made)).toMatchObject({ done: { created: INCOMPLETE, skipped: 0 } });
  await calls.define({
    properties: {
      plan: { type: "string", required: true, enum: ["free", "pro"] },
      contract_ends: { type: "date", required: true },
    },
    schemas: { 40: { required: true } },
    enforcement: "enforce",
    creations: "enforce",
  });
  const ways = [...Object.entries(REPLACING), ...Object.entries(MERGING)];
  for (const [n, [name, way]] of ways.entries()) {
    const fields = name in REPLACING ? { plan: "pro", seats: 2 } : { seats: 2 };
    expect(await way(calls, `g-${n + 1}`, fields), name).toBe("stored");
  }
  const all = await upload(calls, "seats.jsonl", file(3));
  expect(await settled(calls, all.id)).toMatchObject({ planned: { change: INCOMPLETE, error: 0 } });
  expect(await apply(calls, all.id)).toMatchObject({ done: { changed: INCOMPLETE, skipped: 0 } });

  await expect
    .poll(async () => (await calls.done("GET", "/api/definitions/findings")).text, { timeout: 60_000 })
    .toContain('"count":121');
  const fix = { finding: "plan:not_in_enum", set: "free" };
  const wrong = (await calls.done("POST", "/api/definitions/fixes", { ...fix, set: "gold" })).json.job;
  expect(await settled(calls, wrong.id)).toMatchObject({ planned: { change: 0, error: 121 } });
  const { id } = (await calls.done("POST", "/api/definitions/fixes", fix)).json.job;
  expect(await settled(calls, id)).toMatchObject({ planned: { change: 121, error: 0 } });
  expect(await apply(calls, id)).toMatchObject({ done: { changed: 121, skipped: 0 } });
  const [counts] = await query(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE properties::jsonb = '{"plan":"free","seats":3}')::int AS free,
       count(*) FILTER (WHERE properties::jsonb = '{"plan":"pro","seats":3}')::int AS pro FROM user_group`,
  );
  expect(counts).toEqual({ free: 121, pro: INCOMPLETE - 121 });
});

test("a restoration is never refused: it lists the definitions' findings, which are counted", {
  tag: "@release",
}, async ({ place }) => {
  const { url, calls, databaseUrl } = place;
  await calls.create("bad", { properties: { plan: "gold", seats: 1 } });
  await calls.create("good", { properties: { plan: "pro" } });
  const remove = async () => {
    for (const user_group_id of ["bad", "good"]) await calls.done("DELETE", "/api/user", { user_group_id });
  };
  const restore = (id: string) => calls.done("POST", "/api/user-groups/restore", { user_group_id: id });
  const stored = () => query(databaseUrl, "SELECT provided_id, properties FROM user_group ORDER BY team_id");
  const before = await stored();

  await remove();
  for (const id of ["bad", "good"]) expect((await restore(id)).json).not.toHaveProperty("issues");
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
  expect(await stored()).toEqual(before);
});

test("an import reports what the definitions refuse, even when they change before it is applied", {
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

test("with enforcement off, answers are as without definitions; with report, writes are too", {
  tag: "@release",
}, async ({ place }) => {
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

test("a mint overrides overridable properties, and viewer tokens hold the visible ones, with defaults", {
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

test("a mint alone sets no defined property, and overrides must match the definitions", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, others } = place;
  await calls.create("one", { properties: { seats: 3 } });
  const mint = (variables: object) => others.send("POST", "/api/viewer-tokens", { user_group_id: "one", variables });
  const mode = { type: "string", enum: ["light", "dark"], default: "light", viewer_visible: true, overridable: true };
  const document = { properties: { tenant: { type: "string" }, mode } };
  await calls.define({ ...document, enforcement: "enforce" });
  // The group has no tenant: choosing one would choose the data that dashboards show.
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
  const properties = Object.fromEntries(names.map((name) => [name, "y"]));
  const { status, json } = await calls.put("one", { properties });
  expect(status).toBe(422);
  expect(json.error.issues).toHaveLength(50);
  expect(json.error.issues.at(-1)).toEqual({
    path: ["properties", "property_049"],
    message: expect.stringMatching(/; and 450 more problems$/),
  });
  const user_groups = Array.from({ length: 100 }, (_, n) => ({ user_group_id: `new ${n}`, properties }));
  const batch = await calls.done("POST", "/api/user-groups/batch", { mode: "create", user_groups, dry_run: true });
  expect(batch.text.length).toBeLessThan(1_500_000);
});

test("a suggestion describes the existing groups, and can be set unchanged", { tag: "@release" }, async ({ place }) => {
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
    data_sources: fc.dictionary(fc.constantFrom("1", "2", "3"), fc.constantFrom({}, { provided_id: "4" })),
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
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(document, members, async (defined, fields) => {
      await calls.define({ ...defined, enforcement: "report" });
      expect((await calls.put("any", fields)).status).toBe(200);
      const { issues } = await calls.view(token);
      await calls.define({ ...defined, enforcement: "enforce", creations: "enforce" });
      // A creation is checked as a whole, a change only for its changes.
      const created = { user_group_id: `any ${runs++}`, ...fields };
      const { status, json } = await calls.send("POST", "/api/user/upsert", created);
      expect(status).toBe(issues.length === 0 ? 200 : 422);
      const found = issues.map(({ path, message }: { path: string[]; message: string }) => ({ path, message }));
      expect(json.error?.issues ?? []).toEqual(found);
      if (status === 422) refusals++;
    }),
    { numRuns: 60 },
  );
  expect(refusals).toBeGreaterThan(5);
});

test("switching to enforce under concurrent writes lets no invalid write through", { tag: "@release" }, async ({
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
    const batch = (mode: string, row: object) =>
      one.send("POST", "/api/user-groups/batch", { mode, user_groups: [row] });
    const singly = [
      () => one.put(user_group_id, { properties }),
      () => one.send("PATCH", "/api/user", { user_group_id, properties }),
      () => one.send("GET", "/api/user", made),
      () => one.send("POST", "/api/user/upsert", made),
    ];
    const batches = [() => batch("merge", { user_group_id, properties }), () => batch("create", made)];
    // A batch reads the definitions, so that its instance's other writes know them too: the second sends none.
    const ways = one === calls ? [...singly, ...batches] : singly;
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
