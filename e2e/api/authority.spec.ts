import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PRESETS } from "@/lib/authority/scopes";
import { adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, test as onStage } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { CHANGES, type Change, missingCases, OIDC_ISSUER, type Sent } from "../fixtures/changes";
import { clientOf, keepDoing } from "../fixtures/client";
import { type Browser, browserOf } from "../fixtures/cookie-client";
import { dryRun, settled } from "../fixtures/jobs";
import { createMember } from "../fixtures/member";
import { test as withService } from "../fixtures/own-service";
import { freePort, type ServiceProcess } from "../fixtures/service-process";

// If authority ends during a change, the change is refused as if it had come a moment later.

const PATIENCE_MS = 10_000;
const SECRET_KEY = "fedcba9876543210".repeat(4);
/** Everything a change leaves, without the columns that record last uses. */
const KEPT = {
  user_group: "*",
  deleted_group: "*",
  environment: "*",
  member: "*",
  one_time_link: "*",
  job: "id, state, name, actor_id",
  job_piece: "*",
  audit_entry: "*",
  idempotency_key: "*",
  session: "id",
  api_token: "id, name, access, revoked_at, expires_at",
  definitions: "*",
  webhook: "id, url, description, types, enabled, secret_sealed",
  webhook_delivery: "id, type",
};
const EVERYTHING = Object.entries(KEPT)
  .map(([table, columns]) => `SELECT '${table}' AS table, t::text AS row FROM (SELECT ${columns} FROM ${table}) AS t`)
  .join(" UNION ALL ");

/** The ways to end a member's authority above viewer, and the answer to a change afterwards. */
const MEMBER_LOSSES = {
  demoted: { text: "UPDATE member SET role = 'viewer' WHERE id = $1", status: 403 },
  disabled: { text: "UPDATE member SET disabled_at = '2026-01-01' WHERE id = $1", status: 401 },
  removed: { text: "DELETE FROM member WHERE id = $1", status: 401 },
  "signed out": { text: "DELETE FROM session WHERE member_id = $1", status: 401 },
};
const API_TOKEN_LOSSES = {
  revoked: { text: "UPDATE api_token SET revoked_at = '2026-01-01' WHERE id = $1", status: 401 },
  expired: { text: "UPDATE api_token SET expires_at = '2026-01-01' WHERE id = $1", status: 401 },
  "made read-only": { text: "UPDATE api_token SET access = 'read' WHERE id = $1", status: 403 },
};

interface Loss {
  text: string;
  status: number;
}

/** An author of changes whose authority will end. */
interface Author {
  id: string;
  memberId: string;
  send(method: string, path: string, sent: Sent): Promise<{ status: number; text: string }>;
  /** restores the authority */
  restore(): Promise<unknown>;
}

interface Place {
  service: ServiceProcess;
  client: pg.Client;
  other: pg.Client;
  /** the API tokens whose authority ends, and one that prepares the data for the changes */
  apiTokens: Record<ApiTokenKind | "maker", string>;
}

type ApiTokenKind = NonNullable<Change["apiToken"]>;

const test = withService.extend<{ place: Place }>({
  place: async ({ createDatabase, start }, use) => {
    const databaseUrl = await createDatabase();
    const PORT = String(await freePort());
    const limits = { RATE_LIMIT_REQUESTS: "0", RATE_LIMIT_REFUSALS: "0" };
    const service = await start({
      DATABASE_URL: databaseUrl,
      SECRET_KEY,
      WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8",
      OIDC_ISSUER,
      OIDC_CLIENT_ID: "service",
      OIDC_CLIENT_SECRET: "secret",
      PORT,
      PUBLIC_URL: `http://localhost:${PORT}`,
      ...limits,
    });
    // The set-up link, created once the service is ready, is not a caller's change.
    await expect.poll(service.said).toContain("Become its first owner here");
    const [client, other] = await Promise.all([connect(databaseUrl), connect(databaseUrl)]);
    const settings = { DATABASE_URL: databaseUrl, SECRET_KEY };
    const apiTokens = {
      write: await insertApiToken(settings, { name: "write" }),
      full: await insertApiToken(settings, { name: "full", scopes: PRESETS.full }),
      maker: await insertApiToken(settings, { name: "maker" }),
    };
    await use({ service, client, other, apiTokens });
    await Promise.all([client.end(), other.end()]);
  },
});

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

const rowsOf = (client: pg.Client) => async (text: string, values?: unknown[]) =>
  (await client.query(text, values)).rows;

/** The database's content as seen by this connection. */
async function contents(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`SELECT * FROM (${EVERYTHING}) AS everything ORDER BY 1, 2`);
  return rows.map(({ table, row }) => `${table} ${row}`);
}

/** Waits until another session waits for `client`; false if the answer comes first. */
async function isHeld(client: pg.Client, other: pg.Client, answer?: Promise<unknown>): Promise<boolean> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  let isAnswered = false;
  void answer?.finally(() => {
    isAnswered = true;
  });
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !isAnswered; await sleep(5)) {
    const waiting = "SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))";
    if ((await other.query(waiting, [rows[0].pid])).rowCount) return true;
  }
  return false;
}

async function memberAuthor({ service, client }: Place, role: "owner" | "admin"): Promise<Author> {
  const member = await createMember({ query: rowsOf(client) }, role);
  const browser = browserOf(service.url);
  expect((await browser.signIn(member)).status).toBe(200);
  const saved: { table: string; row: unknown }[] = [];
  for (const table of ["member", "session", "account"]) {
    const key = table === "member" ? "id" : "member_id";
    const { rows } = await client.query(`SELECT to_json(t) AS row FROM ${table} t WHERE ${key} = $1`, [member.id]);
    saved.push({ table, row: rows[0].row });
  }
  return {
    id: member.id,
    memberId: member.id,
    send: (method, path, { body, headers }) => browser.send(method, path, body, headers),
    async restore() {
      await client.query("DELETE FROM member WHERE id = $1", [member.id]);
      for (const { table, row } of saved) {
        await client.query(`INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, $1)`, [row]);
      }
    },
  };
}

async function apiTokenAuthor({ service, client, apiTokens }: Place, kind: ApiTokenKind): Promise<Author> {
  const { rows } = await client.query("SELECT id FROM api_token WHERE name = $1", [kind]);
  return {
    id: String(rows[0].id),
    memberId: "",
    send: (method, path, { body, headers }) =>
      browserOf(service.url).send(method, path, body, {
        authorization: `Token ${apiTokens[kind]}`,
        cookie: undefined,
        ...headers,
      }),
    restore: () =>
      client.query("UPDATE api_token SET revoked_at = NULL, expires_at = NULL, access = 'write' WHERE id = $1", [
        rows[0].id,
      ]),
  };
}

async function prepare({ service, client, apiTokens }: Place, { route, prepare }: Change, author: Author) {
  const [method = "", pattern = ""] = route.split(" ");
  const sent = await prepare({
    memberId: author.memberId,
    query: rowsOf(client),
    async makeGroup() {
      const { json } = await clientOf(service.url, apiTokens.maker).get(`held-${randomUUID()}`);
      const { team_id, provided_id, token } = json.user_group;
      return { teamId: team_id, providedId: provided_id, token };
    },
  });
  return { sent, send: () => author.send(method, sent.path ?? pattern, sent) };
}

interface Race {
  place: Place;
  change: Change;
  author: Author;
  loss: Loss;
}

/** The outcome of a change: whether it waited, its answer, and its traces in the database. */
interface Outcome {
  waited: boolean;
  status: number;
  left: string[];
}

/** The change arrives while its author's authority is being removed. */
async function comesDuring({ place, change, author, loss }: Race): Promise<Outcome> {
  const { client, other } = place;
  const { send } = await prepare(place, change, author);
  await client.query("BEGIN");
  await client.query(loss.text, [author.id]);
  const before = await contents(client);
  const answer = send();
  const waited = await isHeld(client, other, answer);
  await client.query("COMMIT");
  const { status } = await answer;
  return { waited, status, left: difference(before, await contents(client)) };
}

/** The author's authority is removed while the change waits for its lock. */
async function waitsMeanwhile({ place, change, author, loss }: Race): Promise<Outcome | undefined> {
  const { client, other } = place;
  const { sent, send } = await prepare(place, change, author);
  if (!sent.lock) return undefined;
  // Read beforehand: the change waits for 800 ms at most.
  await client.query("BEGIN");
  await client.query(loss.text, [author.id]);
  const before = await contents(client);
  await client.query("ROLLBACK");
  await client.query("BEGIN");
  await client.query(...sent.lock);
  const answer = send();
  const waited = await isHeld(client, other, answer);
  await other.query(loss.text, [author.id]);
  await client.query("ROLLBACK");
  const { status } = await answer;
  return { waited, status, left: difference(before, await contents(client)) };
}

/** Repeats races in which the machine was too busy to answer in time. */
async function inTime(race: (race: Race) => Promise<Outcome | undefined>, details: Race): Promise<Outcome | undefined> {
  for (let tries = 1; ; tries++) {
    await details.author.restore();
    const outcome = await race(details);
    if (outcome?.status !== 503 || tries === 3) return outcome;
  }
}

function difference(before: string[], after: string[]): string[] {
  const came = after.filter((row) => !before.includes(row)).map((row) => `+ ${row}`);
  const went = before.filter((row) => !after.includes(row)).map((row) => `- ${row}`);
  return [...came, ...went];
}

test("every mutating route has a race against the loss of its author's authority", () => {
  expect(missingCases()).toEqual([]);
});

const RACES = {
  "that comes while it is taken away": comesDuring,
  "that waits for a lock while it is taken away": waitsMeanwhile,
};

for (const [when, race] of Object.entries(RACES)) {
  test(`no change by a member outlasts the end of their authority ${when}`, { tag: "@release" }, async ({ place }) => {
    test.setTimeout(300_000);
    const authors = { owner: await memberAuthor(place, "owner"), admin: await memberAuthor(place, "admin") };
    for (const change of CHANGES) {
      const author = authors[change.least === "owner" ? "owner" : "admin"];
      for (const [name, loss] of Object.entries(MEMBER_LOSSES)) {
        if (name === "demoted" && change.least === "viewer") continue;
        const outcome = await inTime(race, { place, change, author, loss });
        const refused = { waited: true, status: loss.status, left: [] };
        expect.soft(outcome ?? refused, `${change.name}, ${name}`).toEqual(refused);
      }
    }
  });

  test(`no change by an API token outlasts the end of its authority ${when}`, { tag: "@release" }, async ({
    place,
  }) => {
    test.setTimeout(180_000);
    const authors = { write: await apiTokenAuthor(place, "write"), full: await apiTokenAuthor(place, "full") };
    for (const change of CHANGES) {
      const { apiToken: kind } = change;
      if (!kind) continue;
      const author = authors[kind];
      for (const [name, loss] of Object.entries(API_TOKEN_LOSSES)) {
        // A token with scopes ignores its access column.
        if (kind === "full" && name === "made read-only") continue;
        const outcome = await inTime(race, { place, change, author, loss });
        // Before refusing, a PUT looks up the token, whose altered row is no longer valid.
        const status = name === "made read-only" && change.name === "PUT /api/user" ? 401 : loss.status;
        const refused = { waited: true, status, left: [] };
        expect.soft(outcome ?? refused, `${change.name}, ${name}`).toEqual(refused);
      }
    }
  });
}

/** The ways for an owner to remove another owner's rights. */
const RIDDANCES: ((browser: Browser, id: string) => Promise<{ status: number; text: string }>)[] = [
  (browser, id) => browser.patch(`/api/admin/members/${id}`, { role: "viewer" }),
  (browser, id) => browser.patch(`/api/admin/members/${id}`, { disabled: true }),
  (browser, id) => browser.delete(`/api/admin/members/${id}`),
];

test("an owner who is being removed keeps nothing, however fast they send requests", { tag: "@release" }, async ({
  place,
}) => {
  test.setTimeout(180_000);
  const { service, client } = place;
  const query = rowsOf(client);
  const owner = browserOf(service.url);
  await owner.signIn(await createMember({ query }, "owner"));
  for (let round = 0; round < 10; round++) {
    const evil = await createMember({ query }, "owner");
    const lanes = await Promise.all([0, 1, 2].map(async () => browserOf(service.url)));
    for (const lane of lanes) expect((await lane.signIn(evil)).status).toBe(200);
    const flood = keepDoing(lanes.length, (lane, count) =>
      count % 2 === 0
        ? (lanes[lane] as Browser).patch(`/api/admin/members/${evil.id}`, { role: "owner" })
        : (lanes[lane] as Browser).post("/api/admin/members/invites", {
            email: `${evil.id}-${lane}-${count}@example.com`,
            role: "owner",
          }),
    );
    const rid = await (RIDDANCES[round % 3] as (typeof RIDDANCES)[number])(owner, evil.id);
    expect(rid.status, rid.text).toBe(200);
    const acted = "SELECT count(*)::int AS count FROM audit_entry WHERE actor_id = $1";
    const [before] = await query(acted, [evil.id]);
    await flood.stop();
    const [kept] = await query("SELECT count(*)::int AS count FROM one_time_link WHERE created_by_id = $1", [evil.id]);
    const [left] = await query(
      "SELECT count(*)::int AS count FROM member WHERE id = $1 AND role = 'owner' AND disabled_at IS NULL",
      [evil.id],
    );
    const [after] = await query(acted, [evil.id]);
    expect({ round, links: kept.count, owners: left.count, acts: after.count }).toEqual({
      round,
      links: 0,
      owners: 0,
      acts: before.count,
    });
  }
});

onStage("an invitation lets nobody in once the member who made it is no owner", async ({ stage, database }) => {
  const maker = await createMember(database, "owner");
  const browser = browserOf(stage.urls[0]);
  await browser.signIn(maker);
  const email = `${randomUUID()}@example.com`;
  const { link } = (await browser.post("/api/admin/members/invites", { email, role: "owner" })).json;
  // Not through the service, which would delete the link in the same step.
  await database.query("UPDATE member SET role = 'admin' WHERE id = $1", [maker.id]);
  const accepted = await browserOf(stage.urls[0]).accept(link, { name: "Eve", password: "correct horse battery" });
  expectError(accepted, 404, "not_found");
  expect(await database.query("SELECT FROM member WHERE email = $1", [email])).toEqual([]);
  await database.query("UPDATE member SET role = 'owner' WHERE id = $1", [maker.id]);
  const again = await browserOf(stage.urls[0]).accept(link, { name: "Ada", password: "correct horse battery" });
  expect(again.status, again.text).toBe(200);
  await database.query("DELETE FROM member WHERE email = $1", [email]);
});

onStage("an import ends with the authority of the member who applied it", async ({ stage, database }) => {
  const environment = await createEnvironment(database);
  const author = await adminClient(database, "admin", environment);
  const witness = await adminClient(database, "admin", environment);
  const [held, other] = [await makeGroup(witness, "held"), await makeGroup(witness, "other")];
  const { id } = await dryRun(author, "user_group_id,name\nheld,changed\nother,changed\nnew,made\n");
  const [holder, observer] = await Promise.all([connect(stage.databaseUrl), connect(stage.databaseUrl)]);
  await holder.query("BEGIN");
  await holder.query("SELECT FROM user_group WHERE team_id = $1 FOR UPDATE", [held.teamId]);
  expect((await author.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(200);
  expect(await isHeld(holder, observer)).toBe(true);
  await observer.query("UPDATE member SET role = 'viewer' WHERE id = $1", [author.member.id]);
  await holder.query("ROLLBACK");
  await Promise.all([holder.end(), observer.end()]);
  expect(await settled(witness, id)).toMatchObject({
    state: "failed",
    problem: expect.stringContaining("can no longer"),
  });
  const groups = await database.query(
    "SELECT name FROM user_group WHERE team_id = ANY ($1) OR provided_id = 'new' AND environment_id = (SELECT id FROM environment WHERE slug = $2)",
    [[held.teamId, other.teamId], environment],
  );
  expect(groups.map(({ name }) => name).sort()).toEqual(["held", "other"]);
});
