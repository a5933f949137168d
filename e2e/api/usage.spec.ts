import { SCOPES } from "@/lib/authority/scopes";
import { adminClient, createEnvironment } from "../fixtures/admin-client";
import { call, createGroup, expect, expectError, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { scopedToken } from "../fixtures/scoped-token";
import { stage } from "../fixtures/stage";

/** Flushes happen every second; those of API tokens every ten. */
const SOON = { timeout: 20_000 };
const DAY_MS = 86_400_000;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
/** The date this many days from today. */
const day = (after: number) => dayOf(Date.now() + after * DAY_MS);
/** The first day of the month this many months from now. */
const month = (after: number) => {
  const now = new Date();
  return dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + after));
};

const ask = (token: string, service: 0 | 1 = 0) => call("POST", "/api/viewer", { body: { token }, service });
/** API tokens with all scopes, by environment. */
const tokens = new Map<string, Promise<string>>();
const tokenOf = (environment: string) => {
  const token = tokens.get(environment) ?? insertToken(environment);
  tokens.set(environment, token);
  return token;
};
const usage = async (query: string, environment = "testing") =>
  call("GET", `/api/usage?${query}`, { token: await tokenOf(environment) });
const listed = async (teamId: number) => {
  const { json } = await call("GET", `/api/user-groups?team_id=${teamId}`, { token: await tokenOf("testing") });
  return json.user_groups[0];
};
const rotate = async (token: string) =>
  (await call("POST", "/api/user", { body: { current_token: token } })).json.user_group.token;
const insertToken = (environment: string, name?: string) => {
  const { databaseUrl, secretKey } = stage();
  return insertApiToken(
    { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey },
    { environment, scopes: SCOPES, ...(name && { name }) },
  );
};

/** Checks of groups today and yesterday. */
async function checksOf(...teamIds: number[]): Promise<number[]> {
  const { json } = await usage(`by=user_group&from=${day(-1)}&team_id=${teamIds.join("&team_id=")}`);
  return json.user_groups.map(({ checks }: { checks: number }) => checks);
}

test("checks of active groups through two instances are counted once each", async () => {
  const [used, suspended, ended, unused] = await Promise.all([
    createGroup(),
    createGroup(),
    createGroup(),
    createGroup(),
  ]);
  const end = { user_group_id: ended.provided_id, access_ends_at: "2026-01-01T00:00:00Z" };
  await call("PATCH", "/api/user", { body: end });
  await call("POST", "/api/user-groups/suspend", { body: { user_group_id: suspended.provided_id } });
  const asked = [used, suspended, ended].flatMap(({ token }) => Array.from({ length: 50 }, () => token));
  await Promise.all(asked.map((token, n) => ask(token, n % 2 ? 1 : 0)));
  await ask("ugt_unknown");
  const numbers = [used, suspended, ended, unused].map(({ team_id }) => team_id);
  await expect.poll(() => checksOf(...numbers), SOON).toEqual([50, 0, 0, 0]);

  const { json } = await usage(`by=user_group&team_id=${unused.team_id}&team_id=${used.team_id}&team_id=2147483647`);
  expect(json).toMatchObject({ success: 1, from: day(-29), to: day(0), next_cursor: null });
  const none = Array(29).fill(0);
  const named = ({ team_id, provided_id, name }: typeof used) => ({ team_id, provided_id, name });
  // User group tokens name no viewer.
  const active_viewers = [...new Set([day(-29), day(0)].map((one) => one.slice(0, 7)))].map(() => 0);
  expect(json.user_groups).toEqual([
    { ...named(unused), checks: 0, days: [...none, 0], active_viewers },
    { ...named(used), checks: 50, days: [...none, 50], active_viewers },
  ]);
  const byDay = await usage(`team_id=${used.team_id}&from=${day(-1)}`);
  expect(byDay.json).toEqual({
    success: 1,
    from: day(-1),
    to: day(0),
    checks: 50,
    days: [
      { day: day(-1), checks: 0 },
      { day: day(0), checks: 50 },
    ],
  });
});

test("an environment's total has all its checks, and no others", async ({ stage }) => {
  const total = async (environment: string) => (await usage(`from=${day(0)}`, environment)).json.checks;
  const [here, there] = [await total("testing"), await total("production")];
  const group = await createGroup({}, { token: stage.tokens.production });
  for (let n = 0; n < 3; n++)
    await call("POST", "/api/viewer", { body: { token: group.token }, token: stage.tokens.production });
  await expect.poll(() => total("production"), SOON).toBeGreaterThanOrEqual(there + 3);
  expect(await total("testing")).toBeGreaterThanOrEqual(here);
  expect((await usage(`by=user_group&team_id=${group.team_id}`)).json.user_groups).toEqual([]);
});

test("the most used groups come first, across months and pages, for the requested days only", async ({ database }) => {
  const slug = await createEnvironment(database);
  // Group n was checked a thousand times on the first day of the last month, n times on its last day, and 7 n % 100
  // times since.
  const [first, last, now] = [month(-1), dayOf(Date.parse(month(0)) - DAY_MS), month(0)];
  const since = (n: number) => (7 * n) % 100;
  await database.query(
    `WITH made AS (
       INSERT INTO user_group (environment_id, provided_id, name, token_index, token_sealed)
       SELECT e.id, 'g' || n, 'G', sha256(convert_to($1 || n, 'UTF8')), '' FROM environment e, generate_series(1, 250) AS n
       WHERE slug = $1 RETURNING environment_id, team_id, substring(provided_id FROM 2)::int AS n
     )
     INSERT INTO group_use_month (month, team_id, environment_id, checks, size, days)
     SELECT $2::date, team_id, environment_id, 1000 + n, floor(log(2, 1000 + n)), 1000 || (array_fill(0, ARRAY[$4::int - 2]) || n) FROM made
     UNION ALL SELECT $3::date, team_id, environment_id, 7 * n % 100, floor(log(2, 7 * n % 100)), ARRAY[7 * n % 100]
     FROM made WHERE 7 * n % 100 > 0`,
    [slug, first, now, Number(last.slice(8))],
  );
  const walk = async (from: string, to: string) => {
    const groups: { provided_id: string; checks: number }[] = [];
    for (let cursor = ""; ; ) {
      const { status, text, json } = await usage(`by=user_group&from=${from}&to=${to}&limit=40${cursor}`, slug);
      expect(status, text).toBe(200);
      groups.push(...json.user_groups);
      if (json.next_cursor === null) break;
      cursor = `&cursor=${json.next_cursor}`;
    }
    return groups.map(({ provided_id, checks }) => [Number(provided_id.slice(1)), checks]);
  };
  const expected = (checks: (n: number) => number) =>
    Array.from({ length: 250 }, (_, index): [number, number] => [index + 1, checks(index + 1)])
      .filter(([, count]) => count > 0)
      .sort(([one, fewer], [other, more]) => more - fewer || one - other);
  expect(await walk(last, now)).toEqual(expected((n) => n + since(n)));
  expect(await walk(now, now)).toEqual(expected(since));
  expect(await walk(first, last)).toEqual(expected((n) => 1000 + n));
  const middle = dayOf(Date.parse(first) + DAY_MS);
  expect(await walk(middle, middle)).toEqual([]);
  const { json } = await usage(`by=user_group&from=${last}&to=${now}&limit=1`, slug);
  const other = await usage(`by=user_group&from=${first}&to=${now}&cursor=${json.next_cursor}`, slug);
  expect(expectError(other, 422, "invalid_fields").text).toContain("start at the first page");
});

test("a newly used group is ranked among thousands that were used for longer", async ({ database }) => {
  const slug = await createEnvironment(database);
  const [first, second, now] = [month(-1), month(0), month(1)];
  // The statistics know nothing of these groups.
  await database.query("ANALYZE user_group");
  await database.query("ANALYZE group_use_month");
  await database.query(
    `WITH made AS (
       INSERT INTO user_group (environment_id, provided_id, name, token_index, token_sealed)
       SELECT e.id, 'g' || n, 'G', sha256(convert_to($1 || n, 'UTF8')), '' FROM environment e, generate_series(1, 2501) AS n
       WHERE slug = $1 RETURNING environment_id, team_id, provided_id
     )
     INSERT INTO group_use_month (month, team_id, environment_id, checks, size, days)
     SELECT month, team_id, environment_id, 4, 2, '{4}'::int[] FROM made, unnest($2::date[]) AS month WHERE provided_id <> 'g2501'
     UNION ALL
     SELECT month, team_id, environment_id, 7, 2, '{7}' FROM made, unnest($3::date[]) AS month WHERE provided_id = 'g2501'`,
    [slug, [first, second], [second, now]],
  );
  // Over thirteen months, at most 4,615 groups are compared, counting each group once rather than per month.
  const { text, json } = await usage(`by=user_group&from=${month(-11)}&to=${now}&limit=1`, slug);
  expect(json.user_groups, text).toMatchObject([{ provided_id: "g2501", checks: 14 }]);
});

test("viewers of minted and checked tokens are counted once per group and month, through two instances", async ({
  database,
}) => {
  const [first, second] = await Promise.all([createGroup(), createGroup()]);
  const token = await tokenOf("testing");
  const mint = async ({ provided_id: user_group_id }: typeof first, viewer?: string, service: 0 | 1 = 0) => {
    const { status, text, json } = await call("POST", "/api/viewer-tokens", {
      token,
      service,
      body: { user_group_id, ...(viewer && { viewer }) },
    });
    expect(status, text).toBe(200);
    return json.viewer_token as string;
  };
  /** The viewers of this month and the previous one. */
  const viewersOf = async (...groups: (typeof first)[]) => {
    const teams = groups.map(({ team_id }) => `team_id=${team_id}`).join("&");
    const { json } = await usage(`by=user_group&from=${month(-1)}&${teams}`);
    return json.user_groups.map(({ active_viewers }: { active_viewers: number[] }) => active_viewers);
  };
  const [ada] = await Promise.all([
    mint(first, "ada@example.com"),
    ...Array.from({ length: 40 }, (_, n) => mint(first, `viewer ${n % 20}`, n % 2 ? 1 : 0)),
    mint(second, "ada@example.com", 1),
    mint(first),
  ]);
  for (const service of [0, 1] as const) expect((await ask(ada, service)).json.active).toBe(true);
  await expect
    .poll(() => viewersOf(first, second), SOON)
    .toEqual([
      [0, 21],
      [0, 1],
    ]);

  const stored = () => database.query("SELECT * FROM active_viewer WHERE team_id = $1", [first.team_id]);
  expect(await stored()).toHaveLength(21);
  expect(JSON.stringify(await stored())).not.toContain("ada");
  for (const table of ["active_viewer", "group_use_month"]) {
    await database.query(`UPDATE ${table} SET month = month - interval '1 month' WHERE team_id = $1 AND month = $2`, [
      first.team_id,
      month(0),
    ]);
  }
  expect(await viewersOf(first)).toEqual([[21, 0]]);
  await ask(ada, 1);
  await expect.poll(() => viewersOf(first), SOON).toEqual([[21, 1]]);
});

test("the first check of the current token is shown, and reset by a rotation", async () => {
  const group = await createGroup();
  expect(await listed(group.team_id)).toMatchObject({ token_last_used_at: null, token_first_used_at: null });
  const before = Date.now();
  await ask(group.token);
  await ask(group.token, 1);
  await expect.poll(async () => (await listed(group.team_id)).token_first_used_at, SOON).not.toBeNull();
  const { token_first_used_at: first } = await listed(group.team_id);
  expect(Date.parse(first)).toBeGreaterThan(before - 1_000);
  expect(Date.parse(first)).toBeLessThan(Date.now() + 1_000);
  const token = await rotate(group.token);
  // The old token is invalid for every caller.
  await ask(group.token);
  expect(await listed(group.team_id)).toMatchObject({ token_first_used_at: null });
  expect((await listed(group.team_id)).token_last_used_at).not.toBeNull();
  await ask(token, 1);
  await expect.poll(async () => (await listed(group.team_id)).token_first_used_at, SOON).not.toBeNull();
  expect((await listed(group.team_id)).token_first_used_at > first).toBe(true);
});

test("for some seconds, further checks of a token are not stored again", async ({ database }) => {
  const { team_id, token } = await createGroup();
  await ask(token);
  await expect.poll(async () => (await listed(team_id)).token_first_used_at, SOON).not.toBeNull();
  await database.query("UPDATE group_use SET last_used_at = '2026-01-01Z' WHERE team_id = $1", [team_id]);
  await ask(token);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await listed(team_id)).token_last_used_at).toBe("2026-01-01T00:00:00.000Z");
});

test("a check just before a rotation never counts for the new token, 20 times", { tag: "@release" }, async () => {
  const groups = await Promise.all(Array.from({ length: 20 }, () => createGroup()));
  await Promise.all(
    groups.map(async ({ token }, n) => {
      const asked = ask(token, n % 2 ? 1 : 0);
      await Promise.all([asked, rotate(token), ask(token)]);
    }),
  );
  const used = await createGroup();
  await ask(used.token);
  await ask(used.token, 1);
  await expect.poll(async () => (await listed(used.team_id)).token_first_used_at, SOON).not.toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const { team_id } of groups) expect((await listed(team_id)).token_first_used_at).toBeNull();
});

test("for groups used before first uses were recorded, the current token's last use counts", async ({ database }) => {
  const [used, rotated] = await Promise.all([createGroup(), createGroup()]);
  const change = "UPDATE group_use SET last_used_at = $2 WHERE team_id = $1";
  const at = new Date(Date.now() + 1_000).toISOString();
  await database.query(change, [used.team_id, at]);
  await database.query(change, [rotated.team_id, new Date(Date.now() - 60_000).toISOString()]);
  expect((await listed(used.team_id)).token_first_used_at).toBe(at);
  expect((await listed(rotated.team_id)).token_first_used_at).toBeNull();
  await ask(used.token);
  const stored = "SELECT first_used_of FROM group_use WHERE team_id = $1";
  await expect.poll(async () => (await database.query(stored, [used.team_id]))[0].first_used_of, SOON).not.toBeNull();
  expect((await listed(used.team_id)).token_first_used_at).toBe(at);
});

test("a deleted group keeps its usage, and an erased one has none, whatever is flushed later", {
  tag: "@release",
}, async ({ database }) => {
  const token = await scopedToken("groups:delete", "groups:purge");
  const remove = ({ provided_id }: { provided_id: string }) =>
    call("DELETE", "/api/user", { token, body: { user_group_id: provided_id } });
  const [restored, erased] = await Promise.all([createGroup(), createGroup()]);
  for (const group of [restored, erased]) await ask(group.token);
  await expect.poll(() => checksOf(restored.team_id, erased.team_id), SOON).toEqual([1, 1]);
  await ask(erased.token);
  for (const group of [restored, erased]) await remove(group);
  expect(await checksOf(restored.team_id)).toEqual([]);
  await call("POST", "/api/user-groups/restore", { token, body: { user_group_id: restored.provided_id } });
  expect(await checksOf(restored.team_id)).toEqual([1]);
  expect((await call("POST", "/api/user-groups/purge", { token, body: { team_id: erased.team_id } })).status).toBe(200);
  // The next flush of both services covers only existing groups.
  await ask(restored.token);
  await ask(restored.token, 1);
  await expect.poll(() => checksOf(restored.team_id), SOON).toEqual([3]);
  for (const table of ["group_use", "group_use_month"])
    expect(await database.query(`SELECT FROM ${table} WHERE team_id = $1`, [erased.team_id]), table).toEqual([]);
});

test("calls are counted by API token and day", { tag: "@release" }, async ({ database }) => {
  const slug = await createEnvironment(database);
  const [busy, idle] = [await insertToken(slug, "busy"), await insertToken(slug, "idle")];
  const id = async (name: string) =>
    (
      await database.query(
        "SELECT t.id FROM api_token t JOIN environment e ON e.id = environment_id WHERE slug = $1 AND t.name = $2",
        [slug, name],
      )
    )[0].id;
  const read = (service: 0 | 1) => call("GET", "/api/user-groups", { token: busy, service });
  await Promise.all(Array.from({ length: 30 }, (_, n) => read(n % 2 ? 1 : 0)));
  // Refused for its input, but still counted as a call.
  expectError(await call("GET", "/api/user-groups?limit=x", { token: busy }), 422, "invalid_fields");
  await database.query(
    `INSERT INTO api_token_use_month (month, api_token_id, days)
     SELECT date_trunc('month', d)::date, $1, array_fill(0::bigint, ARRAY[extract(day FROM d)::int - 1]) || array_fill(7::bigint, ARRAY[32 - extract(day FROM d)::int])
     FROM (SELECT $2::date AS d) AS day`,
    [await id("idle"), day(-29)],
  );
  const admin = (await adminClient(database)).in(slug);
  const callsOf = async (name: string): Promise<number[]> => {
    const { json } = await admin.get("api-tokens");
    return json.apiTokens.find((one: { name: string }) => one.name === name).calls.days;
  };
  const sum = (days: number[]) => days.reduce((total, count) => total + count, 0);
  await expect.poll(async () => sum(await callsOf("busy")), SOON).toBe(31);
  const days = await callsOf("busy");
  expect(days).toHaveLength(30);
  expect(sum(days.slice(-2))).toBe(31);
  expect((await callsOf("idle"))[0]).toBe(7);
  expect(idle).not.toBe(busy);
});

test("members read the usage of the current environment", async ({ database }) => {
  const group = await createGroup();
  await ask(group.token);
  await expect.poll(() => checksOf(group.team_id), SOON).toEqual([1]);
  const viewer = await adminClient(database, "viewer");
  const path = `/api/usage?by=user_group&team_id=${group.team_id}`;
  expect((await viewer.send("GET", path)).json.user_groups).toHaveLength(1);
  expect((await viewer.send("GET", path, undefined, "production")).json.user_groups).toEqual([]);
  expectError(await call("GET", path, { token: await scopedToken("viewers:ask") }), 403, "forbidden");
});

for (const [query, field, message] of [
  ["from=2026-1-1", "from", "must be a day"],
  ["to=2026-02-30", "to", "must be a day"],
  ["from=1999-12-31&to=2000-01-01", "from", "must be after 1999"],
  ["from=2026-11-02&to=2026-11-01", "from", "must not be after"],
  ["from=2025-01-01&to=2026-11-01", "from", "at most 395 days before"],
  ["by=month", "by", "must be day or user_group"],
  ["limit=10", "limit", "cannot be combined with by=day"],
  ["by=user_group&team_id=1&limit=10", "limit", "cannot be combined with team_id"],
  ["by=user_group&limit=101", "limit", "must be from 1 to 100"],
  ["by=user_group&cursor=x", "cursor", "start at the first page"],
  ["by=user_group&team_id=0", "team_id", "must be a whole number"],
  [`by=user_group&${Array(101).fill("team_id=1").join("&")}`, "team_id", "at most 100 times"],
  ["days=3", "days", "is not a known field"],
] as const) {
  test(`the usage query ${query.slice(0, 40)} is refused for ${field}`, async () => {
    const { json } = expectError(await usage(query), 422, "invalid_fields");
    expect(JSON.stringify(json.error.issues)).toContain(message);
    expect(json.error.issues[0].path[0]).toBe(field);
  });
}
