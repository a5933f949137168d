import { test as base, expect, expectError } from "../fixtures/api";
import { type Browser, browserOf, totp } from "../fixtures/cookie-client";
import { createMember, type Member } from "../fixtures/member";
import { command } from "../fixtures/run";

interface SecondFactor {
  member: Member;
  /** the browser that enabled the factor */
  browser: Browser;
  uri: string;
  backupCodes: string[];
}

const test = base.extend<{ factor: SecondFactor; fresh: Browser }>({
  factor: async ({ stage, database }, use) => {
    const member = await createMember(database, "admin");
    const browser = browserOf(stage.urls[0]);
    await browser.signIn(member);
    await use({ member, browser, ...(await turnOn(browser, member)) });
  },
  fresh: async ({ stage }, use) => use(browserOf(stage.urls[1])),
});

async function turnOn(browser: Browser, { password }: Member) {
  const begun = await browser.post("/api/auth/two-factor/enable", { password });
  expect(begun.status, begun.text).toBe(200);
  const { totpURI: uri, backupCodes } = begun.json;
  const verified = await browser.post("/api/auth/two-factor/verify-totp", { code: totp(uri) });
  expect(verified.status, verified.text).toBe(200);
  return { uri, backupCodes } as { uri: string; backupCodes: string[] };
}

const verify = (browser: Browser, code: string, fields: object = {}) =>
  browser.post("/api/auth/two-factor/verify-totp", { code, ...fields });
const useBackupCode = (browser: Browser, code: string | undefined) =>
  browser.post("/api/auth/two-factor/verify-backup-code", { code });
const isIn = async (browser: Browser) => (await browser.get("/api/admin/account")).status === 200;

test("a member turns the second factor on with the password and a first code", async ({ stage, database }) => {
  const member = await createMember(database, "viewer");
  const browser = browserOf(stage.urls[0]);
  await browser.signIn(member);
  expect((await browser.post("/api/auth/two-factor/enable", {})).status).toBe(400);
  expect((await browser.post("/api/auth/two-factor/enable", { password: "not the password" })).status).toBe(400);
  const begun = await browser.post("/api/auth/two-factor/enable", { password: member.password });
  expect(begun.json.totpURI).toContain("issuer=User+groups");
  expect(begun.json.backupCodes).toHaveLength(10);
  // Codes are required only once a first code has shown that the app has the secret.
  expect((await verify(browser, "000000")).status).toBe(401);
  expect((await browserOf(stage.urls[0]).signIn(member)).json).not.toHaveProperty("twoFactorRedirect");
  expect((await verify(browser, totp(begun.json.totpURI))).status).toBe(200);
  expect((await browser.get("/api/admin/account")).json.account.twoFactor).toBe(true);

  const [row] = await database.query("SELECT secret, backup_codes FROM two_factor WHERE member_id = $1", [member.id]);
  for (const sealed of [row.secret, row.backup_codes]) expect(sealed).toMatch(/^\$ba\$\d+\$[0-9a-f]+$/);
  const history = await database.query("SELECT action FROM audit_entry WHERE actor_id = $1", [member.id]);
  expect(history).toEqual([{ action: "member.two_factor_enabled" }]);
});

test("if turning it on was interrupted, another code finishes it", async ({ stage, factor, database }) => {
  await database.query("UPDATE two_factor SET verified = false WHERE member_id = $1", [factor.member.id]);
  const isOn = async () => (await factor.browser.get("/api/admin/account")).json.account.twoFactor;
  expect(await isOn()).toBe(false);
  expect((await verify(factor.browser, totp(factor.uri))).status).toBe(200);
  expect(await isOn()).toBe(true);
  const fresh = browserOf(stage.urls[0]);
  await fresh.signIn(factor.member);
  expect((await verify(fresh, totp(factor.uri, 1))).status).toBe(200);
});

test("signing in asks for a code, and only the right one works", async ({ factor, fresh, database }) => {
  const { member, uri } = factor;
  const half = await fresh.signIn(member);
  expect(half.json).toEqual({ twoFactorRedirect: true, twoFactorMethods: ["totp"] });
  expect(await isIn(fresh)).toBe(false);
  expect((await verify(fresh, "000000")).status).toBe(401);
  expect((await verify(fresh, totp(uri, -10))).status).toBe(401);
  expect(await isIn(fresh)).toBe(false);
  expect((await verify(fresh, totp(uri), { trustDevice: true })).status).toBe(400);
  expect(await isIn(fresh)).toBe(false);
  const verified = await verify(fresh, totp(uri));
  expect(verified.status, verified.text).toBe(200);
  expect(await isIn(fresh)).toBe(true);
  expect([...fresh.cookies.keys()].some((name) => name.includes("trust"))).toBe(false);
  expect((await fresh.signIn({ ...member, password: "not the password" })).status).toBe(401);
  const history = await database.query("SELECT action FROM audit_entry WHERE actor_id = $1", [member.id]);
  expect(history).toEqual([{ action: "member.two_factor_enabled" }]);
});

test("a code works once, though it stays valid for a while", async ({ stage, factor, fresh, database }) => {
  const code = totp(factor.uri);
  const two = [fresh, browserOf(stage.urls[0])];
  for (const browser of two) await browser.signIn(factor.member);
  const answers = await Promise.all(two.map((browser) => verify(browser, code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  const later = browserOf(stage.urls[0]);
  await later.signIn(factor.member);
  const repeated = await verify(later, code);
  expect([repeated.status, repeated.json.error?.code ?? repeated.json.code]).toEqual([401, "CODE_SPENT"]);
  expect(await isIn(later)).toBe(false);
  const failures = `SELECT DISTINCT after::json ->> 'reason' AS reason FROM audit_entry
    WHERE action = 'member.sign_in_failed' AND after::json ->> 'id' = $1`;
  expect(await database.query(failures, [factor.member.id])).toEqual([{ reason: "code" }]);
  await later.signIn(factor.member);
  expect((await verify(later, totp(factor.uri, 1))).status).toBe(200);
});

test("a backup code works once, even for two concurrent attempts", async ({ stage, factor, fresh }) => {
  const { member, backupCodes } = factor;
  await fresh.signIn(member);
  expect((await useBackupCode(fresh, "wrong-codes")).status).toBe(401);
  expect((await useBackupCode(fresh, backupCodes[0])).status).toBe(200);
  expect(await isIn(fresh)).toBe(true);
  const again = browserOf(stage.urls[0]);
  await again.signIn(member);
  expect((await useBackupCode(again, backupCodes[0])).status).toBe(401);

  const two = [browserOf(stage.urls[0]), browserOf(stage.urls[1])];
  for (const browser of two) await browser.signIn(member);
  await Promise.all(two.map((browser) => useBackupCode(browser, backupCodes[1])));
  const inside = await Promise.all(two.map(isIn));
  expect(inside.filter(Boolean)).toHaveLength(1);
});

test("new backup codes, and turning it off, require the password and a code", { tag: "@release" }, async ({
  factor,
  fresh,
  database,
}) => {
  const { member, browser, uri, backupCodes } = factor;
  const { password } = member;
  // A code of the next half minute, as the current one may end while wrong codes are tried.
  const code = totp(uri, 1);
  for (const path of ["generate-backup-codes", "disable"]) {
    const ask = (fields: object) => browser.post(`/api/auth/two-factor/${path}`, fields);
    const wrongCode = code === "000000" ? "000001" : "000000";
    for (const [fields, refusal] of [
      [{ password }, "INVALID_CODE"],
      [{ password, code: wrongCode }, "INVALID_CODE"],
      [{ password, code: "wrong-codes" }, "INVALID_BACKUP_CODE"],
      [{ password: "wrong", code }, "INVALID_PASSWORD"],
    ] as const) {
      const refused = await ask(fields);
      expect([refused.status >= 400, refused.json.code], refused.text).toEqual([true, refusal]);
    }
    // Too many consecutive wrong codes would be slowed down.
    await database.query("DELETE FROM sign_in_attempt");
  }
  const made = await browser.post("/api/auth/two-factor/generate-backup-codes", { password, code });
  expect(made.json.backupCodes, made.text).toHaveLength(10);
  await fresh.signIn(member);
  expect((await useBackupCode(fresh, backupCodes[2])).status).toBe(401);
  expect((await useBackupCode(fresh, made.json.backupCodes[2])).status).toBe(200);
  // Each code works once here too.
  expect((await browser.post("/api/auth/two-factor/disable", { password, code })).json.code).toBe("INVALID_CODE");
  const off = await browser.post("/api/auth/two-factor/disable", { password, code: made.json.backupCodes[3] });
  expect(off.status, off.text).toBe(200);
  expect((await browser.get("/api/admin/account")).json.account.twoFactor).toBe(false);
  expect((await fresh.signIn(member)).json).not.toHaveProperty("twoFactorRedirect");
  const history = await database.query("SELECT action FROM audit_entry WHERE actor_id = $1 ORDER BY id", [member.id]);
  expect(history.map(({ action }) => action)).toEqual([
    "member.two_factor_enabled",
    "member.backup_codes_made",
    "member.two_factor_disabled",
  ]);
});

test("guessing locks the factor; a new password unlocks it, and still asks for the factor", {
  tag: "@release",
}, async ({ stage, factor, database }) => {
  const { member, uri } = factor;
  for (let challenge = 0; challenge < 2; challenge++) {
    const browser = browserOf(stage.urls[0]);
    await browser.signIn(member);
    for (let guess = 0; guess < 5; guess++) expect((await verify(browser, "000000")).status).toBe(401);
  }
  const locked = browserOf(stage.urls[0]);
  await locked.signIn(member);
  expect((await verify(locked, totp(uri))).status).toBe(429);

  const owner = browserOf(stage.urls[0]);
  await owner.signIn(await createMember(database, "owner"));
  const { link } = (await owner.post(`/api/admin/members/${member.id}/reset-password`)).json;
  const halfWay = browserOf(stage.urls[0]);
  await halfWay.signIn(member);
  const renewed = { ...member, password: "another horse battery" };
  expect((await locked.accept(link, { password: renewed.password })).status).toBe(200);
  // A sign-in that was half-way through with the old password is refused.
  expect((await verify(halfWay, totp(uri))).status).toBe(401);
  expect((await locked.signIn(renewed)).json).toMatchObject({ twoFactorRedirect: true });
  expect((await verify(locked, totp(uri))).status).toBe(200);
  expect(await isIn(locked)).toBe(true);
});

test("codes are rate-limited by address, and the answer says how long to wait", async ({ factor, fresh }) => {
  await fresh.signIn(factor.member);
  const statuses: number[] = [];
  for (let guess = 0; guess < 21; guess++) statuses.push((await verify(fresh, "000000")).status);
  expect(statuses[0]).toBe(401);
  expect(statuses.at(-1)).toBe(429);
});

test("a member disabled midway through signing in stays out", async ({ factor, fresh, database }) => {
  await fresh.signIn(factor.member);
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [factor.member.id]);
  expect((await verify(fresh, totp(factor.uri))).status).toBe(401);
  expectError(await fresh.get("/api/admin/account"), 401, "unauthorized");
});

test("the operator resets it for a member who has lost it", async ({ stage, factor, fresh, database }) => {
  const { member } = factor;
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const ran = await command(["member", "reset-two-factor", member.email], settings);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect((await fresh.signIn(member)).status).toBe(200);
  expect(await isIn(fresh)).toBe(true);
  await turnOn(fresh, member);
  const entries = await database.query("SELECT actor_type FROM audit_entry WHERE action = 'member.two_factor_reset'");
  expect(entries).toContainEqual({ actor_type: "operator" });
});

test("a session cannot try codes, which would not be counted", async ({ factor }) => {
  const { browser, uri, backupCodes } = factor;
  for (const code of ["000000", totp(uri, 1)]) {
    expect(await verify(browser, code)).toMatchObject({ status: 400, text: expect.stringContaining("sign out") });
  }
  expect((await useBackupCode(browser, backupCodes[0])).status).toBe(400);
  expect(await isIn(browser)).toBe(true);
});
