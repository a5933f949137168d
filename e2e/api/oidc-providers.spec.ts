import { randomUUID } from "node:crypto";
import { linkedAccountAnswer } from "@/lib/members/schema";
import { expectError } from "../fixtures/api";
import { type Browser, browserOf, totp } from "../fixtures/cookie-client";
import type { Member } from "../fixtures/member";
import type { Claims } from "../fixtures/oidc-provider";
import {
  expect,
  type GrantOptions,
  type Site,
  shownTo,
  signedIn,
  signInWith,
  startSite,
  test,
  verifiedMember,
} from "../fixtures/single-sign-on";

/** A provider's claims about the owner of an email address, and whether they let its member sign in. */
interface Sample {
  provider: string;
  /** the source of its claims */
  source: string;
  idToken: (email: string) => Claims;
  userInfo?: (email: string) => Claims;
  clientAuth?: GrantOptions["clientAuth"];
  isAdmitted: boolean;
  provesSecondFactor: boolean;
}

const SAMPLES: Sample[] = [
  {
    provider: "Entra ID, which never says email_verified",
    source: "https://learn.microsoft.com/en-us/entra/identity-platform/optional-claims-reference",
    idToken: (email) => ({ email, preferred_username: email }),
    userInfo: (email) => ({ email }),
    isAdmitted: false,
    provesSecondFactor: false,
  },
  {
    provider: "Entra ID without the optional email claim",
    source: "https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference",
    idToken: (email) => ({ preferred_username: email }),
    userInfo: () => ({}),
    isAdmitted: false,
    provesSecondFactor: false,
  },
  {
    provider: "Okta's org authorization server",
    source: "https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/",
    idToken: (email) => ({ email, amr: ["mfa", "otp", "pwd"] }),
    userInfo: (email) => ({ email, email_verified: true }),
    clientAuth: "client_secret_basic",
    isAdmitted: true,
    provesSecondFactor: true,
  },
  {
    provider: "an Okta custom authorization server",
    source: "https://developer.okta.com/docs/guides/configure-amr-claims-mapping/main/",
    idToken: (email) => ({ email, email_verified: true, amr: ["pwd"] }),
    clientAuth: "client_secret_basic",
    isAdmitted: true,
    provesSecondFactor: false,
  },
  {
    provider: "Google",
    source: "https://developers.google.com/identity/openid-connect/reference",
    idToken: (email) => ({ email, email_verified: true, azp: "user-groups" }),
    isAdmitted: true,
    provesSecondFactor: false,
  },
  {
    provider: "Auth0 after its second factor",
    source: "https://auth0.com/docs/secure/multi-factor-authentication/step-up-authentication",
    idToken: (email) => ({ email, email_verified: true, amr: ["mfa"] }),
    clientAuth: "client_secret_post",
    isAdmitted: true,
    provesSecondFactor: true,
  },
  {
    provider: "Auth0 before the address is confirmed",
    source: "https://auth0.com/docs/manage-users/user-accounts/verify-emails",
    idToken: (email) => ({ email, email_verified: false }),
    userInfo: (email) => ({ email, email_verified: true }),
    isAdmitted: false,
    provesSecondFactor: false,
  },
  {
    provider: "Keycloak",
    source: "https://phasetwo.io/tutorials/getting-started/your-first-token/",
    idToken: (email) => ({ email, email_verified: true, azp: "user-groups" }),
    isAdmitted: true,
    provesSecondFactor: false,
  },
  {
    provider: "Authelia, with an ID token that names nobody",
    source: "https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/",
    idToken: () => ({ amr: ["pwd", "otp", "mfa"] }),
    userInfo: (email) => ({ email, email_verified: true }),
    clientAuth: "client_secret_basic",
    isAdmitted: true,
    provesSecondFactor: true,
  },
  {
    provider: "Authentik from 2025.10",
    source: "https://docs.goauthentik.io/add-secure-apps/providers/oauth2/verify-email-address/",
    idToken: (email) => ({ email, email_verified: false, amr: ["pwd", "mfa"] }),
    userInfo: (email) => ({ email, email_verified: false }),
    isAdmitted: false,
    provesSecondFactor: true,
  },
  {
    provider: "Cognito, whose userinfo has strings where its ID token has booleans",
    source:
      "https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html",
    idToken: (email) => ({ email, email_verified: true, token_use: "id" }),
    userInfo: (email) => ({ email, email_verified: "true" }),
    isAdmitted: true,
    provesSecondFactor: false,
  },
  {
    provider: "JumpCloud, which has applications post their secret by default",
    source: "https://jumpcloud.com/support/sso-with-oidc",
    idToken: (email) => ({ email, email_verified: true }),
    clientAuth: "client_secret_post",
    isAdmitted: true,
    provesSecondFactor: false,
  },
  {
    provider: "PingFederate, whose ID token beside an access token names nobody",
    source: "https://docs.pingidentity.com/developer-resources/openid_connect_developer_guide/userinfo-endpoint.html",
    idToken: () => ({}),
    userInfo: (email) => ({ email, email_verified: true }),
    isAdmitted: true,
    provesSecondFactor: false,
  },
  {
    provider: "PingOne for Enterprise",
    source:
      "https://docs.pingidentity.com/pingoneforenterprise/pingone_for_enterprise/p14e_integrate_oidc_application.html",
    idToken: (email) => ({ email }),
    userInfo: (email) => ({ email, email_verified: "true" }),
    clientAuth: "client_secret_basic",
    isAdmitted: true,
    provesSecondFactor: false,
  },
];

const asksForCode = (location: string) => expect(location).toContain("/sign-in?error=second_factor");
const isIn = (location: string) => expect(location).toMatch(/\/testing\/groups$/);
const useBackupCode = (browser: Browser, code: string | undefined) =>
  browser.post("/api/auth/two-factor/verify-backup-code", { code });

test.describe("a provider that accepts the client secret in both ways", () => {
  // One service for all: each test signs in a different member.
  let site: Site;
  test.beforeAll(async () => {
    site = await startSite({ authMethods: ["private_key_jwt", "client_secret_basic", "client_secret_post"] });
  });
  test.afterAll(() => site.stop());

  /** Enables the second factor in a password session; returns the key and the backup codes. */
  async function turnOn({ email, password }: Member) {
    const browser = browserOf(site.service.url);
    expect((await browser.signIn({ email, password })).status).toBe(200);
    const begun = await browser.post("/api/auth/two-factor/enable", { password });
    const { totpURI, backupCodes } = begun.json as { totpURI: string; backupCodes: string[] };
    expect((await browser.post("/api/auth/two-factor/verify-totp", { code: totp(totpURI) })).status).toBe(200);
    return { uri: totpURI, backupCodes };
  }

  const accountsOf = ({ id }: Member) =>
    site.database.query("SELECT account_id FROM account WHERE member_id = $1 AND provider_id = 'oidc'", [id]);

  for (const { provider, idToken, userInfo, clientAuth, isAdmitted, provesSecondFactor } of SAMPLES) {
    test(`${provider}: ${isAdmitted ? "the member signs in" : "an owner links the member"}`, async () => {
      const member = await verifiedMember(site.database);
      const sub = randomUUID();
      const attempt = () =>
        signInWith(
          site,
          { sub, ...idToken(member.email) },
          { ...(clientAuth && { clientAuth }), ...(userInfo && { userInfo: { sub, ...userInfo(member.email) } }) },
        );
      const first = await attempt();
      if (isAdmitted) {
        isIn(first.location);
      } else {
        expectError(first.account, 401, "unauthorized");
        const { sentence, code } = shownTo(first);
        expect(sentence).toMatch(/verif.*Ask an owner to link you/s);
        const owner = await signedIn(site, "owner");
        const linked = await owner.post(`/api/admin/members/${member.id}/accounts`, { code });
        expect(linked.status, linked.text).toBe(200);
        isIn((await attempt()).location);
      }
      expect(await accountsOf(member)).toEqual([{ account_id: sub }]);

      const { backupCodes } = await turnOn(member);
      const asked = await attempt();
      asksForCode(asked.location);
      expectError(asked.account, 401, "unauthorized");
      expect((await useBackupCode(asked.browser, backupCodes[0])).status).toBe(200);
      expect((await asked.browser.get("/api/admin/account")).status).toBe(200);
      const again = await attempt();
      if (provesSecondFactor) isIn(again.location);
      else asksForCode(again.location);
    });
  }

  test('an email_verified that is neither true nor "true" links nothing, whatever userinfo says', async () => {
    const member = await verifiedMember(site.database);
    const { email } = member;
    const sub = randomUUID();
    for (const email_verified of [false, "false", "", "yes", 1, [true], {}]) {
      const userInfo = { sub, email, email_verified: true };
      const { account } = await signInWith(site, { sub, email, email_verified }, { userInfo });
      expectError(account, 401, "unauthorized");
    }
    expect(await accountsOf(member)).toEqual([]);
    isIn((await signInWith(site, { sub, email, email_verified: "true" })).location);
  });

  test("an account is linked only after the second factor, whatever the provider proves", async () => {
    const member = await verifiedMember(site.database);
    const { uri, backupCodes } = await turnOn(member);
    const claims = { sub: randomUUID(), email: member.email, email_verified: true, amr: ["pwd", "otp", "mfa"] };
    const { location, browser, account } = await signInWith(site, claims);
    asksForCode(location);
    expectError(account, 401, "unauthorized");
    expect((await browser.post("/api/auth/two-factor/verify-totp", { code: "000000" })).status).toBe(401);
    expect(await accountsOf(member)).toEqual([]);
    const copy = browserOf(site.service.url);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expect((await browser.post("/api/auth/two-factor/verify-totp", { code: totp(uri, 1) })).status).toBe(200);
    expect((await browser.get("/api/admin/account")).json.account.email).toBe(member.email);
    expect((await useBackupCode(copy, backupCodes[0])).status).toBe(401);
    expect(await accountsOf(member)).toEqual([{ account_id: claims.sub }]);
    const history = await site.database.query(
      "SELECT actor_id, after FROM audit_entry WHERE action = 'member.sign_in_linked' AND actor_id = $1",
      [member.id],
    );
    expect(history).toHaveLength(1);
    isIn((await signInWith(site, claims)).location);
    for (const amr of [undefined, ["pwd"], ["otp"], ["hwk"], ["pwd", "kba"], "mfa", [["mfa"]]]) {
      asksForCode((await signInWith(site, { ...claims, amr })).location);
    }
    for (const amr of [
      ["pwd", "hwk"],
      ["pin", "sc"],
      ["fpt", "swk"],
    ]) {
      isIn((await signInWith(site, { ...claims, amr })).location);
    }
    expect(backupCodes).toHaveLength(10);
  });

  test("a new password ends a sign-in that waits for its second factor", async () => {
    const member = await verifiedMember(site.database);
    const { uri } = await turnOn(member);
    const { browser } = await signInWith(site, { sub: randomUUID(), email: member.email, email_verified: true });
    const own = browserOf(site.service.url);
    await own.signIn(member);
    expect((await own.post("/api/auth/two-factor/verify-totp", { code: totp(uri, 1) })).status).toBe(200);
    const changed = await own.post("/api/auth/change-password", {
      currentPassword: member.password,
      newPassword: `new ${member.password}`,
    });
    expect(changed.status, changed.text).toBe(200);
    expect((await browser.post("/api/auth/two-factor/verify-totp", { code: totp(uri) })).status).toBe(401);
    expect(await accountsOf(member)).toEqual([]);
  });

  test("only an owner links by a code, once, and only to a matching member", async () => {
    const [member, other] = [await verifiedMember(site.database), await verifiedMember(site.database)];
    const sub = randomUUID();
    const refused = await signInWith(site, { sub, email: member.email });
    const { code } = shownTo(refused);
    expect(code).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/);
    // A URL would leak the code to logs, and could show a member someone else's code.
    expect(refused.location).not.toContain(code);
    const again = await signInWith(site, { sub, email: member.email });
    expect(shownTo(again).code).toBe(code);
    const link = (browser: Browser, { id }: Member, typed = code) =>
      browser.post(`/api/admin/members/${id}/accounts`, { code: typed });
    expectError(await link(await signedIn(site, "admin"), member), 403, "forbidden");
    const owner = await signedIn(site, "owner");
    expectError(await link(owner, member, "AAAA-AAAA"), 422, "invalid_fields");
    expectError(await link(owner, other), 422, "invalid_fields");
    expectError(await owner.post("/api/admin/members/none/accounts", { code }), 404, "not_found");
    expect(await accountsOf(member)).toEqual([]);
    const linked = await link(owner, member, ` ${code?.toLowerCase().replace("-", "")} `);
    expect(linkedAccountAnswer.parse(linked.json).account.subject).toBe(sub);
    expectError(await link(owner, member), 422, "invalid_fields");
    const [entry] = await site.database.query(
      "SELECT actor_name, after FROM audit_entry WHERE action = 'member.sign_in_linked' AND after LIKE $1",
      [`%${sub}%`],
    );
    expect(JSON.parse(String(entry?.after))).toMatchObject({ id: member.id, account: sub, email: member.email });
    expect(entry?.actor_name).not.toBe(member.name);
    // The owner linked the provider's sub, so its address no longer matters.
    isIn((await signInWith(site, { sub, email: other.email, email_verified: false })).location);

    const second = await signInWith(site, { sub: randomUUID() });
    const taken = shownTo(second);
    expectError(await link(owner, member, taken.code), 409, "conflict");
    const unlinked = await verifiedMember(site.database);
    await site.database.query("UPDATE verification SET expires_at = now() WHERE identifier LIKE 'link-code %'");
    expectError(await link(owner, unlinked, taken.code), 422, "invalid_fields");
  });

  test("of two accounts linked concurrently by an owner and a sign-in, one is refused", async () => {
    const owner = await signedIn(site, "owner");
    for (let n = 0; n < 6; n++) {
      const member = await verifiedMember(site.database);
      const { code } = shownTo(await signInWith(site, { sub: randomUUID(), email: member.email }));
      const [linked, other] = await Promise.all([
        owner.post(`/api/admin/members/${member.id}/accounts`, { code }),
        signInWith(site, { sub: randomUUID(), email: member.email, email_verified: true }),
      ]);
      expect([200, 409], linked.text).toContain(linked.status);
      expect(other.account.status, linked.text).toBe(linked.status === 200 ? 401 : 200);
      expect(await accountsOf(member)).toHaveLength(1);
    }
  });
});

for (const [what, authMethods, isTaken] of [
  ["only client_secret_post", ["client_secret_post"], true],
  ["only client_secret_basic", ["client_secret_basic"], true],
  ["no client secret", ["private_key_jwt", "none"], false],
] as const) {
  test.describe(`a provider that accepts ${what}`, () => {
    test.use({ providerOptions: { authMethods: [...authMethods] } });

    test(isTaken ? "signs a member in" : "is reported", async ({ provider, service, database }) => {
      const { email } = await verifiedMember(database);
      const claims = { sub: randomUUID(), email, email_verified: true };
      const attempt = await signInWith({ provider, service }, claims);
      if (isTaken) return isIn(attempt.location);
      expect(shownTo(attempt).sentence).toMatch(/neither client_secret_basic nor client_secret_post/);
    });
  });
}
