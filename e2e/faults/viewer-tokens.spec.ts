import { randomBytes } from "node:crypto";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import jwt from "jsonwebtoken";
import pg from "pg";
import { request } from "undici";
import { createVerifier } from "@/clients/typescript/src/verify";
import { PRESETS } from "@/lib/authority/scopes";
import { forViewerToken } from "@/lib/store/group-row";
import { insertApiToken } from "../fixtures/api-token";
import { keepDoing } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { makePostgres } from "../fixtures/own-postgres";
import { expect, OWNER, OWNER_SETTINGS, query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";
import { freePort } from "../fixtures/service-process";

const newKey = () => randomBytes(32).toString("base64");

/** Calls one service. */
function callerOf(url: string, token: string) {
  return async (method: "GET" | "POST" | "PUT", route: string, body?: object) => {
    const response = await request(url + route, {
      method,
      headers: { authorization: `Token ${token}`, ...(body && { "content-type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: response.statusCode, headers: response.headers, json: (await response.body.json()) as any };
  };
}

type Caller = ReturnType<typeof callerOf>;

async function mint(call: Caller, user_group_id: string): Promise<string> {
  const { status, json } = await call("POST", "/api/viewer-tokens", { user_group_id });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.viewer_token;
}

async function group(call: Caller, user_group_id: string) {
  return (await call("POST", "/api/user/get-or-create", { user_group_id })).json.user_group;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? "";

/** The key set as a verifier sees it, but cacheable for two seconds instead of five minutes. */
async function fetchShortLived(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  return new Response(await response.text(), { headers: { "Cache-Control": "public, max-age=2" } });
}

test("keys rotate under load on two instances, and no verifier refuses a token", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const DATABASE_URL = await createDatabase();
  const [PORT, SECRET_KEY] = [String(await freePort()), newKey()];
  const settings = { DATABASE_URL, SECRET_KEY, PUBLIC_URL: `http://localhost:${PORT}` };
  const services = await Promise.all([start({ ...settings, ...OWNER_SETTINGS, PORT }), start(settings)]);
  const token = await insertApiToken(settings, { scopes: PRESETS.full });
  const [first, second] = services.map(({ url }) => callerOf(url, token)) as [Caller, Caller];
  await group(first, "viewed");

  const issuer = `${settings.PUBLIC_URL}/e/testing`;
  const keySet = new URL(`${issuer}/.well-known/jwks.json`);
  const verifiers = Array.from({ length: 3 }, () => createVerifier({ issuer, fetch: fetchShortLived }).verify);
  const byJose = createRemoteJWKSet(keySet, { cacheMaxAge: 2_000, cooldownDuration: 2_000 });
  const minted: string[] = [];
  const load = keepDoing(4, async (lane) => {
    const fresh = await mint(lane % 2 === 0 ? first : second, "viewed");
    minted.push(fresh);
    for (const verify of verifiers) await verify(fresh);
    await jwtVerify(fresh, byJose, { issuer, audience: issuer, typ: "viewer+jwt" });
    const asked = await (lane % 2 === 0 ? second : first)("POST", "/api/viewer", { token: fresh });
    expect(asked.json.active).toBe(true);
    await sleep(20);
  });
  await sleep(1_000);
  const browser = browserOf(services[0].url, settings.PUBLIC_URL);
  expect((await browser.signIn(OWNER)).status).toBe(200);
  const rotated = await browser.post("/api/admin/viewer-keys/rotate");
  expect(rotated.status, rotated.text).toBe(200);
  const [{ kid: next, state }] = rotated.json.keys;
  expect(state).toBe("waits");
  // Scaled down from five minutes of 60 to two seconds of 24: a verifier reads keys at most every 10 s.
  await sleep(14_000);
  expect(new Set(minted.map(kidOf)).has(next)).toBe(false);
  await query(DATABASE_URL, "UPDATE viewer_key SET signs_from = now() WHERE kid = $1", [next]);
  await query(DATABASE_URL, "UPDATE environment SET viewer_version = viewer_version + 1 WHERE slug = 'testing'");
  await sleep(4_000);
  await load.stop();
  const kids = new Set(minted.map(kidOf));
  expect(kids.size).toBe(2);
  expect(kidOf(minted.at(-1) ?? "")).toBe(next);
  expect(minted.length).toBeGreaterThan(200);
  // Tokens of the retired key stay valid.
  for (const verify of verifiers) await verify(minted[0] ?? "");
  expect((await second("POST", "/api/viewer", { token: minted[0] })).json.active).toBe(true);

  const [retired] = await query<{ ends_in: number }>(
    DATABASE_URL,
    "SELECT extract(epoch FROM ends_at - now())::float8 AS ends_in FROM viewer_key WHERE ends_at IS NOT NULL",
  );
  expect(retired?.ends_in).toBeGreaterThan(86_400 + 3_500);
  await query(DATABASE_URL, "UPDATE viewer_key SET ends_at = now() WHERE ends_at IS NOT NULL");
  const published = async () => ((await (await fetch(keySet)).json()) as { keys: { kid: string }[] }).keys;
  await expect.poll(published, { timeout: 10_000 }).toMatchObject([{ kid: next }]);
});

test("with PostgreSQL stopped, verifiers and the key set work, minting is 503, and everything recovers", {
  tag: "@release",
}, async ({ start, folder }) => {
  const postgres = await makePostgres(path.join(folder, "own"));
  const PORT = String(await freePort());
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY: newKey(), PUBLIC_URL: `http://localhost:${PORT}` };
  const service = await start({ ...settings, PORT });
  const call = callerOf(service.url, await insertApiToken(settings, { scopes: PRESETS.full }));
  const { token: plain } = await group(call, "viewed");
  const token = await mint(call, "viewed");
  const issuer = `${settings.PUBLIC_URL}/e/testing`;
  const { verify } = createVerifier({ issuer, fetch: fetchShortLived });
  await verify(token);
  const keySet = async () => (await fetch(`${issuer}/.well-known/jwks.json`)).status;
  expect(await keySet()).toBe(200);
  await postgres.stop();
  try {
    for (const [route, body] of [
      ["/api/viewer-tokens", { user_group_id: "viewed" }],
      ["/api/viewer-tokens", { token: plain }],
      ["/api/viewer", { token }],
    ] as const) {
      const begin = performance.now();
      const { status, headers, json } = await call("POST", route, body);
      expect(performance.now() - begin).toBeLessThan(2_000);
      expect({ status, code: json.error?.code }, route).toEqual({ status: 503, code: "unavailable" });
      expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    }
    // Longer than verifier and service cache the keys.
    await sleep(12_000);
    for (let n = 0; n < 100; n++) await verify(token);
    expect(await keySet()).toBe(200);
    await service.stop();
    for (let n = 0; n < 100; n++) await verify(token);
  } finally {
    await postgres.start();
  }
  const again = await start({ ...settings, PORT });
  const recalled = callerOf(again.url, await insertApiToken(settings, { scopes: PRESETS.full }));
  await verify(await mint(recalled, "viewed"));
  expect((await recalled("POST", "/api/viewer", { token })).json.active).toBe(true);
  await again.stop();
  await postgres.stop();
});

test("a rekey reseals the viewer keys: the same key signs, its tokens stay valid, and no viewer is counted again", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const DATABASE_URL = await createDatabase();
  const [oldKey, key] = [newKey(), newKey()];
  const before = await start({ DATABASE_URL, SECRET_KEY: oldKey });
  const token = await insertApiToken({ DATABASE_URL, SECRET_KEY: oldKey }, { scopes: PRESETS.full });
  const call = callerOf(before.url, token);
  await group(call, "viewed");
  const secret = "s".repeat(32);
  const metabase = { signing: { algorithm: "HS256", secret }, claims: {} };
  const settings = { templates: { own: { claims: { id: "{{team_id}}" } }, metabase } };
  expect((await call("PUT", "/api/viewer-settings", settings)).status).toBe(200);
  const early = await mint(call, "viewed");
  const ofAda = { user_group_id: "viewed", viewer: "ada" };
  expect((await call("POST", "/api/viewer-tokens", { ...ofAda, template: "own" })).status).toBe(200);
  const person = { user_group_id: "viewed", viewer_id: "u" };
  const blocked_until = new Date(Date.now() + 3_600_000).toISOString();
  const blocked = (await call("POST", "/api/viewers/end", { ...person, blocked_until })).json;
  const viewers = () => query(DATABASE_URL, "SELECT viewer FROM active_viewer");
  await before.stop();
  expect(await viewers()).toHaveLength(1);

  const both = { DATABASE_URL, SECRET_KEY: key, PREVIOUS_SECRET_KEY: oldKey };
  const during = await start(both);
  const load = keepDoing(2, async () => {
    expect(kidOf(await mint(callerOf(during.url, token), "viewed"))).toBe(kidOf(early));
    await sleep(5);
  });
  const { code, stdout, stderr } = await command(["rekey"], both);
  await load.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("3 viewer keys");
  await during.stop();

  const after = await start({ DATABASE_URL, SECRET_KEY: key });
  const recalled = callerOf(after.url, token);
  expect(kidOf(await mint(recalled, "viewed"))).toBe(kidOf(early));
  expect((await recalled("POST", "/api/viewer", { token: early })).json.active).toBe(true);
  const asked = { user_group_id: "viewed", viewer: "u" };
  expect((await recalled("POST", "/api/viewer-tokens", asked)).json.error.code).toBe("viewer_ended");
  expect((await recalled("POST", "/api/viewers/end", person)).json.viewer_key).toBe(blocked.viewer_key);
  const signed = await recalled("POST", "/api/viewer-tokens", { user_group_id: "viewed", template: "metabase" });
  jwt.verify(signed.json.viewer_token, secret);
  expect((await recalled("POST", "/api/viewer-tokens", ofAda)).status).toBe(200);
  await after.stop();
  expect(await viewers()).toHaveLength(1);
});

test("with a million persons ended, a look-up reads one of them by the primary key", { tag: "@release" }, async ({
  createDatabase,
}) => {
  const client = new pg.Client({ connectionString: await createDatabase() });
  await client.connect();
  await client.query(`
    INSERT INTO viewer_revocation (team_id, environment_id, viewer_key, gen, before, blocked_until)
    SELECT 1 + n % 2, 1, substring(sha256(n::text::bytea) FOR 16), 0, now(), now() + interval '1 day'
    FROM generate_series(1, 1000000) AS n`);
  const { columns } = forViewerToken("$1::bytea");
  await client.query(`
    ANALYZE viewer_revocation; SET plan_cache_mode = force_generic_plan;
    PREPARE look_up (bytea, int) AS SELECT ${columns} FROM user_group g WHERE team_id = $2`);
  const { rows } = await client.query("EXPLAIN (FORMAT JSON) EXECUTE look_up ('\\x00', 1)");
  const nodes = [...JSON.stringify(rows).matchAll(/"Node Type":"([^"]+)"[^{}]*?"Relation Name":"viewer_revocation"/g)];
  expect(nodes.map(([node, type]) => [type, /"Index Name":"(\w+)"/.exec(node)?.[1]])).toEqual([
    ["Index Scan", "viewer_revocation_pkey"],
  ]);
  await client.end();
});

test("without PUBLIC_URL, a service for other machines refuses to mint and names the missing setting", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey() };
  const service = await start({ ...settings, HOST: "0.0.0.0" });
  const call = callerOf(service.url, await insertApiToken(settings, { scopes: PRESETS.full }));
  const { token } = await group(call, "viewed");
  const { status, json } = await call("POST", "/api/viewer-tokens", { token });
  expect({ status, code: json.error.code }).toEqual({ status: 503, code: "unavailable" });
  expect(json.error.message).toContain("PUBLIC_URL");
  expect((await call("POST", "/api/viewer", { token })).json.active).toBe(true);
});

test(
  "renderers that ask refuse ended views immediately, and renderers that poll within one interval",
  { tag: "@release" },
  async ({ start, createDatabase }, { annotations }) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey() };
    const services = await Promise.all([start(settings), start(settings)]);
    const token = await insertApiToken(settings, { scopes: PRESETS.full });
    const [first, second] = services.map(({ url }) => callerOf(url, token)) as [Caller, Caller];
    const POLL_MS = 250;
    const lowest = new Map<number, number>();
    let since = (await second("GET", "/api/revocations")).json.next_since;
    let over = false;
    const polling = (async () => {
      for (; !over; await sleep(POLL_MS)) {
        const { json } = await second("GET", `/api/revocations?since=${since}`);
        for (const { team_id, gen } of json.revocations) lowest.set(team_id, gen);
        since = json.next_since;
      }
    })();
    const issuer = `${services[0].url}/e/testing`;
    const { verify } = createVerifier({ issuer, lowestGeneration: (id) => lowest.get(id) });
    const asked: number[] = [];
    const polled: number[] = [];
    for (let n = 0; n < 20; n++) {
      const { provided_id } = await group(first, `viewed-${n}`);
      const viewed = await mint(first, provided_id);
      await verify(viewed);
      expect((await second("POST", "/api/viewer", { token: viewed })).json.active).toBe(true);
      await first("POST", "/api/user-groups/end-views", { user_group_id: provided_id });
      const begin = performance.now();
      expect((await second("POST", "/api/viewer", { token: viewed })).json).toMatchObject({ reason: "revoked" });
      asked.push(performance.now() - begin);
      while (await verify(viewed).then(Boolean, () => false)) await sleep(2);
      polled.push(performance.now() - begin);
    }
    over = true;
    await polling;
    const worst = `asked ${Math.max(...asked).toFixed(1)} ms, polled each ${POLL_MS} ms ${Math.max(...polled).toFixed(0)} ms`;
    annotations.push({ type: "latency of a revocation, the longest of 20", description: worst });
    process.stdout.write(`${worst}\n`);
    expect(Math.max(...polled)).toBeLessThan(4 * POLL_MS);
  },
);
