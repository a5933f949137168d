import { readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PRESETS } from "@/lib/authority/scopes";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { type Browser, browserOf, totp } from "../fixtures/cookie-client";
import { test as base, expect, OWNER, OWNER_SETTINGS, query } from "../fixtures/own-service";
import { findPostgres15, startPostgres15 } from "../fixtures/postgres-15";
import { createApiToken, run } from "../fixtures/run";

const VIEWER = { email: "viewer@example.com", password: "staple battery horse" };
const SECRET_KEY = "b4".repeat(32);
const API_TOKEN = "a token of one's own, provisioned".replaceAll(" ", "-");
const GROUPS = 100;
/** How many are checked concurrently. */
const LANES = 8;

interface Postgres {
  /** runs one of its programs, connected to the database of this name */
  run(program: "pg_dump" | "pg_restore", database: string, ...args: string[]): Promise<void>;
  /** the URL of the database of this name */
  url(database: string): string;
}

const test = base.extend<{ postgres: Postgres | undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  postgres: async ({}, use) => {
    const programs = await findPostgres15();
    if (!programs) return use(undefined);
    const server = await startPostgres15(programs);
    const urlOf = (database: string) => new URL(`/${database}`, server.url).href;
    await use({
      url: urlOf,
      async run(program, database, ...args) {
        const { code, stderr } = await run(path.join(programs, program), ["-d", urlOf(database), ...args]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      },
    });
    await server.stop();
  },
});

test("a dump taken under load restores every token, API token, member and history entry", async ({
  start,
  postgres,
  folder,
}) => {
  test.skip(!postgres, "PostgreSQL 15, whose pg_dump and pg_restore this takes, is not installed");
  if (!postgres) return;
  await query(postgres.url("postgres"), "CREATE DATABASE before");
  const settings = { DATABASE_URL: postgres.url("before"), SECRET_KEY };
  const before = await start({ ...settings, ...OWNER_SETTINGS, API_TOKEN });
  const { uri, readOnly } = await makeMembers(browserOf(before.url));
  const apiTokens = {
    testing: API_TOKEN,
    readOnly,
    production: await createApiToken(settings, "--environment", "production"),
  };
  const client = clientOf(before.url, apiTokens.testing);
  const tokens = await makeGroups(client);
  const inProduction = (await clientOf(before.url, apiTokens.production).get("group-0")).json.user_group.token;

  const load = keepChanging(client);
  await sleep(500);
  const known = new Map(load.last);
  const file = path.join(folder, "user-groups.dump");
  await postgres.run("pg_dump", "before", "-Fc", "-f", file);
  await sleep(200);
  await load.stop();
  expect(known.size).toBeGreaterThan(0);
  await before.stop();
  await query(postgres.url("postgres"), "DROP DATABASE before");

  await query(postgres.url("postgres"), "CREATE DATABASE after");
  const restored = { ...settings, DATABASE_URL: postgres.url("after") };
  await postgres.run("pg_restore", "after", "--no-owner", "--exit-on-error", file);

  const refused = await start({ ...restored, SECRET_KEY: "4b".repeat(32) }, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toMatch(/^SECRET_KEY is not the key that sealed the secrets in this database\.\n/);

  const after = await start(restored);
  await expectConsistent(restored.DATABASE_URL);
  const again = clientOf(after.url, apiTokens.testing);
  const owner = browserOf(after.url);
  expect((await owner.signIn(OWNER)).json).toMatchObject({ twoFactorRedirect: true });
  expect((await owner.post("/api/auth/two-factor/verify-totp", { code: totp(uri, 1) })).status).toBe(200);
  const viewer = browserOf(after.url);
  expect((await viewer.signIn(VIEWER)).status).toBe(200);
  expect((await viewer.get("/api/admin/account")).json.account).toMatchObject({ role: "viewer" });

  // Unchanged groups keep their token; changed ones have the token from then or a later one.
  for (const [id, token] of known) {
    const { json } = await again.get(id);
    expect(json.new_user_group).toBe(false);
    const issued = load.issued.get(id) ?? [];
    expect(issued.slice(issued.indexOf(token))).toContain(json.user_group.token);
  }
  expect(tokens.size).toBe(GROUPS);
  await forEach(tokens, async ([id, token]) => {
    expect((await again.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token } });
    const found = await owner.post("/api/user-groups/find-by-token", { text: token });
    expect(found.json, found.text).toMatchObject({ found: "current", user_group: { provided_id: id } });
    const rotated = await again.rotate(token);
    expect(rotated.json, rotated.text).toMatchObject({ success: 1, user_group: { provided_id: id } });
    expect((await again.get(id)).json.user_group.token).toBe(rotated.json.user_group.token);
  });
  const elsewhere = await clientOf(after.url, apiTokens.production).get("group-0");
  expect(elsewhere.json).toMatchObject({ new_user_group: false, user_group: { token: inProduction } });
  const reader = clientOf(after.url, apiTokens.readOnly);
  expect((await reader.get("group-0")).status).toBe(200);
  expect((await reader.get("not there")).status).toBe(404);
  expect((await again.get("made afterwards")).json.new_user_group).toBe(true);
  await expectConsistent(restored.DATABASE_URL);
});

test("the nightly Compose dump is complete, deletes expired dumps and leaves nothing behind after a failure", async ({
  postgres,
  folder,
}) => {
  const programs = await findPostgres15();
  test.skip(!postgres || !programs, "PostgreSQL 15, whose pg_dump and pg_restore this takes, is not installed");
  if (!postgres || !programs) return;
  await query(postgres.url("postgres"), "CREATE DATABASE dumped");
  await query(postgres.url("dumped"), "CREATE TABLE kept AS SELECT 7 AS days");
  const old = Array.from({ length: 8 }, (_, n) => `user-groups-1${n + 1}.dump`);
  const ages = { other: 9, "user-groups-10.dump": 6, ...Object.fromEntries(old.map((name) => [name, 9])) };
  for (const [name, days] of Object.entries(ages)) {
    const file = path.join(folder, name);
    await writeFile(file, "");
    await utimes(file, new Date(), new Date(Date.now() - days * 86_400_000));
  }
  const { hostname: PGHOST, port: PGPORT } = new URL(postgres.url("dumped"));
  const server = { PGHOST, PGPORT, PGUSER: "postgres", PATH: `${programs}:${process.env.PATH}` };
  const backUp = (PGDATABASE: string, KEPT_DAYS = "7") =>
    run("deploy/backup.sh", [], { env: { ...server, PGDATABASE, FOLDER: folder, KEPT_DAYS } });

  expect((await backUp("nowhere")).code).toBe(1);
  expect((await backUp("dumped", "7d")).code).toBe(1);
  expect((await readdir(folder)).sort()).toEqual(Object.keys(ages));
  const { code, stdout, stderr } = await backUp("dumped");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [file = ""] = /\S+\.dump/.exec(stdout) ?? [];
  // Of the newest seven, none is deleted.
  const kept = ["other", "user-groups-10.dump", ...old.slice(2), path.basename(file)];
  expect((await readdir(folder)).sort()).toEqual(kept);

  await query(postgres.url("postgres"), "CREATE DATABASE restored");
  await postgres.run("pg_restore", "restored", "--no-owner", "--no-privileges", "--exit-on-error", file);
  expect(await query(postgres.url("restored"), "SELECT days FROM kept")).toEqual([{ days: 7 }]);
});

/** An owner with a second factor and a read-only API token, and an invited viewer. */
async function makeMembers(owner: Browser): Promise<{ uri: string; readOnly: string }> {
  await owner.signIn(OWNER);
  const invited = await owner.post("/api/admin/members/invites", { email: VIEWER.email, role: "viewer" });
  const accepted = await owner.accept(invited.json.link, { name: "Viewer", password: VIEWER.password });
  expect(accepted.status, accepted.text).toBe(200);
  const { json } = await owner.post("/api/auth/two-factor/enable", { password: OWNER.password });
  const uri: string = json.totpURI;
  expect((await owner.post("/api/auth/two-factor/verify-totp", { code: totp(uri) })).status).toBe(200);
  const made = await owner.post("/api/admin/api-tokens", {
    name: "reader",
    scopes: [...PRESETS["read-only"]],
    expiresAt: null,
  });
  expect(made.status, made.text).toBe(200);
  return { uri, readOnly: made.json.token };
}

/** Groups with some history, and each one's last token. */
async function makeGroups(client: Client): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  await forEach(Array(GROUPS).keys(), async (n) => {
    const id = `group-${n}`;
    const { json } = await client.get(id, { properties: { n } });
    if (n % 3 === 0) expect((await client.put(id, { name: `Group ${n}` })).status).toBe(200);
    const last = n % 4 === 0 ? (await client.rotate(json.user_group.token)).json : json;
    tokens.set(id, last.user_group.token);
  });
  return tokens;
}

/** Does the work for each, several concurrently. */
async function forEach<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>) {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/**
 * Creates and rotates continuously: each group's tokens in order, and the last one.
 */
function keepChanging(client: Client) {
  const issued = new Map<string, string[]>();
  const last = new Map<string, string>();
  const note = (id: string, token: string) => {
    issued.set(id, [...(issued.get(id) ?? []), token]);
    last.set(id, token);
  };
  const work = keepDoing(6, async (lane, count) => {
    const id = `busy-${lane}`;
    if (count === 0) note(id, (await client.get(id)).json.user_group.token);
    const rotated = await client.rotate(last.get(id) ?? "");
    expect(rotated.status, rotated.text).toBe(200);
    note(id, rotated.json.user_group.token);
    expect((await client.get(`new-${lane}-${count}`)).json.new_user_group).toBe(true);
  });
  return { issued, last, ...work };
}

/** Each change of a group is in the history, and the last one matches the group's state. */
async function expectConsistent(url: string) {
  const torn = `SELECT g.team_id FROM user_group g
    LEFT JOIN LATERAL (SELECT count(*), max(id) AS last FROM audit_entry a WHERE a.team_id = g.team_id) AS history ON true
    LEFT JOIN audit_entry a ON a.id = history.last
    WHERE history.count <> g.version
      OR a.after::json ->> 'token_fingerprint' IS DISTINCT FROM encode(substring(g.token_index FOR 8), 'hex')`;
  expect(await query(url, torn)).toEqual([]);
}
