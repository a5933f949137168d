import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test as base, expect } from "@playwright/test";
import { request } from "undici";
import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { attachAsSuperuser } from "../fixtures/embedded-superuser";
import { OWNER, OWNER_SETTINGS, query } from "../fixtures/own-service";
import { missingProxies, startNginx, startPgBouncer } from "../fixtures/proxies";
import { command } from "../fixtures/run";
import { killServices, type ServiceProcess, startService } from "../fixtures/service-process";

/** Less than the two services use, so that their transactions have to share. */
const CONNECTIONS = 6;
/** A load light enough for a busy machine to answer in time. */
const LANES = 16;
const PAUSE_MS = 10;
/** Both instances have it, and so the same names of cookies. */
const PUBLIC_URL = "http://groups.example.com";

interface Farm {
  missing: string[];
  /** nginx in front of both */
  url: string;
  services: [ServiceProcess, ServiceProcess];
  /** the configuration of both, and of the commands */
  settings: { DATABASE_URL: string; DATABASE_OWNER_URL: string; SECRET_KEY: string };
  token: string;
}

const test = base.extend<object, { farm: Farm }>({
  farm: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const missing = (await missingProxies()).filter((name) => name !== "caddy");
      if (missing.length > 0) return use({ missing } as Farm);
      const folder = await mkdtemp(path.join(tmpdir(), "two-instances-"));
      const postgres = await attachAsSuperuser(folder);
      const bouncer = await startPgBouncer(new URL(postgres.url), CONNECTIONS);
      const settings = {
        DATABASE_URL: bouncer.url,
        DATABASE_OWNER_URL: postgres.url,
        SECRET_KEY: "2".repeat(64),
        PUBLIC_URL,
      };
      const owner = { ...OWNER_SETTINGS, TRUSTED_PROXIES: "1" };
      // Both start together, as in a roll-out: they migrate one database.
      const services = await Promise.all([
        startService({ ...settings, ...owner }),
        startService({ ...settings, ...owner }),
      ]);
      const nginx = await startNginx([new URL(services[0].url), new URL(services[1].url)]);
      await use({ missing, url: nginx.url, services, settings, token: await insertApiToken(settings) });
      await nginx.stop();
      await killServices();
      await bouncer.stop();
      await postgres.release();
      await rm(folder, { recursive: true });
    },
    { scope: "worker" },
  ],
});

test.beforeEach(({ farm }) => {
  test.skip(farm.missing.length > 0, `${farm.missing.join(" and ")} not installed`);
});

/** Headers for calls that bypass nginx: the instances trust one proxy. */
const PROXIED = { "x-forwarded-for": "127.0.0.1" };

/** The port in the address of an instance, as nginx names it. */
const portOf = (address: unknown) => String(address).replace(/^.*:/, "");

function clientsOf({ services, token }: Farm): [Client, Client] {
  return [clientOf(services[0].url, token, PROXIED), clientOf(services[1].url, token, PROXIED)];
}

test("concurrent callers of both create each group once, with one token", async ({ farm }) => {
  const client = clientOf(farm.url, farm.token);
  const answers = [];
  for (let n = 0; n < 50; n += 10) {
    // Eight concurrent callers of ten new ids.
    const ids = Array.from({ length: 80 }, (_, caller) => `racing-${n + (caller % 10)}`);
    answers.push(...(await Promise.all(ids.map((id) => client.get(id, { name: id })))));
  }
  expect(answers.map(({ status }) => status)).toEqual(Array(400).fill(200));
  expect(answers.filter(({ json }) => json.new_user_group)).toHaveLength(50);
  expect(new Set(answers.map(({ json }) => `${json.user_group.provided_id} ${json.user_group.token}`)).size).toBe(50);
  const served = new Set(answers.map(({ headers }) => portOf(headers["x-served-by"])));
  expect(served).toEqual(new Set(farm.services.map(({ url }) => new URL(url).port)));
});

test("the other instance shows a change immediately", async ({ farm }) => {
  const [one, other] = clientsOf(farm);
  const created = await one.get("shared", { name: "One", mapping: { 40: "213" }, properties: { a: 1 } });
  for (let n = 0; n < 20; n++) {
    const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one];
    const changed = await writer.put("shared", { name: `Name ${n}`, properties: { n } });
    const seen = await reader.get("shared");
    expect(seen.json.user_group).toEqual({ ...created.json.user_group, name: `Name ${n}`, properties: { n } });
    expect(seen.headers.etag).toBe(changed.headers.etag);
  }
  const stale = { "if-match": String(created.headers.etag) };
  expect((await other.put("shared", { name: "Stale" }, stale)).status).toBe(412);
});

test("a rotation invalidates the old token at the other instance immediately, and of many one wins", async ({
  farm,
}) => {
  const clients = clientsOf(farm);
  const [one, other] = clients;
  let { token } = (await one.get("rotating")).json.user_group;
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => clients[n % 2]?.rotate(token)));
    expect(answers.map((answer) => answer?.status).sort()).toEqual([200, ...Array(19).fill(404)]);
    const winner = answers.find((answer) => answer?.status === 200)?.json.user_group.token;
    for (const client of clients) expect((await client.rotate(token)).status).toBe(404);
    for (const client of clients) expect((await client.get("rotating")).json.user_group.token).toBe(winner);
    token = winner;
  }
  const key = { "idempotency-key": "once" };
  const same = await Promise.all(Array.from({ length: 6 }, (_, n) => clients[n % 2]?.rotate(token, key)));
  expect(same.map((answer) => answer?.status)).toEqual(Array(6).fill(200));
  expect(new Set(same.map((answer) => answer?.text)).size).toBe(1);
  expect((await other.rotate(token)).status).toBe(404);
});

test("a session works on both instances, and ends on both", async ({ farm }) => {
  const [one, other] = [
    browserOf(farm.services[0].url, PUBLIC_URL, PROXIED),
    browserOf(farm.services[1].url, PUBLIC_URL, PROXIED),
  ];
  expect((await one.signIn(OWNER)).status).toBe(200);
  for (const [name, value] of one.cookies) other.cookies.set(name, value);
  const session = await other.get("/api/admin/session");
  expect(session).toMatchObject({ status: 200, json: { member: { email: OWNER.email } } });
  expect(await other.get("/api/user-groups?search=nothing")).toMatchObject({ status: 200, json: { user_groups: [] } });

  const created = await one.post("/api/admin/api-tokens", {
    name: "revoked",
    scopes: [...PRESETS.backend],
    expiresAt: null,
  });
  const { token, apiToken } = created.json;
  const callers = farm.services.map(({ url }) => clientOf(url, token, PROXIED));
  for (const caller of callers) expect((await caller.get("revoking")).status).toBe(200);
  expect((await other.delete(`/api/admin/api-tokens/${apiToken.id}`)).status).toBe(200);
  for (const caller of callers) expect((await caller.get("revoking")).status).toBe(401);

  expect((await other.post("/api/auth/sign-out")).status).toBe(200);
  expect((await one.get("/api/admin/session")).status).toBe(401);
});

test("sign-in attempts are counted across both", async ({ farm }) => {
  const stranger = browserOf(farm.url, PUBLIC_URL);
  const statuses: number[] = [];
  const served = new Set<unknown>();
  for (let n = 0; n < 22; n++) {
    const { status, headers } = await stranger.signIn({ email: `${n}@example.com`, password: "a guess" });
    statuses.push(status);
    served.add(headers["x-served-by"]);
  }
  expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
  expect(served.size).toBe(2);
});

test("PostgreSQL keeps its limits behind PgBouncer, and a few connections serve many callers", async ({ farm }) => {
  const { DATABASE_URL, DATABASE_OWNER_URL } = farm.settings;
  const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  const shown = limits.map(async (name) => (await query(DATABASE_URL, `SHOW ${name}`))[0]?.[name]);
  expect(await Promise.all(shown)).toEqual(["900ms", "800ms", "2s"]);

  const clients = clientsOf(farm);
  await Promise.all(Array.from({ length: 50 }, (_, n) => clients[n % 2]?.put(`racing-${n}`, { name: `N ${n}` })));
  const [used] = await query(
    DATABASE_OWNER_URL,
    "SELECT count(*)::int AS backends FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]'",
  );
  expect(used?.backends).toBeGreaterThan(1);
  expect(used?.backends).toBeLessThanOrEqual(CONNECTIONS);
});

test("a service without the PgBouncer setting says so, and commands work through it", async ({ farm }) => {
  const { settings } = farm;
  const untold = { ...settings, DATABASE_URL: settings.DATABASE_URL.replace("?pgbouncer=true", "") };
  expect(await command(["api-token", "list"], untold)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^DATABASE_URL points to PgBouncer\. Add \?pgbouncer=true to it/),
  });
  for (const args of [["rekey"], ["seed", "--groups", "3000"]]) {
    expect(await command(args, settings)).toMatchObject({ code: 0, stderr: "" });
  }
});

test("stopping each of them under load fails no request", async ({ farm }) => {
  for (const [at, stopping] of farm.services.entries()) {
    const other = farm.services[1 - at]?.url ?? "";
    const load = beginLoad(farm);
    await load.serves(stopping.url, 200);
    expect(await stopping.stop()).toBe(0);
    await load.serves(other, 400);
    expect(await load.end()).toEqual([]);
    // Unavoidable: a POST on a connection accepted in the moment the port closed.
    expect(load.repeated(), "rotations that nginx answered with 502").toBeLessThanOrEqual(1);
    farm.services[at] = await startService({ ...farm.settings, PORT: new URL(stopping.url).port });
  }
});

/** Makes calls of every kind through nginx until it is ended; returns the failed ones. */
function beginLoad(farm: Farm) {
  const client = clientOf(farm.url, farm.token);
  const run = randomUUID();
  const tokens: string[] = [];
  const servedBy = new Map<string, number>();
  const failures: object[] = [];
  let repeated = 0;
  const rotate = async (token: string, key: string) => {
    const answer = await client.rotate(token, { "idempotency-key": key });
    if (answer.status !== 502) return answer;
    repeated++;
    return client.rotate(token, { "idempotency-key": key });
  };
  const work = keepDoing(LANES, async (lane, count) => {
    const id = `${run}-${lane}`;
    const kinds = [
      () => client.get(id),
      () => rotate(tokens[lane] ?? "", `${id}-${count}`),
      () => client.put(id, { name: `Name ${count}` }),
      () => getOrCreate(farm, `${id}-${count}`),
    ];
    const { status, headers, text, json } = (await kinds[count % kinds.length]?.()) ?? (await client.get(id));
    if (status !== 200) failures.push({ kind: count % kinds.length, status, headers, text });
    else if (json.user_group.provided_id === id) tokens[lane] = json.user_group.token;
    const port = portOf(headers["x-served-by"]);
    servedBy.set(port, (servedBy.get(port) ?? 0) + 1);
    await sleep(PAUSE_MS);
  });
  const served = (url: string) => servedBy.get(new URL(url).port) ?? 0;
  const ended = work.ended.then((error) => {
    if (error) throw error;
  });
  return {
    /** waits until a service has answered this many more calls; throws what ended the load early */
    serves: (url: string, than: number) => Promise.race([expect.poll(() => served(url)).toBeGreaterThan(than), ended]),
    repeated: () => repeated,
    async end() {
      await work.stop();
      return failures;
    },
  };
}

async function getOrCreate({ url, token }: Farm, user_group_id: string) {
  const { statusCode, headers, body } = await request(`${url}/api/user/get-or-create`, {
    method: "POST",
    headers: { authorization: `Token ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ user_group_id }),
    reset: true,
  });
  const text = await body.text();
  return { status: statusCode, headers, text, json: JSON.parse(text) };
}
