import { readFile } from "node:fs/promises";
import { linkAnswer, membersAnswer, newLinkAnswer, signInOptionsAnswer } from "@/lib/members/schema";
import { test as base, call, type Database, expect, expectError, newId } from "../fixtures/api";
import { type Browser, browserOf, tokenOf } from "../fixtures/cookie-client";
import { createMember } from "../fixtures/member";

interface Fixtures {
  /** the browser of an owner */
  owner: Browser;
  /** a signed-out browser */
  stranger: Browser;
}

const test = base.extend<Fixtures>({
  owner: async ({ stage, database }, use) => {
    const browser = browserOf(stage.urls[0]);
    await browser.signIn(await createMember(database, "owner"));
    await use(browser);
  },
  stranger: async ({ stage }, use) => use(browserOf(stage.urls[1])),
});

const newEmail = () => `${newId()}@example.com`;
const PASSWORD = "correct horse battery";

async function invite(owner: Browser, email: string, role = "admin"): Promise<string> {
  const answer = await owner.post("/api/admin/members/invites", { email, role });
  expect(answer.status, answer.text).toBe(200);
  return newLinkAnswer.parse(answer.json).link;
}

const historyOf = (database: Database, what: string) =>
  database.query(
    "SELECT * FROM audit_entry WHERE strpos(coalesce(before, '') || coalesce(after, ''), $1) > 0 ORDER BY id",
    [what],
  );

test("a link ends with its author's authority as an owner", async ({ stage, database, owner, stranger }) => {
  const maker = await createMember(database, "owner");
  const browser = browserOf(stage.urls[0]);
  for (const change of [{ role: "admin" }, { disabled: true }] as const) {
    await database.query("UPDATE member SET role = 'owner', disabled_at = NULL WHERE id = $1", [maker.id]);
    await browser.signIn(maker);
    const link = await invite(browser, newEmail(), "owner");
    expect((await stranger.lookUp(link)).status).toBe(200);
    expect((await owner.patch(`/api/admin/members/${maker.id}`, change)).status).toBe(200);
    expectError(await stranger.lookUp(link), 404, "not_found");
  }
});

test("an invited person becomes a member by a link that works once", async ({ stage, owner, stranger, database }) => {
  const email = newEmail();
  const link = await invite(owner, email.toUpperCase());
  expect(link).toMatch(new RegExp(`^${stage.urls[0]}/welcome#ugl_[0-9A-Za-z]{49}$`));
  const listed = await owner.get("/api/admin/members");
  expect(membersAnswer.parse(listed.json).invites).toContainEqual(expect.objectContaining({ email, role: "admin" }));
  expect(listed.text).not.toContain("ugl_");

  const found = linkAnswer.parse((await stranger.lookUp(link)).json);
  expect(found.link).toEqual({ purpose: "invite", email, name: null, role: "admin" });
  const accepted = await stranger.accept(link, { name: " Ada ", password: PASSWORD });
  expect(accepted.json).toEqual({ success: 1, email });
  expect((await stranger.signIn({ email, password: PASSWORD })).status).toBe(200);
  const { account } = (await stranger.get("/api/admin/account")).json;
  expect(account).toMatchObject({ name: "Ada", email, role: "admin", twoFactor: false });
  expectError(await stranger.lookUp(link), 404, "not_found");
  expectError(await stranger.accept(link, { name: "Eve", password: PASSWORD }), 404, "not_found");
  expect(membersAnswer.parse((await owner.get("/api/admin/members")).json).invites).not.toContainEqual(
    expect.objectContaining({ email }),
  );
  const history = await historyOf(database, email);
  expect(history.map(({ action, actor_name }) => [action, actor_name])).toEqual([
    ["member.invited", expect.stringMatching(/^Member /)],
    ["member.created", "Ada"],
  ]);
  expect(history[1].request_id).toBe(accepted.headers["x-request-id"]);
});

test("a link that does not work shows the same message whatever the reason", async ({ owner, stranger, database }) => {
  const [replaced, withdrawn, expired] = [newEmail(), newEmail(), newEmail()];
  const links = [await invite(owner, replaced), await invite(owner, withdrawn), await invite(owner, expired)] as const;
  await invite(owner, replaced, "viewer");
  const { invites } = membersAnswer.parse((await owner.get("/api/admin/members")).json);
  expect(invites.filter(({ email }) => email === replaced).map(({ role }) => role)).toEqual(["viewer"]);
  const id = invites.find(({ email }) => email === withdrawn)?.id;
  expect((await owner.delete(`/api/admin/members/invites/${id}`)).json).toEqual({ success: 1 });
  expectError(await owner.delete(`/api/admin/members/invites/${id}`), 404, "not_found");
  await database.query("UPDATE one_time_link SET expires_at = now() WHERE email = $1", [expired]);
  const messages = new Set<string>();
  for (const link of [...links, `${links[0]}x`, "http://localhost/welcome#", "http://localhost/welcome#ugl_x"]) {
    for (const answer of [await stranger.lookUp(link), await stranger.accept(link, { password: PASSWORD })]) {
      messages.add(expectError(answer, 404, "not_found").json.error.message);
    }
  }
  expect(messages.size).toBe(1);
  expect(await database.query("SELECT FROM member WHERE email = ANY ($1)", [[replaced, withdrawn, expired]])).toEqual(
    [],
  );
});

test("an invitation requires every field, and a mistake does not use it up", async ({ owner, stranger }) => {
  const link = await invite(owner, newEmail());
  for (const [fields, path] of [
    [{ password: PASSWORD }, "name"],
    [{ name: " ", password: PASSWORD }, "name"],
    // An invisible character.
    [{ name: "\u3164", password: PASSWORD }, "name"],
    [{ name: "a\u0000b", password: PASSWORD }, undefined],
    [{ name: "Ada", password: "p".repeat(11) }, "password"],
    [{ name: "Ada", password: "p".repeat(257) }, "password"],
    [{ name: "Ada", password: "Password1234" }, "password"],
    [{ name: "Ada" }, "password"],
    [{ name: "Ada", password: PASSWORD, email: newEmail() }, "email"],
    [{ name: "Ada", password: PASSWORD, role: "owner" }, "role"],
  ] as const) {
    const answer = await stranger.accept(link, fields);
    if (path) expect(expectError(answer, 422, "invalid_fields").json.error.issues[0].path).toEqual([path]);
    else expectError(answer, 400, "invalid_json");
  }
  expect((await stranger.accept(link, { name: "Ada", password: "k7 Wz-pq 4Lm" })).status).toBe(200);
});

test("members cannot be invited, and an invitee who has become one since gets a message", async ({
  owner,
  stranger,
  database,
}) => {
  const member = await createMember(database, "viewer");
  for (const [body, path] of [
    [{ email: member.email.toUpperCase(), role: "admin" }, "email"],
    [{ email: "nobody", role: "admin" }, "email"],
    [{ email: newEmail(), role: "king" }, "role"],
    [{ email: newEmail() }, "role"],
  ] as const) {
    const refused = expectError(await owner.post("/api/admin/members/invites", body), 422, "invalid_fields");
    expect(refused.json.error.issues[0].path).toEqual([path]);
  }
  const email = newEmail();
  const link = await invite(owner, email);
  await database.query("UPDATE member SET email = $2 WHERE id = $1", [member.id, email]);
  expectError(await stranger.accept(link, { name: "Ada", password: PASSWORD }), 409, "conflict");
  expect((await stranger.signIn({ ...member, email })).status).toBe(200);
});

test("of concurrent uses of a link, one succeeds", async ({ stage, owner, database }) => {
  const email = newEmail();
  const link = await invite(owner, email);
  const attempts = Array.from({ length: 6 }, (_, at) =>
    browserOf(stage.urls[at % 2] ?? "").accept(link, { name: `Ada ${at}`, password: PASSWORD }),
  );
  const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 404, 404, 404, 404, 404]);
  expect(await database.query("SELECT name FROM member WHERE email = $1", [email])).toHaveLength(1);
});

test("a link for a new password ends the previous sessions and password", async ({
  stage,
  owner,
  stranger,
  database,
}) => {
  const member = await createMember(database, "admin");
  const before = browserOf(stage.urls[0]);
  await before.signIn(member);
  const made = async () =>
    newLinkAnswer.parse((await owner.post(`/api/admin/members/${member.id}/reset-password`)).json);
  const [{ link: older }, { link }] = [await made(), await made()];
  expectError(await stranger.lookUp(older), 404, "not_found");
  expect((await stranger.lookUp(link)).json.link).toMatchObject({ purpose: "reset_password", email: member.email });
  expectError(await stranger.accept(link, { name: "Eve", password: PASSWORD }), 422, "invalid_fields");
  expect((await before.get("/api/admin/account")).status).toBe(200);
  expect((await stranger.accept(link, { password: PASSWORD })).json).toEqual({ success: 1, email: member.email });
  expectError(await before.get("/api/admin/account"), 401, "unauthorized");
  expect((await stranger.signIn(member)).status).toBe(401);
  expect((await stranger.signIn({ ...member, password: PASSWORD })).status).toBe(200);
  const history = await historyOf(database, member.id);
  const actions = history.map(({ action }) => action);
  expect(actions).toEqual([
    "member.password_link_made",
    "member.password_link_made",
    "member.password_reset",
    "member.sign_in_failed",
  ]);

  const { link: last } = await made();
  expect((await owner.patch(`/api/admin/members/${member.id}`, { disabled: true })).status).toBe(200);
  expectError(await stranger.accept(last, { password: PASSWORD }), 404, "not_found");
  expectError(await owner.post(`/api/admin/members/${member.id}/reset-password`), 409, "conflict");
});

test("guesses at the old password do not delay a sign-in with the new one", async ({ owner, stranger, database }) => {
  const member = await createMember(database, "admin");
  const made = await owner.post(`/api/admin/members/${member.id}/reset-password`);
  const { link } = newLinkAnswer.parse(made.json);
  const guess = async () => (await stranger.signIn({ ...member, password: "a guess" })).status;
  await expect.poll(guess, { intervals: [50], timeout: 20_000 }).toBe(429);
  expect((await stranger.accept(link, { password: PASSWORD })).status).toBe(200);
  expect((await stranger.signIn({ ...member, password: PASSWORD })).status).toBe(200);
});

test("a link's token appears nowhere but in the link", async ({ stage, owner, stranger, database }) => {
  const email = newEmail();
  const link = await invite(owner, email);
  const token = tokenOf(link);
  await stranger.lookUp(link);
  await call("GET", `/welcome/${token}?token=${token}`, { token: null });
  const last = await stranger.accept(link, { name: "Ada", password: PASSWORD });
  const logs = async () => (await Promise.all(stage.logs.map((file) => readFile(file, "utf8")))).join("");
  await expect.poll(logs).toContain(last.headers["x-request-id"]);
  expect(await logs()).not.toContain(token.slice(4));
  expect(await logs()).not.toContain(PASSWORD);
  for (const table of ["one_time_link", "audit_entry", "verification"]) {
    const rows = await database.query(`SELECT t::text AS text FROM ${table} t`);
    expect(rows.filter(({ text }) => text.includes(token.slice(4)))).toEqual([]);
  }
});

test("link routes refuse other sites, other methods and large bodies", async ({ stage }) => {
  for (const path of ["/api/links/look-up", "/api/links/accept"]) {
    const send = (headers: Record<string, string>, token = "ugl_x") =>
      call("POST", path, { token: null, headers, body: { token } });
    expectError(await send({ "sec-fetch-site": "cross-site" }), 403, "forbidden");
    expectError(await send({ origin: "https://evil.example" }), 403, "forbidden");
    expectError(await send({ origin: stage.urls[0] }, "x".repeat(262_144)), 413, "body_too_large");
    expectError(await call("POST", path, { token: null, body: "token=x" }), 400, "invalid_json");
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const refused = expectError(await call(method, path, { token: null }), 405, "method_not_allowed");
      expect(refused.headers.allow).toBe("POST, OPTIONS");
    }
  }
  const options = await call("GET", "/api/sign-in-options", { token: null });
  expect(signInOptionsAnswer.parse(options.json)).toEqual({ success: 1, oidc: null, setUp: true });
  expectError(await call("GET", "/api/auth/list-sessions", { token: null }), 404, "not_found");
});
