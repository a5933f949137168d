import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { request } from "undici";
import { PRESETS } from "@/lib/db/scopes";
import { PROPERTY_TYPES } from "@/lib/definitions/value-types";
import { insertApiToken } from "../fixtures/api-token";
import { bruteForce, callerOf, type Found } from "../fixtures/findings";
import { test as base, expect, query } from "../fixtures/own-service";

const SECRET_KEY = "ab".repeat(32);
const SOON = { timeout: 60_000 };
/** More than are checked all at every change, and than a list of numbers is for. */
const MANY = 5_000;

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

/** Waits until the findings are those of a check of all groups; except `later`, which are compared once a minute. */
async function expectAll(calls: Caller, databaseUrl: string, later: string[] = []): Promise<Found> {
  const { findings } = await calls.current();
  const wanted = await bruteForce(databaseUrl);
  for (const id of later) delete wanted[id];
  const counts = Object.fromEntries(
    findings.filter(({ id }) => !later.includes(id)).map(({ id, count }) => [id, count]),
  );
  expect(counts).toEqual(Object.fromEntries(Object.entries(wanted).map(([id, { length }]) => [id, length])));
  return wanted;
}

const NAMES = [
  "plan",
  "Plan",
  "plam",
  "seat_count",
  "seatCount",
  "seats",
  "region",
  "regoin",
  "limit1",
  "limit2",
] as const;
const VALUES = [1, 2.5, "pro", "free", true, null, "2026-11-26", ["eu"], { a: 1 }] as const;

/** Definitions, mostly of the same names. */
const documents = fc.record({
  properties: fc.dictionary(
    fc.constantFrom("plan", "region", "seat_count", "note"),
    fc.oneof(
      fc.record({ type: fc.constantFrom(...PROPERTY_TYPES), required: fc.boolean() }),
      fc.constant({ type: "string", enum: ["pro", "basic"] }),
    ),
  ),
  unknown_properties: fc.constantFrom("allow", "refuse"),
  schemas: fc.constantFrom({}, { 40: { required: true }, 41: {} }),
  data_sources: fc.constantFrom({}, { 213: { schemas: ["40"] }, 214: {} }),
  enforcement: fc.constantFrom("off", "report", "report", "report"),
});
const schemaless = fc.constantFrom({ 213: {}, 214: {} }, {});
const groups = fc.record({
  name: fc.constantFrom(...Array.from({ length: 40 }, (_, n) => `Name ${n}`), "name 1", "NAME 2"),
  mapping: fc.dictionary(fc.constantFrom("40", "41", "42"), fc.constantFrom("213", "214", "215", 213)),
  properties: fc.option(
    fc.dictionary(
      fc.constantFrom("plan", "plan", "plan", "region", "seat_count", ...NAMES),
      fc.constantFrom(...VALUES),
    ),
  ),
});

test("findings are what a check of all groups says, after every change of definitions and groups", {
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

test("of many groups only the changed ones are checked again, and lists page exactly the groups with a finding", {
  tag: "@release",
}, async ({ place }) => {
  const { calls, settings } = place;
  const { DATABASE_URL } = settings;
  const define = (description: string) =>
    calls.define({
      properties: {
        plan: { type: "string", required: true, enum: ["free", "pro"] },
        region: { type: "string", description },
      },
      unknown_properties: "refuse",
      enforcement: "report",
    });
  await define("Where it is.");
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
  await expect.poll(async () => (await calls.findings()).groups, SOON).toBe(MANY);
  // The last pass may have begun before all of them were there, and be followed by another: this one is not.
  await define("Where its data is.");
  const first = await calls.current();
  // Names that 900 groups of a chunk have for themselves are found together, beyond some.
  expect(first.findings.find(({ id }) => id === "unknown_property")?.count).toBeGreaterThan(1_000);
  expect(first.findings.find(({ id }) => id === "near_duplicate.properties.regoin")).toMatchObject({
    ...{ count: 8, like: "region", message: "may be region, misspelled" },
  });

  const passes = () =>
    query(
      DATABASE_URL,
      "SELECT id, passed_at, changes FROM finding_state WHERE passed_at IS NOT NULL ORDER BY groups DESC",
    );
  const [before] = await passes();
  await calls.write("update", [
    { user_group_id: "many-0", properties: { plan: "pro" } },
    { user_group_id: "many-1", properties: null },
    { user_group_id: `many-${MANY - 1}`, properties: { plan: "pro", Region: "eu" } },
  ]);
  await calls.json("DELETE", "/api/user", { user_group_id: "many-3" });
  await calls.write("create", [{ user_group_id: "late", properties: { plan: "gold" } }]);
  const current = await calls.current();
  const [after] = await passes();
  expect(after).toMatchObject({ passed_at: before?.passed_at, changes: Number(before?.changes) + 5 });
  expect(current.findings.map(({ id }) => id)).toContain("near_duplicate.properties.Region");

  const wanted = await bruteForce(DATABASE_URL);
  const count = (id: string) => current.findings.find((finding) => finding.id === id)?.count;
  for (const id of ["missing.properties.plan", "wrong_type.properties.plan", "not_in_enum.properties.plan"]) {
    expect(count(id), id).toBe(wanted[id]?.length);
    expect(await calls.list({ finding: id })).toEqual(wanted[id]);
    expect(await calls.list({ finding: id, sort: "-team_id", limit: "37" })).toEqual(wanted[id]?.toReversed());
    expect((await calls.list({ finding: id, sort: "name", limit: "500" })).toSorted((a, b) => a - b)).toEqual(
      wanted[id],
    );
  }
  const total = await calls.json("GET", "/api/user-groups?finding=missing.properties.plan&limit=1");
  expect(total).toMatchObject({ total: wanted["missing.properties.plan"]?.length, total_is_exact: true });
  const both = await calls.list({
    finding: "not_in_enum.properties.plan",
    search: "many 12",
    filter: "region:missing",
  });
  const rows = await query<{ team_id: number }>(
    DATABASE_URL,
    "SELECT team_id FROM user_group WHERE name LIKE 'Many 12%' AND NOT properties::jsonb ? 'region' AND properties::jsonb -> 'plan' = '\"gold\"' ORDER BY 1",
  );
  expect(both).toEqual(rows.map(({ team_id }) => team_id));
  expect(both).toHaveLength(5);

  // More than are looked through one by one.
  await query(
    DATABASE_URL,
    `UPDATE group_finding SET team_ids = ARRAY (SELECT g.team_id FROM user_group g WHERE g.team_id >> 12 = chunk ORDER BY 1)
     WHERE kind = 'missing'`,
  );
  await query(
    DATABASE_URL,
    `INSERT INTO group_finding SELECT environment_id, 'missing', 'properties', 'plan', 9000, NULL, ARRAY (SELECT 40000000 + n FROM generate_series(1, 3000) n) FROM group_finding LIMIT 1 ON CONFLICT DO NOTHING`,
  );
  const all = await query<{ team_id: number }>(DATABASE_URL, "SELECT team_id FROM user_group ORDER BY 1");
  expect(await calls.list({ finding: "missing.properties.plan", limit: "500" })).toEqual(
    all.map(({ team_id }) => team_id),
  );

  const file = await calls.text("GET", "/api/user-groups/export?format=jsonl&finding=wrong_type.properties.plan");
  expect(file.trim().split("\n")).toHaveLength(wanted["wrong_type.properties.plan"]?.length ?? 0);
  const { statusCode, body } = await request(`${place.service.url}/api/user-groups?finding=plan`, {
    headers: { authorization: `Token ${place.token}` },
    reset: true,
  });
  expect([statusCode, await body.text()]).toEqual([422, expect.stringContaining("must be the id of a finding")]);
});

test("unused groups and equal names are found, and no longer when they change", async ({ place }) => {
  const { calls, settings } = place;
  const { DATABASE_URL } = settings;
  await calls.write("create", [
    { user_group_id: "a", name: "Acme" },
    { user_group_id: "b", name: "ACME" },
    { user_group_id: "c", name: "Other" },
  ]);
  await query(
    DATABASE_URL,
    "UPDATE user_group SET created_at = now() - interval '100 days' WHERE provided_id IN ('a', 'b')",
  );
  await query(
    DATABASE_URL,
    `UPDATE group_use SET last_used_at = CASE team_id % 2 WHEN 0 THEN now() - interval '91 days' ELSE '-infinity' END`,
  );
  await calls.json("PUT", "/api/user", { user_group_id: "c", name: "Third" });
  const found = await expectAll(calls, DATABASE_URL);
  expect(Object.keys(found).toSorted()).toEqual(["same_name", "unused"]);
  expect([found.unused?.length, found.same_name?.length]).toEqual([2, 2]);
  expect(await calls.list({ finding: "unused", sort: "-name" })).toHaveLength(2);

  const token = (await calls.json("GET", "/api/user", { user_group_id: "a" })).user_group.token;
  await calls.json("POST", "/api/viewer", { token });
  await calls.json("PUT", "/api/user", { user_group_id: "b", name: "Acme 2" });
  await expect
    .poll(
      async () =>
        (await query(DATABASE_URL, "SELECT FROM group_use WHERE last_used_at > now() - interval '1 day'")).length,
      SOON,
    )
    .toBe(1);
  await calls.json("PUT", "/api/user", { user_group_id: "c", name: "Fourth" });
  const { findings } = await calls.current();
  expect(findings).toMatchObject([
    { id: "unused", count: 1, member: null, name: null, message: "not used for 90 days" },
  ]);
});

test("an erased group leaves no finding behind", { tag: "@release" }, async ({ place }) => {
  const { calls, settings } = place;
  await calls.define({ properties: { plan: { type: "string", required: true } }, enforcement: "report" });
  await calls.write("create", [
    { user_group_id: "gone" },
    { user_group_id: "left" },
    { user_group_id: "one", properties: { plan: 1 } },
  ]);
  const found = await expectAll(calls, settings.DATABASE_URL);
  const [gone, left, one] = [
    found["missing.properties.plan"]?.[0],
    found["missing.properties.plan"]?.[1],
    found["wrong_type.properties.plan"]?.[0],
  ];
  const lists = () =>
    query(settings.DATABASE_URL, "SELECT kind, team_ids FROM group_finding WHERE kind <> 'same_name' ORDER BY kind");
  // The work on findings has no part in it.
  await query(settings.DATABASE_URL, "UPDATE finding_state SET next_at = now() + interval '30 minutes'");
  for (const [user_group_id, team_id] of [
    ["gone", gone],
    ["one", one],
  ]) {
    await calls.json("DELETE", "/api/user", { user_group_id });
    await calls.json("POST", "/api/user-groups/purge", { team_id });
  }
  expect(await lists()).toEqual([{ kind: "missing", team_ids: [left] }]);
  await query(settings.DATABASE_URL, "UPDATE finding_state SET next_at = NULL");
  await expectAll(calls, settings.DATABASE_URL);
});

/** Makes each write of a list take a while, and counts passes. */
const SLOW = `
  CREATE TABLE noted (version INT);
  GRANT ALL ON noted TO PUBLIC;
  CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
  CREATE TRIGGER slow AFTER INSERT ON group_finding FOR EACH STATEMENT EXECUTE FUNCTION slow();
  CREATE FUNCTION note_pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO noted VALUES (NEW.definitions_version); RETURN NULL; END $$;
  CREATE TRIGGER note_pass AFTER UPDATE ON finding_state FOR EACH ROW
    WHEN (NEW.passed_at IS DISTINCT FROM OLD.passed_at AND NEW.definitions_version > 0) EXECUTE FUNCTION note_pass()`;

const required = (...names: string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: "string", required: true }])),
  enforcement: "report",
});

test("of two instances one makes each pass, and one that is killed in a pass has a successor", {
  tag: "@release",
}, async ({ place, start }) => {
  const { calls, settings, service, token } = place;
  const { DATABASE_URL } = settings;
  const other = await start(settings);
  const others = callerOf(other.url, token);
  await calls.write(
    "create",
    Array.from({ length: MANY }, (_, n) => ({ user_group_id: `g-${n}`, properties: { [`p${n % 3}`]: "" } })),
  );
  await calls.current();
  await query(DATABASE_URL, SLOW);
  for (let version = 1; version <= 4; version++) {
    await calls.define(required(`p${version}`));
    await expectAll(others, DATABASE_URL);
    expect(await query(DATABASE_URL, "SELECT version FROM noted ORDER BY 1")).toEqual(
      Array.from({ length: version }, (_, n) => ({ version: n + 1 })),
    );
  }

  const holder = () =>
    query<{ leased_by: string | null }>(
      DATABASE_URL,
      "SELECT leased_by FROM finding_state WHERE leased_by IS NOT NULL",
    );
  await other.stop();
  await calls.define(required("p0", "p1"));
  await expect.poll(async () => (await holder()).length, SOON).toBe(1);
  await sleep(400);
  service.killGroup("SIGKILL");
  await service.exited;
  expect(await query(DATABASE_URL, "SELECT version FROM noted WHERE version = 5")).toEqual([]);
  const next = await start(settings);
  await expectAll(callerOf(next.url, token), DATABASE_URL);
});

test("after definitions change in the middle of a pass, findings are by the new ones", { tag: "@release" }, async ({
  place,
}) => {
  const { calls, settings } = place;
  await calls.write(
    "create",
    Array.from({ length: MANY }, (_, n) => ({ user_group_id: `g-${n}`, properties: { [`p${n % 3}`]: "" } })),
  );
  await calls.current();
  await query(settings.DATABASE_URL, SLOW);
  await calls.define(required("p0"));
  await sleep(1_300);
  await calls.define(required("p1", "p2"));
  const found = await expectAll(calls, settings.DATABASE_URL);
  expect(Object.keys(found).filter((id) => id.startsWith("missing"))).toEqual([
    "missing.properties.p1",
    "missing.properties.p2",
  ]);
  const { definitions_version } = await calls.findings();
  expect(definitions_version).toBe(2);
});
