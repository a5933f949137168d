import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { request } from "undici";
import { PRESETS } from "@/lib/authority/scopes";
import { PROPERTY_TYPES } from "@/lib/definitions/value-types";
import { insertApiToken } from "../fixtures/api-token";
import { bruteForce, callerOf, type Found } from "../fixtures/findings";
import { test as base, expect, query } from "../fixtures/own-service";

const SECRET_KEY = "ab".repeat(32);
const SOON = { timeout: 60_000 };
/** More than a page of a check, and than a list scans at a time. */
const MANY = 5_500;

type Caller = ReturnType<typeof callerOf>;

interface Place {
  calls: Caller;
  token: string;
  settings: { DATABASE_URL: string; SECRET_KEY: string };
  service: { url: string; killGroup: (signal: NodeJS.Signals) => void; exited: Promise<unknown> };
}

const test = base.extend<{ place: Place }>({
  place: async ({ createDatabase, start }, use) => {
    const settings = { SECRET_KEY, DATABASE_URL: await createDatabase() };
    const service = await start(settings);
    const token = await insertApiToken(settings, { scopes: PRESETS.full });
    await use({ calls: callerOf(service.url, token), token, settings, service });
  },
});

/** Checks all groups: counts and lists match a check of each group. */
async function expectAll(calls: Caller, databaseUrl: string): Promise<Found> {
  const { findings } = await calls.current(databaseUrl);
  const wanted = await bruteForce(databaseUrl);
  expect(Object.fromEntries(findings.map(({ filter, count }) => [filter, count]))).toEqual(
    Object.fromEntries(Object.entries(wanted).map(([filter, { length }]) => [filter, length])),
  );
  for (const [filter, ids] of Object.entries(wanted)) expect(await calls.list({ filter }), filter).toEqual(ids);
  return wanted;
}

const NAMES = [
  "plan",
  "Plan",
  "PLAN",
  "plam",
  "seat_count",
  "seatCount",
  "seats",
  "region",
  "regoin",
  "rejoins",
  "limit1",
  "limit2",
] as const;
const VALUES = [
  1,
  2.5,
  1e15,
  -0.5,
  "pro",
  "free",
  "",
  true,
  null,
  { a: 1 },
  {},
  "2026-11-26",
  "2026-02-29",
  "2024-02-29",
  "1900-02-29",
  "2000-02-29",
  "0000-01-01",
  "2026-04-31",
  "２０２６-11-26",
  ["eu"],
  [],
  [1, 2.5],
  [true],
  [null],
  ["2026-11-26", "2026-13-01"],
  ["pro", "free"],
  [["pro"]],
];

/** Definitions, mostly with the same names. */
const documents = fc.record({
  properties: fc.dictionary(
    fc.constantFrom("plan", "region", "seat_count", "note"),
    fc.oneof(
      fc.record({ type: fc.constantFrom(...PROPERTY_TYPES), required: fc.boolean() }),
      fc.constant({ type: "string", enum: ["pro", "basic"] }),
      fc.constant({ type: "number", enum: [1, 2.5] }),
      fc.constant({ type: "string[]", enum: ["pro", "eu"] }),
      fc.constant({ type: "any", enum: ["pro", 1, true] }),
    ),
  ),
  unknown_properties: fc.constantFrom("allow", "refuse"),
  schemas: fc.constantFrom({}, { 40: { required: true }, 41: {} }),
  data_sources: fc.constantFrom({}, { 213: { schemas: ["40"], provided_id: "215" }, 214: { provided_id: "213" } }),
  enforcement: fc.constantFrom("off", "report", "report", "report"),
});
const schemaless = fc.constantFrom({ 213: {}, 214: {} }, {});
const groups = fc.record({
  name: fc.constantFrom(...Array.from({ length: 40 }, (_, n) => `Name ${n}`), "name 1", "NAME 2"),
  mapping: fc.dictionary(
    fc.constantFrom("40", "41", "42"),
    fc.constantFrom("213", "214", "215", 213, null, true, { a: 1 }),
  ),
  properties: fc.option(
    fc.dictionary(
      fc.constantFrom("plan", "plan", "plan", "region", "seat_count", ...NAMES),
      fc.constantFrom(...VALUES),
    ),
  ),
});

test("for any definitions and groups, findings match a check of each group, and lists have exactly those groups", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, settings } = place;
  const generate = (seed: number, count: number) =>
    fc.sample(groups, { seed, numRuns: count }).map((group, n) => ({ user_group_id: `g-${seed}-${n}`, ...group }));
  await calls.write("create", generate(1, 200));
  await expectAll(calls, settings.DATABASE_URL);
  for (const [round, document] of fc.sample(documents, { seed: 7, numRuns: 8 }).entries()) {
    const known =
      Object.keys(document.schemas).length > 0 ? document : { ...document, data_sources: fc.sample(schemaless, 1)[0] };
    await calls.define(known);
    await expectAll(calls, settings.DATABASE_URL);
    await calls.write("create", generate(10 + round, 30));
    await calls.write(
      "update",
      generate(100 + round, 20).map((group, n) => ({ ...group, user_group_id: `g-1-${n + round}` })),
    );
    await calls.json("DELETE", "/api/user", { user_group_id: `g-10-${round}` });
    await expectAll(calls, settings.DATABASE_URL);
  }
});

test("lists page exactly the groups with a finding: in every order, with other filters, and as a file", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, settings } = place;
  const { DATABASE_URL } = settings;
  await calls.define({
    properties: { plan: { type: "string", required: true, enum: ["free", "pro"] }, region: { type: "string" } },
    unknown_properties: "refuse",
    enforcement: "report",
  });
  const plans = ["free", "pro", "gold", 7, null];
  await calls.write(
    "create",
    Array.from({ length: MANY }, (_, n) => ({
      user_group_id: `many-${n}`,
      name: `Many ${n % 1_000}`,
      properties: {
        plan: plans[n % 5],
        ...(n % 3 ? { region: "eu" } : {}),
        ...(n % 700 ? {} : { regoin: "eu" }),
        [`own-${n % 900}`]: 1,
      },
    })),
  );
  const { findings, groups, days } = await calls.current(DATABASE_URL);
  expect(groups).toBe(MANY);
  expect(days).toEqual([{ day: new Date().toISOString().slice(0, 10), groups: MANY }]);
  // Beyond some number, names unique to a group are reported together.
  const names = findings.filter(({ kind, name }) => kind === "unknown_property" && name !== null);
  expect(names).toHaveLength(100);
  expect(findings.find(({ filter }) => filter === "unknown_property")?.count).toBe(MANY);
  expect(findings.find(({ filter }) => filter === "regoin:unknown_property")).toMatchObject({
    count: 8,
    like: "region",
    message: "may be region, misspelled",
  });

  const wanted = await bruteForce(DATABASE_URL);
  for (const filter of [
    "plan:missing",
    "plan:wrong_type",
    "plan:not_in_enum",
    "regoin:unknown_property",
    "same_name",
  ]) {
    const ids = wanted[filter] ?? [];
    expect(findings.find((finding) => finding.filter === filter)?.count, filter).toBe(ids.length);
    expect(await calls.list({ filter })).toEqual(ids);
    expect(await calls.list({ filter, sort: "-team_id", limit: "37" })).toEqual(ids.toReversed());
    expect((await calls.list({ filter, sort: "name", limit: "500" })).toSorted((a, b) => a - b)).toEqual(ids);
    const file = await calls.text("GET", `/api/user-groups/export?format=jsonl&filter=${filter}`);
    expect(file.trim().split("\n")).toHaveLength(ids.length);
  }
  const both = new URLSearchParams({ filter: "plan:not_in_enum", search: "many 12", limit: "500" });
  both.append("filter", "region:missing");
  const page = await calls.json("GET", `/api/user-groups?${both}`);
  const rows = await query<{ team_id: number }>(
    DATABASE_URL,
    "SELECT team_id FROM user_group WHERE name LIKE 'Many 12%' AND NOT properties::jsonb ? 'region' AND properties::jsonb -> 'plan' = '\"gold\"' ORDER BY 1",
  );
  expect(page.user_groups.map(({ team_id }: { team_id: number }) => team_id)).toEqual(
    rows.map(({ team_id }) => team_id),
  );
  expect(rows.length).toBeGreaterThan(3);

  const { statusCode, body } = await request(`${place.service.url}/api/user-groups?filter=plan:unused`, {
    headers: { authorization: `Token ${place.token}` },
    reset: true,
  });
  expect([statusCode, await body.text()]).toEqual([422, expect.stringContaining("as in plan:missing or unused")]);
});

test("unused groups, equal names and look-alike ids are found, and no longer once they change", async ({ place }) => {
  const { calls, settings } = place;
  const { DATABASE_URL } = settings;
  await calls.write("create", [
    { user_group_id: "a", name: "Acme" },
    { user_group_id: "b", name: "ACME" },
    { user_group_id: "c", name: "Other" },
    ...["acme", "Acme", "ac\u200dme", "\uff41cme", "caf\u00e9", "cafe\u0301", "acme2"].map((user_group_id, n) => ({
      user_group_id,
      name: `Name ${n}`,
    })),
  ]);
  await query(
    DATABASE_URL,
    "UPDATE user_group SET created_at = now() - interval '100 days' WHERE provided_id IN ('a', 'b')",
  );
  await query(
    DATABASE_URL,
    `UPDATE group_use SET last_used_at = CASE team_id % 2 WHEN 0 THEN now() - interval '91 days' ELSE '-infinity' END`,
  );
  const found = await expectAll(calls, DATABASE_URL);
  expect(Object.fromEntries(Object.entries(found).map(([filter, { length }]) => [filter, length]))).toEqual({
    unused: 2,
    same_name: 2,
    look_alike_id: 6,
  });
  expect(await calls.list({ filter: "unused", sort: "-name" })).toHaveLength(2);

  const token = (await calls.json("GET", "/api/user", { user_group_id: "a" })).user_group.token;
  await calls.json("POST", "/api/viewer", { token });
  await calls.json("PUT", "/api/user", { user_group_id: "b", name: "Acme 2" });
  for (const user_group_id of ["Acme", "ac\u200dme", "\uff41cme", "cafe\u0301"]) {
    await calls.json("DELETE", "/api/user", { user_group_id });
  }
  const used = "SELECT FROM group_use WHERE last_used_at > now() - interval '1 day'";
  await expect.poll(async () => (await query(DATABASE_URL, used)).length, SOON).toBe(1);
  const { findings } = await calls.current(DATABASE_URL);
  expect(findings).toMatchObject([
    { filter: "unused", count: 1, member: null, name: null, message: "not used for 90 days" },
  ]);
});

const required = (...names: string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: "string", required: true }])),
  enforcement: "report",
});

test("groups are checked after a change of definitions, hourly, and by another process after one has died", {
  tag: "@release",
}, async ({ place, start }) => {
  const { calls, settings, token } = place;
  const { DATABASE_URL } = settings;
  const others = callerOf((await start(settings)).url, token);
  const checks = `
    CREATE TABLE noted (version INT);
    GRANT ALL ON noted TO PUBLIC;
    CREATE FUNCTION note_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO noted VALUES (NEW.definitions_version); RETURN NULL; END $$;
    CREATE TRIGGER note_check AFTER UPDATE ON findings FOR EACH ROW
      WHEN (NEW.checked_at IS DISTINCT FROM OLD.checked_at AND NEW.definitions_version > 0) EXECUTE FUNCTION note_check()`;
  await calls.write(
    "create",
    Array.from({ length: MANY }, (_, n) => ({ user_group_id: `g-${n}`, properties: { [`p${n % 3}`]: "" } })),
  );
  await calls.current(DATABASE_URL);
  await query(DATABASE_URL, checks);
  const settledAt = async (version: number) => {
    await expect
      .poll(async () => {
        const { is_current, definitions_version } = await others.findings();
        return is_current && definitions_version === version;
      }, SOON)
      .toBe(true);
    return others.findings();
  };
  const noted = async () => (await query<{ version: number }>(DATABASE_URL, "SELECT version FROM noted")).length;
  for (let version = 1; version <= 3; version++) {
    await calls.define(required(`p${version}`));
    const { findings } = await settledAt(version);
    expect(findings.map(({ filter }) => filter)).toContain(`p${version}:missing`);
  }
  // One of two instances checks, and once.
  expect(await noted()).toBe(3);

  await query(DATABASE_URL, "UPDATE findings SET next_at = now() + interval '2 seconds', claimed_until = NULL");
  await expect.poll(noted, SOON).toBe(4);
  // The state left by a process killed during a check.
  await query(
    DATABASE_URL,
    "UPDATE findings SET next_at = now() + interval '1 hour', claimed_until = now() + interval '5 seconds'",
  );
  expect((await calls.findings()).is_current).toBe(false);
  await sleep(2_500);
  expect(await noted()).toBe(4);
  await expect.poll(noted, SOON).toBe(5);

  // One figure a day.
  await query(
    DATABASE_URL,
    `UPDATE findings SET result = jsonb_set(result::jsonb, '{days}', '[{"day":"2026-01-01","groups":7}]')::text WHERE result IS NOT NULL`,
  );
  await calls.current(DATABASE_URL);
  expect((await calls.current(DATABASE_URL)).days).toEqual([
    { day: "2026-01-01", groups: 7 },
    { day: new Date().toISOString().slice(0, 10), groups: MANY },
  ]);
});
