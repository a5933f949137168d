import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expectError } from "../fixtures/api";
import { browserOf } from "../fixtures/cookie-client";
import { HOSTILE } from "../fixtures/hostile";
import { type Claims, startProvider } from "../fixtures/oidc-provider";
import { OWNER, OWNER_SETTINGS } from "../fixtures/own-service";
import {
  begin,
  expect,
  type GrantOptions,
  SECRET_KEY,
  type Site,
  settingsOf,
  shownTo,
  signInWith,
  startSite,
  test,
  verifiedMember,
} from "../fixtures/single-sign-on";

test("a member signs in with the provider, repeatedly and under the same account", async ({
  provider,
  service,
  database,
}) => {
  const member = await verifiedMember(database);
  const options = await browserOf(service.url).get("/api/sign-in-options");
  expect(options.json).toEqual({ success: 1, oidc: { name: "Example ID" }, setUp: true });
  const claims = { sub: randomUUID(), email: member.email, email_verified: true };
  for (let time = 0; time < 2; time++) {
    const { location, account } = await signInWith({ provider, service }, claims);
    expect(location).toMatch(/\/testing\/groups$/);
    expect(account.json).toMatchObject({ success: 1, account: { email: member.email, role: "admin" } });
  }
  const accounts = await database.query(
    "SELECT account_id, access_token, refresh_token, id_token FROM account WHERE provider_id = 'oidc'",
  );
  expect(accounts).toEqual([{ account_id: claims.sub, access_token: null, refresh_token: null, id_token: null }]);
  const history = await database.query("SELECT action, actor_id, after FROM audit_entry WHERE actor_id = $1", [
    member.id,
  ]);
  expect(history).toEqual([
    {
      action: "member.sign_in_linked",
      actor_id: member.id,
      after: JSON.stringify({ id: member.id, name: `Member ${member.id}`, provider: "oidc", account: claims.sub }),
    },
  ]);
  expect(await readFile(service.log, "utf8")).not.toContain("access-");
  // Other endpoints of better-auth stay closed.
  expect((await browserOf(service.url).get("/api/auth/list-sessions")).status).toBe(404);
});

test("strangers, disabled members and unverified addresses are refused", { tag: "@release" }, async ({
  provider,
  service,
  database,
}) => {
  const [member, disabled] = [await verifiedMember(database), await verifiedMember(database)];
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [disabled.id]);
  const verified = { sub: randomUUID(), email_verified: true };
  for (const [what, error, claims] of [
    ["unknown", "signup_disabled", { ...verified, email: "stranger@example.com" }],
    ["disabled", "INVALID_EMAIL_OR_PASSWORD", { ...verified, email: disabled.email }],
    ["unverified", "account_not_linked", { ...verified, email: member.email, email_verified: false }],
    ["unverified in words", "account_not_linked", { ...verified, email: member.email, email_verified: "false" }],
    ["of unknown verification", "account_not_linked", { sub: verified.sub, email: member.email }],
  ] as const) {
    const { location, account } = await signInWith({ provider, service }, claims);
    expect(location, what).toContain(`/sign-in?error=${error}`);
    expectError(account, 401, "unauthorized");
  }
  expect(await database.query("SELECT FROM member WHERE email = 'stranger@example.com'")).toEqual([]);
  expect(await database.query("SELECT FROM session")).toEqual([]);
  expect(await database.query("SELECT FROM account WHERE provider_id = 'oidc'")).toEqual([]);
});

const YEAR = 365 * 86_400;
const now = () => Math.floor(Date.now() / 1_000);

/** Claims that do not prove an email address, with the reason in the log. */
const UNPROVEN: [what: string, claims: Claims, reason: RegExp, options?: GrantOptions][] = [
  ["no ID token", {}, /no ID token/, { hasIdToken: false, userInfo: {} }],
  ["someone else's userinfo sub", { email: undefined }, /userinfo/, { userInfo: { sub: "another" } }],
  ["a userinfo without a sub", { email: undefined }, /userinfo/, { userInfo: { sub: undefined } }],
  ["no sub", { sub: undefined }, /"sub"/],
  ["a sub that is a number", { sub: 4711 }, /"sub"/],
  ["an empty sub", { sub: "" }, /"sub"/],
  ["a sub of 256 characters", { sub: "s".repeat(256) }, /"sub"/],
  ["no exp", { exp: undefined }, /"exp"/],
  ["an exp that has passed", { exp: 1 }, /"exp"/],
  ["no iat", { iat: undefined }, /"iat"/],
  ["an iat a year ahead", { iat: now() + YEAR, exp: now() + 2 * YEAR }, /"iat"/],
  ["an ID token made a day ago", { iat: now() - 86_400 }, /"iat"/],
  ["another client's azp", { azp: "another" }, /"azp"/],
  ["another client's azp with our aud", { aud: ["user-groups", "another"], azp: "another" }, /"azp"/],
  ["several aud without azp", { aud: ["user-groups", "another"] }, /"azp"/],
  ["another client's aud", { aud: "another" }, /"aud"/],
  ["no aud", { aud: undefined }, /"aud"/],
  ["another issuer", { iss: "https://evil.example" }, /"iss"/],
  ["another request's nonce", { nonce: "another" }, /"nonce"/],
  ["no nonce", { nonce: undefined }, /"nonce"/],
  ["alg none", {}, /alg/i, { signedWith: "none" }],
  ["HS256 with the client secret", {}, /alg/i, { signedWith: "HS256 with the client secret" }],
  ["HS256 with the public key", {}, /alg/i, { signedWith: "HS256 with the public key" }],
  ["a foreign signature", {}, /signature/, { signedWith: "foreign" }],
];

test.describe("single sign-on refuses", () => {
  // One service for all: each test signs in a different member.
  let shared: Site;
  test.beforeAll(async () => {
    shared = await startSite();
  });
  test.afterAll(() => shared.stop());

  for (const [what, claims, reason, { userInfo, ...options } = {}] of UNPROVEN) {
    test(what, async () => {
      const { database } = shared;
      const { id, email } = await verifiedMember(database);
      const address = { email, email_verified: true };
      const sub = randomUUID();
      const before = (await readFile(shared.service.log, "utf8")).length;
      const refused = await signInWith(
        shared,
        { sub, ...address, ...claims },
        { ...options, ...(userInfo && { userInfo: { sub, ...address, ...userInfo } }) },
      );
      expect(refused.location).toContain("/sign-in?error=unable_to_get_user_info");
      expectError(refused.account, 401, "unauthorized");
      expect(await database.query("SELECT FROM session WHERE member_id = $1", [id])).toEqual([]);
      const accounts = await database.query("SELECT FROM account WHERE member_id = $1 AND provider_id = 'oidc'", [id]);
      expect(accounts).toEqual([]);
      const readLog = async () => (await readFile(shared.service.log, "utf8")).slice(before);
      const lineOf = (text: string) => text.split("\n").find((line) => line.includes("single sign-on was refused"));
      await expect.poll(async () => lineOf(await readLog()) ?? "").toContain("reason");
      const log = await readLog();
      expect(JSON.parse(lineOf(log) ?? "{}").reason).toMatch(reason);
      expect(log).not.toContain(email);
    });
  }
});

test("our own azp, several aud with it, and an address from userinfo are accepted", { tag: "@release" }, async ({
  provider,
  service,
  database,
}) => {
  const { email } = await verifiedMember(database);
  const address = { email, email_verified: true };
  for (const [claims, userInfo] of [
    [{ sub: "s", ...address, azp: "user-groups", aud: ["another", "user-groups"] }, {}],
    [
      { sub: "s", email_verified: true },
      { sub: "s", ...address },
    ],
  ]) {
    const { account } = await signInWith({ provider, service }, claims ?? {}, { userInfo: userInfo ?? {} });
    expect(account.json, account.text).toMatchObject({ account: { email } });
  }
  // The ID token's email_verified does not apply to an address from userinfo.
  const other = await verifiedMember(database);
  const mixed = await signInWith(
    { provider, service },
    { sub: "t", email_verified: true },
    { userInfo: { sub: "t", email: other.email } },
  );
  expect(mixed.location).toContain("/sign-in?error=account_not_linked");
});

test("a second account at the provider is not linked, though its address is the same", { tag: "@release" }, async ({
  provider,
  service,
  database,
}) => {
  const { id, email } = await verifiedMember(database);
  const address = { email, email_verified: true };
  expect((await signInWith({ provider, service }, { sub: "first", ...address })).account.status).toBe(200);
  const second = await signInWith({ provider, service }, { sub: "second", ...address });
  expect(shownTo(second).sentence).toContain("You are linked to another Example ID account.");
  expect(second.location).toContain("/sign-in?error=account_not_linked");
  expectError(second.account, 401, "unauthorized");
  // Members are identified by the provider's sub: another address changes nothing.
  const renamed = await signInWith({ provider, service }, { sub: "first", ...address, email: "new@example.com" });
  expect(renamed.account.json).toMatchObject({ account: { email } });
  const linked = () => database.query("SELECT account_id FROM account WHERE provider_id = 'oidc'");
  expect(await linked()).toEqual([{ account_id: "first" }]);

  const fresh = await verifiedMember(database);
  const subs = Array.from({ length: 6 }, (_, n) => ({ sub: `of many ${n}`, email: fresh.email, email_verified: true }));
  const statuses = await Promise.all(
    subs.map(async (claims) => (await signInWith({ provider, service }, claims)).account.status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(await linked()).toHaveLength(2);
  expect(await database.query("SELECT FROM session WHERE member_id = $1", [id])).toHaveLength(2);
});

test("after a change of OIDC_ISSUER, the sub of another issuer opens no linked account", { tag: "@release" }, async ({
  start,
  provider,
  service,
  database,
}) => {
  const member = await verifiedMember(database);
  const claims = { sub: "1001", email: member.email, email_verified: true };
  await database.query(
    `INSERT INTO account (id, member_id, account_id, provider_id, updated_at) VALUES ('old', $1, '1001', 'oidc', now())`,
    [member.id],
  );
  await service.stop();
  // Linked by 0.9.0, which stored no issuer: the first start adds it, before anyone signs in.
  const upgraded = await start(await settingsOf(database.url, provider));
  const bound = { accounts: 1, issuer: provider.settings.OIDC_ISSUER };
  const lines = (await readFile(upgraded.log, "utf8")).split("\n");
  expect(lines.filter((line) => line.includes('"accounts":')).map((line) => JSON.parse(line))).toMatchObject([bound]);
  // A 0.9.0 instance still serving may link another one after that.
  const another = await verifiedMember(database);
  await database.query(
    `INSERT INTO account (id, member_id, account_id, provider_id, updated_at) VALUES ('late', $1, '1002', 'oidc', now())`,
    [another.id],
  );
  const late = { sub: "1002", email: another.email, email_verified: true };
  expect((await signInWith({ provider, service: upgraded }, late)).account.status).toBe(200);
  expect(await database.query("SELECT FROM account WHERE provider_id = 'oidc' AND issuer IS NULL")).toEqual([]);
  await upgraded.stop();
  const other = await startProvider();
  try {
    const moved = await start(await settingsOf(database.url, other));
    const refused = await signInWith({ provider: other, service: moved }, claims);
    expect(refused.location).toContain("reason=other_issuer");
    expect(shownTo(refused).sentence).toContain("Your Example ID account has the ID of one at an earlier provider.");
    expectError(refused.account, 401, "unauthorized");
    await database.query("DELETE FROM account WHERE id = 'old'");
    expect((await signInWith({ provider: other, service: moved }, claims)).account.status).toBe(200);
    const [linked] = await database.query("SELECT issuer FROM account WHERE account_id = '1001'");
    expect(linked).toEqual({ issuer: other.settings.OIDC_ISSUER });
  } finally {
    await other.stop();
  }
});

test("an unsolicited answer signs no one in", { tag: "@release" }, async ({ provider, service, database }) => {
  const member = await verifiedMember(database);
  const claims = { sub: randomUUID(), email: member.email, email_verified: true };
  const asked = await begin(browserOf(service.url));
  const other = browserOf(service.url);
  const back = await other.get(provider.grant(asked.json.url, claims));
  expect(String(back.headers.location)).toContain("/sign-in?error=");
  expectError(await other.get("/api/admin/account"), 401, "unauthorized");
  const made = { token: "x.y.z", nonce: "n" };
  for (const fields of [{ idToken: made }, { requestSignUp: true }, { scopes: ["admin"] }, { provider: "google" }]) {
    expect((await begin(browserOf(service.url), fields)).status).toBeGreaterThanOrEqual(400);
  }
  const away = await begin(browserOf(service.url), { callbackURL: "https://evil.example/" });
  expect(away.status).toBe(403);
});

test("a provider outage blocks no other sign-in, and the provider is retried", { tag: "@release" }, async ({
  provider,
  service,
  database,
}) => {
  const member = await verifiedMember(database);
  provider.setDown(true);
  expectError(await begin(browserOf(service.url)), 503, "unavailable");
  expect((await browserOf(service.url).signIn(member)).status).toBe(200);
  provider.setDown(false);
  const claims = { sub: randomUUID(), email: member.email, email_verified: true };
  expect((await signInWith({ provider, service }, claims)).account.status).toBe(200);
});

for (const path of ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"]) {
  test(`the response of a provider's ${path} is size-limited`, { tag: "@release" }, async ({
    provider,
    service,
    database,
  }) => {
    const { email } = await verifiedMember(database);
    // The address comes from userinfo.
    const options = { userInfo: { sub: "s", email, email_verified: true } };
    for (const how of ["never ends, fast", "never ends, dripping", "sends 400 KB that inflate to 400 MB"]) {
      const sockets: ServerResponse["socket"][] = [];
      provider.replace(path, (response) => {
        sockets.push(response.socket);
        HOSTILE[how]?.(response);
      });
      if (path.startsWith("/.well-known")) expectError(await begin(browserOf(service.url)), 503, "unavailable");
      else {
        const { location, account } = await signInWith({ provider, service }, { sub: "s" }, options);
        expect(location, how).toContain("/sign-in?error=");
        expectError(account, 401, "unauthorized");
      }
      expect(sockets, how).toHaveLength(1);
      await expect.poll(() => sockets[0]?.destroyed, how).toBe(true);
      // Includes bytes in the kernel's buffers, written but not read.
      expect(sockets[0]?.bytesWritten, how).toBeLessThan(2 ** 25);
    }
    provider.replace(path, undefined);
    expect((await signInWith({ provider, service }, { sub: "s" }, options)).account.json).toMatchObject({
      account: { email },
    });
  });
}

test("incomplete sets of variables are refused by name", async ({ start }) => {
  const oidc = { OIDC_ISSUER: "http://127.0.0.1:1", OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "the client's secret" };
  for (const [settings, reasons] of [
    [{ ADMIN_EMAIL: "a@example.com" }, ["ADMIN_PASSWORD: is not set", "ADMIN_EMAIL"]],
    [{ ADMIN_PASSWORD: "correct horse battery" }, ["ADMIN_EMAIL: is not set", "ADMIN_PASSWORD"]],
    [{ ...oidc, OIDC_CLIENT_ID: "", PUBLIC_URL: "http://localhost" }, ["OIDC_CLIENT_ID: is not set", "OIDC_ISSUER"]],
    [oidc, ["PUBLIC_URL: is not set"]],
    [{ PUBLIC_URL: "https://example.com/path" }, ["PUBLIC_URL: must be an http or https URL without a path"]],
    [{ PUBLIC_URL: "example.com" }, ["PUBLIC_URL: must be"]],
  ] as const) {
    const refused = await start({ ...settings, SECRET_KEY }, { until: "spawned" });
    expect(await Promise.race([refused.exited, sleep(30_000, "still running")])).toBe(1);
    for (const reason of reasons) expect(refused.said()).toContain(reason);
    expect(refused.said()).not.toMatch(/correct horse battery|client's secret|^ {4}at /m);
  }
});

test("behind https, cookies are Secure and links begin with PUBLIC_URL", { tag: "@release" }, async ({
  start,
  database,
}) => {
  const PUBLIC_URL = "https://groups.example.com";
  const service = await start({ DATABASE_URL: database.url, SECRET_KEY, PUBLIC_URL, ...OWNER_SETTINGS });
  const browser = browserOf(service.url, PUBLIC_URL);
  const signedIn = await browser.signIn(OWNER);
  expect(signedIn.status, signedIn.text).toBe(200);
  for (const cookie of [signedIn.headers["set-cookie"] ?? []].flat()) {
    expect(cookie).toMatch(/^__Host-user-groups\./);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; Secure; /);
    expect(cookie).not.toContain("Domain");
  }
  const invited = await browser.post("/api/admin/members/invites", { email: "ada@example.com", role: "viewer" });
  expect(invited.json.link).toMatch(/^https:\/\/groups\.example\.com\/welcome#ugl_/);
  expect((await browserOf(service.url, "https://evil.example").signIn(OWNER)).status).toBe(403);
});
