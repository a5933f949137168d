import { randomUUID } from "node:crypto";
import { SCOPES, type Scope } from "@/lib/authority/scopes";
import { batchAnswer } from "@/lib/groups/batch-schema";
import { adminClient } from "../fixtures/admin-client";
import {
  test as base,
  type CallOptions,
  call,
  createGroup,
  type Database,
  expect,
  expectError,
  expectNothingChanged,
  newId,
} from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { holding } from "../fixtures/hold";
import { scopedToken } from "../fixtures/scoped-token";

interface Fixtures {
  /** an API token of Testing with all scopes */
  full: string;
}

const test = base.extend<Fixtures>({
  // Each test needs its own token, as a token can run only two batches at a time.
  full: async ({ stage: _ }, use) => use(await scopedToken(...SCOPES)),
});

type Sent = CallOptions & { dry_run?: boolean };

const send = (mode: string, user_groups: unknown[], { dry_run, ...options }: Sent = {}) =>
  call("POST", "/api/user-groups/batch", {
    body: { mode, user_groups, ...(dry_run !== undefined && { dry_run }) },
    ...options,
  });

async function results(mode: string, user_groups: unknown[], options: Sent = {}) {
  const answer = await send(mode, user_groups, options);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).not.toContain("ugt_");
  const { results } = batchAnswer.parse(answer.json);
  expect(results).toHaveLength(user_groups.length);
  return results;
}

const outcomes = async (...sent: Parameters<typeof results>) => (await results(...sent)).map(({ outcome }) => outcome);

const stored = (database: Database, stem: string) =>
  database.query(
    "SELECT provided_id, name, mapping, properties, version FROM user_group WHERE strpos(provided_id, $1) > 0 ORDER BY provided_id",
    [stem],
  );
const actions = async (database: Database, stem: string) =>
  (
    await database.query(
      `SELECT action FROM audit_entry
       WHERE strpos(coalesce(after, before)::json ->> 'provided_id', $1) > 0 AND action LIKE 'user_group.%' ORDER BY id`,
      [stem],
    )
  ).map(({ action }) => String(action).replace("user_group.", ""));

const numbered = (count: number, stem: string, fields: (n: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, n) => ({ user_group_id: `${stem}-${String(n).padStart(3, "0")}`, ...fields(n) }));

test("each mode does to each group what the single call does, and reports the outcome", async ({
  database,
  full: token,
}) => {
  const stem = newId();
  const [one, two, none] = [`${stem}-1`, `${stem}-2`, `${stem}-none`];
  const created = await results(
    "create",
    [
      { user_group_id: one, properties: { a: 1, b: null } },
      { user_group_id: two, name: "Two" },
      { user_group_id: one },
    ],
    { token },
  );
  expect(created).toMatchObject([
    { user_group_id: one, outcome: "created" },
    { user_group_id: two, outcome: "created" },
    { user_group_id: one, outcome: "error", error: { code: "conflict" } },
  ]);
  expect(created[0]?.etag).toBe(`"${created[0]?.team_id}-1"`);
  const updated = await results(
    "update",
    [
      { user_group_id: one, properties: { c: 1 } },
      { user_group_id: two, name: "Two" },
      { user_group_id: none, name: "None" },
    ],
    { token },
  );
  expect(updated).toMatchObject([
    { outcome: "changed", etag: `"${created[0]?.team_id}-2"` },
    { outcome: "same", etag: created[1]?.etag },
    { outcome: "error", error: { code: "unknown_user_group" } },
  ]);
  const merge = [{ user_group_id: one, properties: { d: [1.1], c: null } }, { user_group_id: none }];
  expect(await outcomes("merge", merge, { token })).toEqual(["changed", "error"]);
  const upsert = [
    { user_group_id: one, mapping: { 40: "1" } },
    { user_group_id: none, properties: { x: null, y: 1 } },
  ];
  expect(await outcomes("upsert", upsert, { token })).toEqual(["changed", "created"]);
  expect(await outcomes("upsert", upsert, { token })).toEqual(["same", "same"]);
  expect(await stored(database, stem)).toEqual([
    { provided_id: one, name: one, mapping: '{"40":"1"}', properties: '{"d":[1.1]}', version: 4 },
    { provided_id: two, name: "Two", mapping: "{}", properties: null, version: 1 },
    { provided_id: none, name: none, mapping: "{}", properties: '{"y":1}', version: 1 },
  ]);
  const removal = [one, two, two].map((user_group_id) => ({ user_group_id }));
  const removed = await results("delete", removal, { token });
  expect(removed).toMatchObject([
    { outcome: "deleted", team_id: created[0]?.team_id },
    { outcome: "deleted" },
    { outcome: "error", error: { code: "unknown_user_group" } },
  ]);
  expect((await stored(database, stem)).map(({ provided_id }) => provided_id)).toEqual([none]);
  expect((await actions(database, stem)).toSorted()).toEqual(
    ["created", "created", "created", "updated", "updated", "updated", "deleted", "deleted"].toSorted(),
  );
});

test("one bad row of 500: the others are applied, and the row reports its error and place", async ({ database }) => {
  const stem = newId();
  const rows: object[] = numbered(500, stem);
  rows[3] = { user_group_id: `${stem}-003`, name: " ", propertes: {} };
  const answer = await results("upsert", rows);
  expect(answer.filter(({ outcome }) => outcome === "created")).toHaveLength(499);
  expect(answer[3]).toMatchObject({
    user_group_id: `${stem}-003`,
    outcome: "error",
    error: {
      code: "invalid_fields",
      message: expect.stringContaining("This user group was not changed: user_groups.3.name"),
      issues: [{ path: ["user_groups", 3, "name"] }, { path: ["user_groups", 3, "propertes"] }],
    },
  });
  expect(answer.map(({ user_group_id }) => user_group_id)).toEqual(numbered(500, stem).map((row) => row.user_group_id));
  expect(await stored(database, stem)).toHaveLength(499);
  expect(await actions(database, stem)).toHaveLength(499);
});

test("repeated ids are applied in order, and each change is in the history", async ({ database }) => {
  const id = newId();
  const rows = [
    { properties: { a: 1 } },
    { properties: { b: 2 } },
    { properties: { b: 2 } },
    { name: " " },
    { name: "N" },
  ];
  expect(
    await outcomes(
      "upsert",
      rows.map((row) => ({ user_group_id: id, ...row })),
    ),
  ).toEqual(["created", "changed", "same", "error", "changed"]);
  expect(await stored(database, id)).toEqual([
    { provided_id: id, name: "N", mapping: "{}", properties: '{"a":1,"b":2}', version: 3 },
  ]);
  expect(await actions(database, id)).toEqual(["created", "updated", "updated"]);
  const many = Array.from({ length: 120 }, (_, n) => ({ user_group_id: id, properties: { n } }));
  const changed = await results("merge", many);
  expect(changed.map(({ etag }) => etag)).toEqual(many.map((_, n) => expect.stringMatching(`-${n + 4}"$`)));
});

const frame = (body: Record<string, unknown>) => ({
  mode: "upsert",
  user_groups: [{ user_group_id: "never-made" }],
  ...body,
});

test("merge and upsert accept access_ends_at; the other modes refuse it", async ({ database }) => {
  const id = newId();
  const row = { user_group_id: id, access_ends_at: "2031-01-01T01:00:00+01:00" };
  expect(await outcomes("create", [row])).toEqual(["error"]);
  expect(await outcomes("upsert", [row, row])).toEqual(["created", "same"]);
  expect(await outcomes("update", [row, { user_group_id: id, name: "Kept" }])).toEqual(["error", "changed"]);
  const end = async () =>
    (await database.query("SELECT access_ends_at FROM user_group WHERE provided_id = $1", [id]))[0]?.access_ends_at;
  expect(await end()).toEqual(new Date("2031-01-01T00:00:00Z"));
  const never = { user_group_id: id, access_ends_at: null };
  expect(await outcomes("merge", [never, never, { user_group_id: id, access_ends_at: "soon" }])).toEqual([
    "changed",
    "same",
    "error",
  ]);
  expect(await end()).toBeNull();
});

test("a malformed batch is rejected as a whole", async ({ database, full: token }) => {
  const many = (count: number) => Array.from({ length: count }, () => ({ user_group_id: "never-made" }));
  const REFUSED: [body: unknown, status: number, code: string, issues?: object[]][] = [
    [frame({ user_groups: [] }), 422, "invalid_fields", [{ path: ["user_groups"] }]],
    [frame({ user_groups: many(501) }), 422, "invalid_fields", [{ path: ["user_groups"] }]],
    [frame({ user_groups: {} }), 422, "invalid_fields", [{ path: ["user_groups"] }]],
    [{ mode: "upsert" }, 422, "invalid_fields", [{ path: ["user_groups"] }]],
    [{ user_groups: many(1) }, 422, "invalid_fields", [{ path: ["mode"] }]],
    [frame({ mode: "replace" }), 422, "invalid_fields", [{ path: ["mode"] }]],
    [frame({ dry_run: "yes" }), 422, "invalid_fields", [{ path: ["dry_run"] }]],
    [frame({ dryrun: true }), 422, "invalid_fields", [{ path: ["dryrun"] }]],
    ["[]", 422, "invalid_fields"],
    ["{", 400, "invalid_json"],
    ["", 400, "body_missing"],
    ['{"mode":"upsert","user_groups":[{"user_group_id":"never-made"},]}', 400, "invalid_json"],
    ['{"mode":"upsert","user_groups":[{"user_group_id":"never-made"},{"a":1,"\\u0061":2}]}', 400, "invalid_json"],
    ['{"mode":"upsert","user_groups":[{"user_group_id":"never-made"}],"mode":"delete"}', 400, "invalid_json"],
    [
      Buffer.from('{"mode":"upsert","user_groups":[{"user_group_id":"never-made\xff"}]}', "latin1"),
      400,
      "invalid_json",
    ],
    [frame({ user_groups: ["x".repeat(4_194_304)] }), 413, "body_too_large"],
  ];
  await expectNothingChanged(database, "never-made", async () => {
    for (const [body, status, code, issues] of REFUSED) {
      const answer = await call("POST", "/api/user-groups/batch", { token, body });
      expectError(answer, status, code);
      if (issues) expect(answer.json.error.issues, answer.text).toMatchObject(issues);
    }
    const text = { "content-type": "text/plain" };
    expectError(await send("upsert", many(1), { token, headers: text }), 415, "unsupported_media_type");
    expectError(await send("upsert", many(1), { token: null }), 401, "unauthorized");
  });
  const place = '{"mode":"upsert",\n"user_groups":[{"user_group_id":"never-made"},\n {"a":1,"a":2}]}';
  const { json } = await call("POST", "/api/user-groups/batch", { token, body: place });
  expect(json.error.message).toContain("at line 3, column 9");
});

test("rows that are malformed or too large fail individually", async ({ database, full: token }) => {
  const stem = newId();
  const rows = [
    5,
    null,
    [],
    {},
    { user_group_id: 42 },
    { user_group_id: `${stem}-large`, properties: { a: "x".repeat(70_000) } },
    { user_group_id: `${stem}-huge`, properties: { a: "x".repeat(270_000) } },
    { user_group_id: `${stem}-fine` },
  ];
  const answer = await results("create", rows);
  expect(answer.map(({ outcome }) => outcome)).toEqual([...Array(7).fill("error"), "created"]);
  expect(answer.map(({ user_group_id }) => user_group_id)).toEqual([
    null,
    null,
    null,
    null,
    null,
    `${stem}-large`,
    null,
    `${stem}-fine`,
  ]);
  expect(answer[5]?.error?.issues).toMatchObject([{ path: ["user_groups", 5, "properties"] }]);
  expect(await outcomes("delete", [{ user_group_id: `${stem}-fine`, name: "x" }], { token })).toEqual(["error"]);
  const grown = { user_group_id: `${stem}-fine`, properties: { a: "x".repeat(40_000) } };
  const more = { user_group_id: `${stem}-fine`, properties: { b: "x".repeat(40_000) } };
  const merged = await results("merge", [grown, more]);
  expect(merged).toMatchObject([
    { outcome: "changed" },
    { outcome: "error", error: { code: "invalid_fields", issues: [{ path: ["user_groups", 1, "properties"] }] } },
  ]);
  expect(await stored(database, stem)).toMatchObject([{ version: 2 }]);
});

test("4 MiB are accepted but no more, and values are stored exactly", async ({ database, full: token }) => {
  const stem = newId();
  const text = '{"n":1.10,"e":1E2,"\\u0061":"é","__proto__":{"x":[]}}';
  const filler = `{"f":"${"y".repeat(60_000)}"}`;
  const groups = numbered(60, stem).map(
    ({ user_group_id }) => `{"user_group_id":"${user_group_id}","properties":${filler}}`,
  );
  groups[7] = `{"user_group_id":"${stem}-007", "mapping": ${text},"properties":${text}}`;
  const bodyWith = (space: string) => `{"mode":"create","user_groups":[${space}${groups.join(",\n")}]}`;
  const whole = bodyWith(" ".repeat(4_194_304 - Buffer.byteLength(bodyWith(""))));
  const answer = await call("POST", "/api/user-groups/batch", { token, body: whole });
  expect(answer.status, answer.text).toBe(200);
  expect(batchAnswer.parse(answer.json).results.every(({ outcome }) => outcome === "created")).toBe(true);
  const seventh = (await stored(database, `${stem}-007`))[0];
  expect(seventh).toMatchObject({ mapping: text, properties: text });
  expectError(await call("POST", "/api/user-groups/batch", { token, body: `${whole} ` }), 413, "body_too_large");
});

test("a dry run reports the outcomes and changes nothing", async ({ database, full: token }) => {
  const stem = newId();
  const { provided_id, team_id } = await createGroup({ user_group_id: `${stem}-there`, properties: { a: 1 } });
  const rows = [
    { user_group_id: provided_id, properties: { a: 1 } },
    { user_group_id: provided_id, properties: { b: 1 } },
    { user_group_id: provided_id, properties: { b: 1 } },
    { user_group_id: `${stem}-new` },
    { user_group_id: `${stem}-new` },
    { user_group_id: `${stem}-bad`, name: "" },
  ];
  await expectNothingChanged(database, stem, async () => {
    const headers = { "idempotency-key": randomUUID() };
    for (let time = 0; time < 2; time++) {
      const answer = await results("upsert", rows, { token, dry_run: true, headers });
      expect(answer.map(({ outcome }) => outcome)).toEqual(["same", "changed", "same", "created", "same", "error"]);
      expect(answer[0]).toEqual({ user_group_id: provided_id, outcome: "same", team_id, etag: `"${team_id}-1"` });
      expect(answer[3]).toEqual({ user_group_id: `${stem}-new`, outcome: "created" });
    }
    const removal = [{ user_group_id: provided_id }, { user_group_id: provided_id }];
    expect(await outcomes("delete", removal, { token, dry_run: true })).toEqual(["deleted", "error"]);
    // The real call can still use the key.
    expect(await database.query("SELECT FROM idempotency_key WHERE key = $1", [headers["idempotency-key"]])).toEqual(
      [],
    );
  });
});

test("with an Idempotency-Key it happens once, however many repeat it", async ({ database }) => {
  const stem = newId();
  const headers = { "idempotency-key": randomUUID() };
  const rows = [...numbered(150, stem), { user_group_id: "" }];
  const first = await results("create", rows, { headers });
  expect(first.filter(({ outcome }) => outcome === "created")).toHaveLength(150);
  expect(await results("create", rows, { headers })).toEqual(first);
  expect(await results("create", rows, { headers, service: 1 })).toEqual(first);
  expectError(await send("upsert", rows, { headers }), 409, "idempotency_conflict");
  expectError(await send("create", rows, { headers: { "idempotency-key": "é" } }), 422, "invalid_fields");
  expect(await actions(database, stem)).toHaveLength(150);
  const [kept] = await database.query(
    "SELECT encode(answer_sealed, 'escape') AS answer FROM idempotency_key WHERE key = $1",
    [headers["idempotency-key"]],
  );
  expect(String(kept?.answer)).not.toContain(stem);

  const together = { headers: { "idempotency-key": randomUUID() } };
  const racing = numbered(250, `${stem}-racing`);
  const four = await Promise.all(
    [0, 1, 0, 1].map((service) => results("create", racing, { ...together, service: service as 0 | 1 })),
  );
  for (const answer of four) expect(answer).toEqual(four[0]);
  expect(four[0]?.every(({ outcome }) => outcome === "created")).toBe(true);
  expect(await actions(database, `${stem}-racing`)).toHaveLength(250);
});

test("a retry finishes an interrupted call and repeats nothing", async ({ database, stage }) => {
  const token = await insertApiToken({ DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey });
  const stem = newId();
  const rows = numbered(250, stem, (n) => ({ name: `Name ${n}` }));
  await results("create", numbered(250, stem), { token });
  const headers = { "idempotency-key": randomUUID() };
  const held = `${stem}-240`;
  const lock = await holding(stage.databaseUrl, held);
  const first = await results("merge", rows, { token, headers });
  const undone = first.filter(({ outcome }) => outcome === "error");
  expect(undone.map(({ user_group_id }) => user_group_id)).toContain(held);
  expect(undone.every(({ error }) => error?.code === "unavailable")).toBe(true);
  expect(undone.length).toBeLessThan(250);
  await lock.release();
  const second = await results("merge", rows, { token, headers });
  expect(second.every(({ outcome }) => outcome === "changed")).toBe(true);
  const isDone = (_: unknown, index: number) => first[index]?.outcome === "changed";
  expect(second.filter(isDone)).toEqual(first.filter(isDone));
  expect(await stored(database, stem)).toMatchObject(rows.map(() => ({ version: 2 })));
});

test("64 concurrent batches that each merge a different member all take effect", { tag: "@release" }, async ({
  database,
  stage,
}) => {
  const { provided_id } = await createGroup({ properties: {} });
  const others = numbered(40, newId(), () => ({ properties: {} }));
  await results("create", others);
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const tokens = await Promise.all(Array.from({ length: 16 }, () => insertApiToken(settings)));
  const answers = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => {
      // Row order varies, but locks are always taken in the same order.
      const ids = [...others.map(({ user_group_id }) => user_group_id), provided_id];
      const rows = ids.slice(n % ids.length).concat(ids.slice(0, n % ids.length));
      const merge = rows.map((user_group_id) => ({ user_group_id, properties: { [`m${n}`]: n } }));
      const options: Sent = { token: tokens[n % 16] ?? null, service: n < 32 ? 0 : 1 };
      for (let left = merge; ; ) {
        const { status, text, json } = await send("merge", left, options);
        // When many wait for the same locks, some time out, partly or entirely.
        if (status === 503) continue;
        expect(status, text).toBe(200);
        const got = batchAnswer.parse(json).results;
        const undone = got.flatMap(({ outcome, error }, index) => {
          if (outcome === "error") expect(error?.code).toBe("unavailable");
          return outcome === "error" ? [left[index]] : [];
        });
        if (undone.length === 0) return got;
        left = undone as typeof left;
      }
    }),
  );
  expect(answers).toHaveLength(64);
  for (const id of [provided_id, others[0]?.user_group_id, others[39]?.user_group_id]) {
    const [row] = await stored(database, String(id));
    expect(Object.keys(JSON.parse(String(row?.properties))).toSorted()).toEqual(
      Array.from({ length: 64 }, (_, n) => `m${n}`).toSorted(),
    );
    expect(row?.version).toBe(65);
  }
});

test("batches that create the same groups in different orders do not deadlock, and create each group once", async ({
  database,
  stage,
}) => {
  const stem = newId();
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const tokens = await Promise.all(Array.from({ length: 4 }, () => insertApiToken(settings)));
  const rows = numbered(200, stem);
  const deadlocks = async () =>
    Number(
      (await database.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))[0]?.deadlocks,
    );
  const before = await deadlocks();
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      results("upsert", n % 2 ? rows : rows.toReversed(), { token: tokens[n % 4] ?? null, service: n < 4 ? 0 : 1 }),
    ),
  );
  const created = all.flat().filter(({ outcome }) => outcome === "created");
  expect(created).toHaveLength(200);
  expect(all.flat().filter(({ outcome }) => outcome === "same")).toHaveLength(7 * 200);
  expect(await actions(database, stem)).toEqual(rows.map(() => "created"));
  expect(await deadlocks()).toBe(before);
});

const SCOPES_BY_MODE: [mode: string, scopes: Scope[], missing: Scope][] = [
  ["merge", ["groups:create", "groups:delete"], "groups:write"],
  ["create", ["groups:write", "groups:delete"], "groups:create"],
  ["upsert", ["groups:write", "groups:delete"], "groups:create"],
  ["delete", ["groups:write", "groups:create"], "groups:delete"],
  ["delete", ["groups:delete"], "groups:write"],
];

for (const [mode, scopes, missing] of SCOPES_BY_MODE) {
  test(`${mode} with ${scopes.join(" ")} lacks ${missing}`, async ({ database }) => {
    const { provided_id } = await createGroup();
    const token = await scopedToken(...scopes);
    await expectNothingChanged(database, provided_id, async () => {
      const refused = await send(mode, [{ user_group_id: provided_id }], { token });
      expectError(refused, 403, "forbidden");
      expect(refused.json.error.message).toContain(missing);
    });
  });
}

test("each mode works with exactly its scopes, and for members by role", async ({ database }) => {
  const id = newId();
  const rows = [{ user_group_id: id, name: "New" }];
  const write = await scopedToken("groups:write");
  const create = await scopedToken("groups:write", "groups:create");
  expect(await outcomes("create", [{ user_group_id: id }], { token: create })).toEqual(["created"]);
  expect(await outcomes("update", rows, { token: write })).toEqual(["changed"]);
  expect(await outcomes("merge", rows, { token: write })).toEqual(["same"]);
  expect(await outcomes("upsert", rows, { token: create })).toEqual(["same"]);
  const remove = await scopedToken("groups:write", "groups:delete");
  expect(await outcomes("delete", [{ user_group_id: id }], { token: remove })).toEqual(["deleted"]);
  const admin = await adminClient(database);
  const body = { mode: "upsert", user_groups: rows };
  const made = await admin.send("POST", "/api/user-groups/batch", body);
  expect(made.json.results).toMatchObject([{ outcome: "created" }]);
  const [entry] = await database.query(
    "SELECT actor_name FROM audit_entry WHERE team_id = $1 ORDER BY id DESC LIMIT 1",
    [made.json.results[0].team_id],
  );
  expect(entry?.actor_name).toBe(admin.member.name);
  const large = { ...body, user_groups: numbered(20, id, () => ({ properties: { a: "x".repeat(60_000) } })) };
  const proxied = await admin.send("POST", "/api/user-groups/batch", large);
  expect(proxied.status, proxied.text).toBe(200);
  const viewer = await adminClient(database, "viewer");
  expectError(await viewer.send("POST", "/api/user-groups/batch", body), 403, "forbidden");
});

test("a token revoked midway changes nothing further, and the answer reports what was done", async ({
  database,
  stage,
}) => {
  const name = newId();
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const token = await insertApiToken(settings, { name });
  const stem = newId();
  await results("create", numbered(150, stem), { token });
  const lock = await holding(stage.databaseUrl, `${stem}-120`);
  const answered = results(
    "merge",
    numbered(150, stem, () => ({ name: "Changed" })),
    { token },
  );
  await lock.waited();
  await database.query("UPDATE api_token SET revoked_at = now() WHERE name = $1", [name]);
  await lock.release();
  const answer = await answered;
  expect(answer.slice(0, 100).every(({ outcome }) => outcome === "changed")).toBe(true);
  expect(answer.slice(100).every(({ error }) => error?.code === "unauthorized")).toBe(true);
  const changed = (await stored(database, stem)).filter((row) => row.name === "Changed");
  expect(changed).toHaveLength(100);
});

test("a token runs two batches at a time, and a third gets 429", async ({ stage }) => {
  const token = await insertApiToken({ DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey });
  const { provided_id } = await createGroup();
  const other = await createGroup();
  const lock = await holding(stage.databaseUrl, provided_id);
  const rows = [{ user_group_id: provided_id, name: "Held" }];
  const two = [send("merge", rows, { token }), send("merge", rows, { token })];
  await lock.waited(2);
  const third = await send("merge", [{ user_group_id: other.provided_id, name: "Third" }], { token });
  expectError(third, 429, "rate_limited");
  expect(third.headers["retry-after"]).toBe("1");
  // The token's other calls are answered, and so are other tokens' batches once there is room.
  expect((await call("GET", "/api/user", { token, body: { user_group_id: other.provided_id } })).status).toBe(200);
  await lock.release();
  for (const answer of await Promise.all(two)) expect(answer.status, answer.text).toBe(200);
  expect(await outcomes("merge", rows, { token })).toEqual(["same"]);
});
