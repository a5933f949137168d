import { randomUUID } from "node:crypto";
import { foundAccountAnswer, linkedAccountAnswer } from "@/lib/members/schema";
import { expectError } from "../fixtures/api";
import { browserOf, totp } from "../fixtures/cookie-client";
import type { Member } from "../fixtures/member";
import { command } from "../fixtures/run";
import {
  expect,
  SECRET_KEY,
  type Site,
  shownTo,
  signedIn,
  signInWith,
  startSite,
  test,
  verifiedMember,
} from "../fixtures/single-sign-on";

// One service for all: each test signs in a different member.
let site: Site;
test.beforeAll(async () => {
  site = await startSite();
});
test.afterAll(() => site.stop());

const isIn = ({ location }: { location: string }) => expect(location).toMatch(/\/testing\/groups$/);

test("an owner links a member with a different verified address at the provider", async () => {
  const member = await verifiedMember(site.database);
  const claims = { sub: randomUUID(), email: `other-${member.email}`, email_verified: true };
  const refused = await signInWith(site, claims);
  expectError(refused.account, 401, "unauthorized");
  const { sentence, code } = shownTo(refused);
  expect(sentence).toMatch(/No member has the email .* Ask an owner/);
  const owner = await signedIn(site, "owner");
  const linked = await owner.post(`/api/admin/members/${member.id}/accounts`, { code });
  expect(linked.status, linked.text).toBe(200);
  expect(linkedAccountAnswer.parse(linked.json).account.subject).toBe(claims.sub);
  isIn(await signInWith(site, claims));
});

test("an owner sees a code's account before linking, but not a code of another member", async () => {
  const [member, other] = [await verifiedMember(site.database), await verifiedMember(site.database)];
  const owner = await signedIn(site, "owner");
  const lookUp = (code: string | undefined, { id } = member, by = owner) =>
    by.post(`/api/admin/members/${id}/accounts/look-up`, { code });
  for (const claims of [
    { sub: randomUUID(), email: "Mallory@example.com", email_verified: false },
    { sub: randomUUID(), email: "mallory@example.com", email_verified: true },
    { sub: randomUUID() },
    { sub: randomUUID(), email_verified: true },
  ]) {
    const { code } = shownTo(await signInWith(site, claims));
    const found = await lookUp(` ${code?.toLowerCase()} `);
    expect(foundAccountAnswer.parse(found.json).account).toEqual({
      subject: claims.sub,
      email: claims.email ?? null,
      verified: claims.email_verified ?? false,
    });
    expectError(await lookUp(code, member, await signedIn(site, "admin")), 403, "forbidden");
    expectError(await lookUp(code, { ...member, id: "none" }), 404, "not_found");
  }
  const accounts = await site.database.query("SELECT FROM account WHERE member_id = $1 AND provider_id = 'oidc'", [
    member.id,
  ]);
  expect(accounts).toEqual([]);
  const unknown = await lookUp("AAAA-AAAA");
  expectError(unknown, 422, "invalid_fields");
  expect(unknown.text).toContain("is unknown or has expired");
  const { code } = shownTo(await signInWith(site, { sub: randomUUID(), email: other.email }));
  const belongs = await lookUp(code);
  expectError(belongs, 422, "invalid_fields");
  expect(belongs.text).toContain(`belongs to ${other.email}, another member`);
  expect((await lookUp(code, other)).status).toBe(200);
});

for (const [how, turnOff] of [
  [
    "its member turned off",
    async ({ password }: Member, browser: ReturnType<typeof browserOf>, code: string | undefined) => {
      const off = await browser.post("/api/auth/two-factor/disable", { password, code });
      expect(off.status, off.text).toBe(200);
    },
  ],
  [
    "the operator reset",
    async ({ email }: Member) => {
      const settings = { DATABASE_URL: site.database.url, SECRET_KEY };
      const ran = await command(["member", "reset-two-factor", email], settings);
      expect(ran.code, ran.stderr).toBe(0);
    },
  ],
] as const) {
  test(`a second factor that ${how} and then enrolled again is required, though the provider proves one`, async () => {
    const member = await verifiedMember(site.database);
    const claims = { sub: randomUUID(), email: member.email, email_verified: true, amr: ["mfa"] };
    const own = browserOf(site.service.url);
    await own.signIn(member);
    const turnOn = async () => {
      const begun = await own.post("/api/auth/two-factor/enable", { password: member.password });
      expect(begun.status, begun.text).toBe(200);
      const { totpURI, backupCodes } = begun.json as { totpURI: string; backupCodes: string[] };
      expect((await own.post("/api/auth/two-factor/verify-totp", { code: totp(totpURI) })).status).toBe(200);
      return backupCodes;
    };
    const backupCodes = await turnOn();
    const asked = await signInWith(site, claims);
    const proven = await asked.browser.post("/api/auth/two-factor/verify-backup-code", { code: backupCodes[0] });
    expect(proven.status, proven.text).toBe(200);
    isIn(await signInWith(site, claims));
    await turnOff(member, own, backupCodes[1]);
    isIn(await signInWith(site, claims));
    await turnOn();
    expect((await signInWith(site, claims)).location).toContain("/sign-in?error=second_factor");
  });
}
