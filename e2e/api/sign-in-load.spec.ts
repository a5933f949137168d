import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { type Response, readJson } from "../fixtures/api";
import { createMember, type Member } from "../fixtures/member";
import { expect, OWNER, OWNER_SETTINGS, query, test } from "../fixtures/own-service";
import type { ServiceProcess } from "../fixtures/service-process";

const API_TOKEN = "an-api-token-of-the-sign-in-load-tests";
const HOME = "10.9.9.9";

async function settingsOf(DATABASE_URL: string) {
  return {
    DATABASE_URL,
    SECRET_KEY: "ab".repeat(32),
    TRUSTED_PROXIES: "1",
    API_TOKEN,
    ...OWNER_SETTINGS,
  };
}

/** Sends a request as a proxy would for a client at this address. */
async function send(
  { url }: ServiceProcess,
  method: "GET" | "POST",
  path: string,
  { from, headers, body }: { from: string; headers?: Record<string, string>; body?: object },
): Promise<Response> {
  const answer = await request(new URL(path, url), {
    method,
    headers: { "x-forwarded-for": from, ...(body && { "content-type": "application/json" }), ...headers },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, json: readJson(text) };
}

const signIn = (service: ServiceProcess, from: string, credentials: { email: string; password: string }) =>
  send(service, "POST", "/api/auth/sign-in/email", { from, headers: { origin: service.url }, body: credentials });

const wrong = { email: OWNER.email, password: "not the password" };
const addressOf = (n: number) => `10.1.${n >> 8}.${n & 255}`;

/** The session cookie of the owner, signed in from {@link HOME}. */
async function ownerCookie(service: ServiceProcess): Promise<string> {
  const signedIn = await signIn(service, HOME, OWNER);
  expect(signedIn.status, signedIn.text).toBe(200);
  return [signedIn.headers["set-cookie"] ?? []]
    .flat()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

test("300 wrong passwords from 300 addresses starve neither the dashboard nor the API", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const service = await start(await settingsOf(await createDatabase()));
  const cookie = await ownerCookie(service);
  let isOver = false;
  const guesses = Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      signIn(service, addressOf(n), { ...wrong, email: n % 2 ? OWNER.email : `${n}@example.com` }),
    ),
  ).finally(() => {
    isOver = true;
  });
  const seen: number[] = [];
  const watch = async (ask: () => Promise<Response>) => {
    while (!isOver) {
      seen.push((await ask()).status);
      await sleep(20);
    }
  };
  const session = { from: HOME, headers: { cookie, "x-environment": "testing" } };
  const api = { from: "10.8.8.8", headers: { authorization: `Token ${API_TOKEN}` }, body: { token: "none" } };
  const [answers] = await Promise.all([
    guesses,
    watch(() => send(service, "GET", "/api/admin/session", session)),
    watch(() => send(service, "GET", "/api/admin/members", session)),
    watch(() => send(service, "POST", "/api/viewer", api)),
  ]);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.filter((status) => status !== 200)).toEqual([]);
  expect(answers.filter(({ status }) => status !== 401 && status !== 429)).toEqual([]);
  const busy = answers.filter(({ status }) => status === 429);
  expect(busy.length).toBeGreaterThan(0);
  for (const { headers } of busy) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
});

// On a separate service: its full queue would refuse the sign-ins of concurrent tests.
test("50 concurrent sign-ins, which are expensive by design, leave the API responsive", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const DATABASE_URL = await createDatabase();
  const service = await start(await settingsOf(DATABASE_URL));
  const database = { query: (text: string, values?: unknown[]) => query(DATABASE_URL, text, values) };
  const members: Member[] = [];
  while (members.length < 50) members.push(await createMember(database, "viewer"));
  let underWay = members.length;
  const signIns = members.map(async (member, n) => {
    const { status } = await signIn(service, addressOf(n), member);
    underWay--;
    return status;
  });
  const statuses: number[] = [];
  const api = { from: "10.8.8.8", headers: { authorization: `Token ${API_TOKEN}` } };
  while (underWay > 0) {
    const body = { user_group_id: `new-${statuses.length}` };
    statuses.push((await send(service, "GET", "/api/user", { ...api, body })).status);
  }
  expect(statuses.length, "calls that were answered beside sign-ins").toBeGreaterThanOrEqual(20);
  expect(statuses).toEqual(statuses.map(() => 200));
  // When the queue is full, callers are asked to retry.
  for (const status of await Promise.all(signIns)) expect([200, 429]).toContain(status);
  expect((await signIn(service, HOME, await createMember(database, "viewer"))).status).toBe(200);
});

test("an account slows down across all addresses and instances, and a right password works after the wait", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = await settingsOf(await createDatabase());
  const two = [await start(settings), await start({ ...settings, ADMIN_EMAIL: "", ADMIN_PASSWORD: "" })] as const;
  const cookie = await ownerCookie(two[0]);
  for (const email of [OWNER.email, "nobody@example.com"]) {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const { status, headers, json } = await signIn(two[n % 2 ? 1 : 0], addressOf(n), { ...wrong, email });
      statuses.push(status);
      if (status !== 429) continue;
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
      expect(json.error.message).toMatch(/^Too many attempts/);
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.slice(5)).toContain(429);
  }
  const session = { from: HOME, headers: { cookie, "x-environment": "testing" } };
  expect((await send(two[0], "GET", "/api/admin/session", session)).status).toBe(200);
  // At an address where the owner has signed in, other people's attempts do not slow down the owner.
  expect((await signIn(two[1], HOME, OWNER)).status).toBe(200);
  for (let n = 0; n < 6; n++) await signIn(two[0], addressOf(n), wrong);
  const early = await signIn(two[0], "10.7.7.7", OWNER);
  expect(early.status).toBe(429);
  await sleep(Number(early.headers["retry-after"]) * 1_000);
  expect((await signIn(two[1], "10.7.7.7", OWNER)).status).toBe(200);
  expect((await signIn(two[0], addressOf(0), wrong)).status).toBe(401);
});

test("guessing a session's password slows the guesser down, and not the owner", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const DATABASE_URL = await createDatabase();
  const service = await start(await settingsOf(DATABASE_URL));
  const cookie = await ownerCookie(service);
  const change = (from: string, currentPassword: string) =>
    send(service, "POST", "/api/auth/change-password", {
      from,
      headers: { cookie, origin: service.url },
      body: { currentPassword, newPassword: "another horse battery" },
    });
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) statuses.push((await change(addressOf(n), "not the password")).status);
  expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
  expect(statuses.slice(5)).toContain(429);
  expect((await signIn(service, "10.6.6.6", OWNER)).status).toBe(200);
  const [row] = await query(
    DATABASE_URL,
    "SELECT string_agg(encode(account, 'hex'), '') AS accounts FROM sign_in_attempt",
  );
  expect(row?.accounts).not.toContain(Buffer.from(OWNER.email).toString("hex"));
});
