import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { SCOPES, type Scope } from "@/lib/authority/scopes";
import { eventsAnswer } from "@/lib/events/schema";
import { adminClient, createEnvironment, makeGroup, type Query, written } from "../fixtures/admin-client";
import { call, createGroup, type Database, expect, expectError, newId, type Response, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { loseHistory } from "../fixtures/feed";
import { holdingLock } from "../fixtures/hold";
import { stage } from "../fixtures/stage";

type Page = z.infer<typeof eventsAnswer>;
type Event = Page["events"][number];

/** The feed of an environment unique to this test, and its API token. */
async function newFeed(database: Database) {
  const environment = await createEnvironment(database);
  const token = await tokenOf(environment, SCOPES);
  return { environment, ...feedOf(token) };
}

function tokenOf(environment: string, scopes: readonly Scope[]) {
  const { databaseUrl, secretKey } = stage();
  return insertApiToken({ DATABASE_URL: databaseUrl, SECRET_KEY: secretKey }, { environment, scopes });
}

function feedOf(token: string) {
  const ask = (query: Query = {}): Promise<Response> => call("GET", `/api/events${written(query)}`, { token });
  const page = async (query: Query = {}): Promise<Page> => {
    const response = await ask(query);
    expect(response.status, response.text).toBe(200);
    return eventsAnswer.parse(response.json);
  };
  /** Reads until it has this many events, as other tests' transactions delay the feed. */
  const read = async (count: number, query: Query = {}): Promise<{ events: Event[]; cursor: string }> => {
    const events: Event[] = [];
    let after = query.after;
    for (const end = Date.now() + 30_000; Date.now() < end && events.length < count; ) {
      const next = await page({ ...query, ...(after !== undefined && { after }), wait: 1 });
      events.push(...next.events);
      after = next.next_cursor;
    }
    expect(events, JSON.stringify(events)).toHaveLength(count);
    return { events, cursor: String(after) };
  };
  return { token, ask, page, read };
}

const types = (events: Event[]) => events.map(({ type }) => type.replace("user_group.", ""));

/** History entries as earlier and later releases may write them. */
const insertEntries = (database: Database, environment: string, count: number, values: string) =>
  database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, before, after)
     SELECT e.id, ${values} FROM environment e, generate_series(1, $2) n WHERE slug = $1`,
    [environment, count],
  );

test("the feed shows who changed what, oldest first, without values and tokens", async ({ database }) => {
  const { token, ask, read } = await newFeed(database);
  const id = newId();
  const group = await createGroup({ user_group_id: id, properties: { plan: "secret plan" } }, { token });
  const named = { user_group_id: id };
  await call("PUT", "/api/user", { token, body: { ...named, name: "Renamed", mapping: { 1: "2" } } });
  await call("PATCH", "/api/user", { token, body: { ...named, access_ends_at: "2099-01-01T00:00:00Z" } });
  await call("POST", "/api/user", { token, body: { current_token: group.token } });
  await call("POST", "/api/user-groups/suspend", { token, body: { ...named, reason: "unpaid" } });
  await call("DELETE", "/api/user", { token, body: named });
  const { events } = await read(6);
  expect(types(events)).toEqual(["created", "updated", "updated", "token_rotated", "suspended", "deleted"]);
  expect(events.map(({ data }) => data.changed.toSorted())).toEqual([
    [],
    ["mapping", "name"],
    ["access_ends_at"],
    ["token"],
    ["reason", "state"],
    [],
  ]);
  const subject = { team_id: group.team_id, provided_id: id };
  expect(events.map(({ data: { team_id, provided_id } }) => ({ team_id, provided_id }))).toEqual(
    Array(6).fill(subject),
  );
  // The state at each event; for the suspension, the last known.
  expect(events.map(({ data }) => data.name)).toEqual([id, ...Array(5).fill("Renamed")]);
  const history = await database.query("SELECT id, at, request_id FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(events.map(({ id, at, request_id }) => ({ id, at, request_id }))).toEqual(
    history.map(({ id, at, request_id }) => ({ id, at: at.toISOString(), request_id })),
  );
  expect(events[0]?.actor).toEqual({ type: "api_token", id: expect.stringMatching(/^\d+$/), name: "e2e" });
  const { text } = await ask();
  expect(text).not.toContain("secret plan");
  expect(text).not.toContain("fingerprint");
});

test("include=states adds values before and after, for callers who may read groups", async ({ database }) => {
  const { environment, token, read } = await newFeed(database);
  const { provided_id: id } = await createGroup({ properties: { n: 1 } }, { token });
  await call("PUT", "/api/user", { token, body: { user_group_id: id, properties: null } });
  const { events } = await read(2, { include: "states" });
  const first = { provided_id: id, name: id, mapping: {}, properties: { n: 1 } };
  expect(events.map(({ data: { before, after } }) => ({ before, after }))).toEqual([
    { before: null, after: first },
    { before: first, after: { ...first, properties: null } },
  ]);
  const eventsOnly = feedOf(await tokenOf(environment, ["events:read"]));
  expect((await eventsOnly.read(2)).events[0]?.data).not.toHaveProperty("after");
  const refused = expectError(await eventsOnly.ask({ include: "states" }), 403, "forbidden");
  expect(refused.json.error.message).toContain("groups:read");
  expectError(await feedOf(await tokenOf(environment, ["groups:read"])).ask(), 403, "forbidden");
});

test("the deepest claims that a template may have do not end the feed", async ({ database }) => {
  const { token, read } = await newFeed(database);
  const claims = JSON.parse(`${'{"a":'.repeat(29)}1${"}".repeat(29)}`);
  const set = await call("PUT", "/api/viewer-settings", { token, body: { templates: { deep: { claims } } } });
  expect(set.status, set.text).toBe(200);
  const { events } = await read(1, { include: "states" });
  expect(events[0]).toMatchObject({ type: "environment.viewer_settings_changed", data: { changed: ["settings"] } });
  expect(events[0]?.data.after).toMatchObject({ settings: { templates: { deep: { claims } } } });
});

test("the feed is in transaction order: later events wait for a running transaction", async ({ database }) => {
  const { environment, token, page, read } = await newFeed(database);
  const [{ id: environmentId }] = await database.query("SELECT id FROM environment WHERE slug = $1", [environment]);
  await createGroup({}, { token });
  const { cursor } = await read(1);
  const early = await holdingLock(
    stage().databaseUrl,
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name)
     VALUES ($1, 'user_groups.exported', 'operator', 'early') RETURNING pg_backend_pid() AS pid, id`,
    environmentId,
  );
  await createGroup({}, { token });
  expect(await page({ after: cursor })).toMatchObject({ events: [], next_cursor: cursor, caught_up: true });
  await early.commit();
  const { events } = await read(2, { after: cursor });
  expect(events.map(({ type }) => type)).toEqual(["user_groups.exported", "user_group.created"]);
  expect(await page({ after: (await page()).next_cursor })).toMatchObject({ events: [], caught_up: true });
});

test("types selects events by name or by the part before the dot", async ({ database }) => {
  const { environment, token, page, read } = await newFeed(database);
  const { provided_id: id, token: current } = await createGroup({}, { token });
  await call("POST", "/api/user", { token, body: { current_token: current } });
  await call("PUT", "/api/user", { token, body: { user_group_id: id, name: "Renamed" } });
  await insertEntries(
    database,
    environment,
    1,
    "'environment.updated', 'operator', 'e2e', '{\"name\":\"A\"}', '{\"name\":\"B\"}'",
  );
  await read(4);
  const found = async (types: string | string[]) => (await page({ types })).events.map(({ type }) => type);
  expect(await found("user_group.updated")).toEqual(["user_group.updated"]);
  expect(await found("user_group.*")).toHaveLength(3);
  expect(await found(["environment.*", "user_group.created"])).toEqual(["user_group.created", "environment.updated"]);
  expect(await found("user_groups.*")).toEqual([]);
  const { events } = await page({ types: "environment.*" });
  expect(events[0]?.data).toEqual({ team_id: null, provided_id: null, name: "B", changed: ["name"] });
  for (const unknown of [
    "user_group",
    "user_group.",
    "*",
    "user_group.up*",
    "nobody.*",
    "user_group.*.x",
    "user_group.gone",
  ]) {
    const refused = expectError(await feedOf(token).ask({ types: unknown }), 422, "invalid_fields");
    expect(refused.json.error.issues[0].path[0]).toBe("types");
  }
});

test("a search for rare types continues page by page, and a wait skips other types", async ({ database }) => {
  const { environment, token, page, read } = await newFeed(database);
  await insertEntries(database, environment, 5_200, "'user_groups.exported', 'operator', 'e2e', NULL, NULL");
  const rare = { types: "user_group.created" };
  await createGroup({}, { token });
  await read(1, { ...rare });
  const first = await page(rare);
  expect(first).toMatchObject({ events: [], caught_up: false });
  const second = await page({ ...rare, after: first.next_cursor });
  expect(types(second.events)).toEqual(["created"]);
  expect(second.caught_up).toBe(true);
  const waiting = page({ ...rare, after: second.next_cursor, wait: 30 });
  await insertEntries(database, environment, 3, "'user_groups.exported', 'operator', 'e2e', NULL, NULL");
  await createGroup({}, { token });
  expect(types((await waiting).events)).toEqual(["created"]);
});

test("pages end at their limit, or earlier with large entries; each event comes once", async ({ database }) => {
  const { environment, page } = await newFeed(database);
  const large = `'{"text":"' || repeat('x', 300000) || '"}'`;
  await insertEntries(database, environment, 40, `'environment.updated', 'operator', n::text, '{}', ${large}`);
  await expect.poll(async () => (await page({ limit: 1 })).events.length).toBe(1);
  const names: string[] = [];
  const sizes: number[] = [];
  let next: Page | undefined;
  do {
    next = await page({ limit: 20, include: "states", ...(next && { after: next.next_cursor }) });
    names.push(...next.events.map(({ actor }) => actor.name));
    sizes.push(next.events.length);
  } while (!next.caught_up);
  expect(names).toEqual(Array.from({ length: 40 }, (_, n) => String(n + 1)));
  expect(sizes).toEqual([13, 13, 13, 1]);
});

test("a cursor belongs to one feed, and fails once its event is gone", async ({ database }) => {
  const { token, ask, page, read } = await newFeed(database);
  const other = await newFeed(database);
  expect(await page()).toMatchObject({ events: [], caught_up: true });
  const beginning = (await page({ after: "latest" })).next_cursor;
  const { team_id } = await createGroup({}, { token });
  await createGroup({}, { token });
  const { cursor } = await read(2, { after: beginning });
  const { next_cursor: first } = await page({ limit: 1 });
  for (const wrong of ["x", "", cursor.slice(1), `${cursor.slice(0, -2)}AA`, cursor.toLowerCase(), "a".repeat(256)]) {
    const refused = expectError(await ask({ after: wrong }), 422, "invalid_fields");
    expect(refused.json.error.issues[0].path).toEqual(["after"]);
  }
  expectError(await other.ask({ after: cursor }), 422, "invalid_fields");
  for (const [name, value] of [
    ["limit", "0"],
    ["limit", "501"],
    ["limit", "1e2"],
    ["wait", "31"],
    ["wait", "-1"],
    ["wait", "1.5"],
    ["include", "all"],
    ["since", "x"],
  ] as const) {
    expectError(await ask({ [name]: value }), 422, "invalid_fields");
  }
  await loseHistory(database, team_id);
  const gone = expectError(await ask({ after: first }), 410, "cursor_gone");
  expect(gone.json.error.message).toContain("after=latest");
  expect((await page({ after: beginning })).events).toHaveLength(1);
  expect((await page({ after: cursor })).events).toEqual([]);
});

test("a wait ends with the first event, or empty after its timeout", async ({ database }) => {
  const { token, page } = await newFeed(database);
  const { next_cursor: after } = await page({ after: "latest" });
  expect(await page({ after, wait: 1 })).toEqual({ success: 1, events: [], next_cursor: after, caught_up: true });
  const waiting = [1, 2, 3].map(() => page({ after, wait: 30 }));
  const { provided_id } = await createGroup({}, { token });
  for (const { events } of await Promise.all(waiting)) {
    expect(events.map(({ data }) => data.provided_id)).toEqual([provided_id]);
  }
});

test("waiting calls are limited by caller, and do not block other callers", async ({ database }) => {
  const { environment, token, ask, read } = await newFeed(database);
  await createGroup({}, { token });
  const { cursor: after } = await read(1);
  const answers = Array.from({ length: 9 }, () => ask({ after, wait: 20 }));
  const refused = expectError(await Promise.race(answers), 429, "rate_limited");
  expect(refused.headers["retry-after"]).toBe("1");
  // Refused before any event is read.
  expectError(await ask({ wait: 1 }), 429, "rate_limited");
  expect((await ask()).json.events).toHaveLength(1);
  const other = feedOf(await tokenOf(environment, ["events:read"]));
  const waiting = other.page({ after, wait: 20 });
  await createGroup({}, { token });
  expect((await waiting).events).toHaveLength(1);
  expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([...Array(8).fill(200), 429]);
});

test("a waiting call ends with its connection, for programs and members", { tag: "@release" }, async ({ database }) => {
  const { environment, token, ask } = await newFeed(database);
  const { cookie } = await adminClient(database, "viewer", environment);
  const { next_cursor: after } = (await ask({ after: "latest" })).json;
  for (const headers of [{ authorization: `Token ${token}` }, { cookie, "x-environment": environment }]) {
    const gone = new AbortController();
    const wait = (seconds: number, signal?: AbortSignal) =>
      fetch(`${stage().urls[0]}/api/events${written({ after, wait: seconds })}`, {
        headers,
        ...(signal && { signal }),
      });
    const waiting = Array.from({ length: 9 }, () => wait(30, gone.signal));
    expect((await Promise.race(waiting)).status).toBe(429);
    gone.abort();
    await Promise.allSettled(waiting);
    await expect.poll(async () => (await wait(1)).status).toBe(200);
  }
});

test("a waiting call that loses its authority is refused when an event arrives", async ({ database }) => {
  const { environment, ask } = await newFeed(database);
  const revoked = feedOf(await tokenOf(environment, ["events:read"]));
  const altered = feedOf(await tokenOf(environment, ["events:read", "groups:read"]));
  const admin = await adminClient(database, "admin", environment);
  const body = { name: newId(), scopes: ["events:read"], expiresAt: null };
  const { token: networked, apiToken } = (await admin.post("api-tokens", body)).json;
  const untouched = feedOf(await tokenOf(environment, ["events:read", "tokens:read"]));
  const viewer = await adminClient(database, "viewer", environment);
  const headers = { cookie: viewer.cookie, "x-environment": environment };
  const { next_cursor: after } = (await ask({ after: "latest" })).json;
  const waiting = [
    revoked.ask({ after, wait: 30 }),
    altered.ask({ after, wait: 30, include: "states" }),
    call("GET", `/api/events${written({ after, wait: 30 })}`, { token: null, headers }),
    feedOf(networked).ask({ after, wait: 30 }),
    untouched.ask({ after, wait: 30 }),
  ];
  // By now all requests are waiting.
  await sleep(1_000);
  const tokens = "SELECT id FROM api_token WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)";
  await database.query(
    `UPDATE api_token SET revoked_at = now() WHERE id IN (${tokens} AND scopes = '{events:read}' AND id <> $2)`,
    [environment, apiToken.id],
  );
  await database.query(
    `UPDATE api_token SET scopes = '{events:read}' WHERE id IN (${tokens} AND scopes = '{events:read,groups:read}')`,
    [environment],
  );
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [viewer.member.id]);
  // This change itself is the event.
  const path = `/api/admin/api-tokens/${apiToken.id}`;
  expect((await admin.send("PATCH", path, { allowedNetworks: ["203.0.113.0/24"] })).status).toBe(200);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 200]);
});

test("members follow the feed in the dashboard's process, and see only their environment", async ({ database }) => {
  const { environment, token } = await newFeed(database);
  const viewer = await adminClient(database, "viewer", environment);
  const headers = { cookie: viewer.cookie, "x-environment": environment };
  const page = async (query: Query) => {
    const response = await call("GET", `/api/events${written(query)}`, { token: null, headers });
    expect(response.status, response.text).toBe(200);
    return eventsAnswer.parse(response.json);
  };
  const { next_cursor: after } = await page({ after: "latest" });
  const waiting = page({ after, wait: 30 });
  await createGroup();
  const { provided_id } = await createGroup({}, { token });
  expect((await waiting).events.map(({ data }) => data.provided_id)).toEqual([provided_id]);
  const admin = await adminClient(database, "admin", environment);
  const { providedId } = await makeGroup(admin, newId());
  await expect
    .poll(async () => (await page({ after })).events.map(({ actor }) => actor.type))
    .toEqual(["api_token", "member"]);
  expect((await page({ after })).events.at(-1)?.data.provided_id).toBe(providedId);
});

test("the diagnosis names the session that holds up the feed", async () => {
  const writer = await holdingLock(
    stage().databaseUrl,
    "SELECT pg_backend_pid() AS pid, pg_current_xact_id(), $1",
    "writes",
  );
  const lag = async () => (await call("GET", "/api/diagnosis")).json.feed_lag;
  await expect.poll(lag).toEqual({ seconds: expect.any(Number), pid: writer.pid, prepared: null });
  await writer.release();
  await expect.poll(async () => (await lag()).pid).not.toBe(writer.pid);
});
