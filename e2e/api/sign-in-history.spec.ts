import { randomUUID } from "node:crypto";
import { expect, expectError, test } from "../fixtures/api";
import { browserOf, totp } from "../fixtures/cookie-client";
import { createMember } from "../fixtures/member";

test("a failed sign-in is in the history with account, address and reason", async ({ stage, database }) => {
  const member = await createMember(database, "admin");
  const browser = browserOf(stage.urls[0]);
  await browser.signIn({ ...member, password: "not the password" });
  await browser.signIn(member);
  const begun = await browser.post("/api/auth/two-factor/enable", { password: member.password });
  const code = totp(begun.json.totpURI);
  await browser.post("/api/auth/two-factor/verify-totp", { code });
  const half = browserOf(stage.urls[1]);
  await half.signIn(member);
  await half.post("/api/auth/two-factor/verify-totp", { code: code === "000000" ? "000001" : "000000" });
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [member.id]);
  const disabled = browserOf(stage.urls[0]);
  await disabled.signIn(member);
  const entries = await database.query(
    "SELECT actor_type, actor_name, after FROM audit_entry WHERE action = 'member.sign_in_failed' AND strpos(after, $1) > 0 ORDER BY id",
    [member.id],
  );
  expect(entries.map(({ after }) => JSON.parse(after))).toEqual(
    [
      { reason: "password", address: browser.address },
      { reason: "code", address: half.address },
      { reason: "disabled", address: disabled.address },
    ].map((failure) => ({ id: member.id, name: member.name, ...failure, attempts: 1 })),
  );
  expect(entries[0]).toMatchObject({ actor_type: "visitor", actor_name: browser.address });
});

test("many failures are one entry a minute with their number, and never the typed text", {
  tag: "@release",
}, async ({ stage, database }) => {
  test.setTimeout(180_000);
  const member = await createMember(database, "admin");
  const typed = `typed-${randomUUID()}`;
  for (let n = 0; n < 4; n++) {
    await browserOf(stage.urls[n % 2 ? 1 : 0]).signIn({ ...member, password: typed });
    await browserOf(stage.urls[n % 2 ? 1 : 0]).signIn({ email: `${typed}@example.com`, password: typed });
  }
  const of = async (actor: string) =>
    (
      await database.query(
        `SELECT after FROM audit_entry WHERE action = 'member.sign_in_failed' AND ${actor} ORDER BY id`,
      )
    ).map(({ after }) => JSON.parse(after).attempts);
  const own = `strpos(after, '${member.id}') > 0`;
  const first = await of(own);
  expect(first.length).toBeLessThanOrEqual(2);
  // A minute's further failures are recorded when it is over.
  const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
  await expect.poll(async () => sum(await of(own)), { timeout: 150_000 }).toBe(4);
  expect((await of(own)).length).toBeLessThanOrEqual(4);
  expect(sum(await of("strpos(after, '\"id\"') = 0"))).toBeGreaterThanOrEqual(4);
  const [{ found }] = await database.query(
    "SELECT count(*)::int AS found FROM audit_entry WHERE concat(actor_name, after, before) LIKE '%' || $1 || '%'",
    [typed],
  );
  expect(found).toBe(0);
});

test("a session ends 30 days after its sign-in, however much it is used", async ({ stage, database }) => {
  const member = await createMember(database, "admin");
  const [browser, other] = [browserOf(stage.urls[0]), browserOf(stage.urls[1])];
  for (const each of [browser, other]) await each.signIn(member);
  const age = (days: number) =>
    database.query("UPDATE session SET signed_in_at = now() - make_interval(days => $2) WHERE member_id = $1", [
      member.id,
      days,
    ]);
  await age(29);
  expect((await browser.get("/api/admin/account")).status).toBe(200);
  await age(30);
  expectError(await browser.get("/api/admin/account"), 401, "unauthorized");
  expect((await browser.send("GET", "/api/user", undefined)).status).toBe(401);
  const change = { currentPassword: member.password, newPassword: "another horse battery" };
  expect((await other.post("/api/auth/change-password", change)).status).toBe(401);
  expect((await browser.signIn(member)).status).toBe(200);
  expect((await browser.get("/api/admin/account")).status).toBe(200);
});
