import { accountAnswer, membersAnswer } from "@/lib/members/schema";
import { call, expect, expectError, test } from "../fixtures/api";
import { type Browser, browserOf } from "../fixtures/cookie-client";
import { createMember } from "../fixtures/member";
import { test as ownService, query } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const PASSWORD = "correct horse battery";

const account = async (browser: Browser) => accountAnswer.parse((await browser.get("/api/admin/account")).json).account;

test("viewers can also list members and their status", async ({ stage, database }) => {
  const viewer = await createMember(database, "viewer");
  const browser = browserOf(stage.urls[0]);
  await browser.signIn(viewer);
  const { members } = membersAnswer.parse((await browser.get("/api/admin/members")).json);
  expect(members.find(({ id }) => id === viewer.id)).toEqual({
    id: viewer.id,
    name: `Member ${viewer.id}`,
    email: viewer.email,
    role: "viewer",
    state: "active",
    twoFactor: false,
    accounts: [],
    createdAt: expect.any(String),
    lastSeenAt: expect.any(String),
  });
});

test("an owner changes a role, disables, enables and removes a member, each with immediate effect", async ({
  stage,
  database,
}) => {
  const [owner, member] = [await createMember(database, "owner"), await createMember(database, "viewer")];
  const [theirs, own] = [browserOf(stage.urls[0]), browserOf(stage.urls[1])];
  await theirs.signIn(owner);
  await own.signIn(member);
  const path = `/api/admin/members/${member.id}`;
  expect((await theirs.patch(path, { role: "admin" })).json.member).toMatchObject({ id: member.id, role: "admin" });
  expect((await account(own)).role).toBe("admin");
  expect((await theirs.patch(path, { disabled: true })).json.member).toMatchObject({ state: "disabled" });
  expectError(await own.get("/api/admin/account"), 401, "unauthorized");
  expect(await database.query("SELECT FROM session WHERE member_id = $1", [member.id])).toEqual([]);
  expect((await own.signIn(member)).status).toBe(401);
  expect((await theirs.patch(path, { disabled: false })).json.member).toMatchObject({ state: "active" });
  // Earlier sessions stay ended.
  expectError(await own.get("/api/admin/account"), 401, "unauthorized");
  expect((await own.signIn(member)).status).toBe(200);
  expect((await theirs.delete(path)).json).toEqual({ success: 1 });
  expectError(await own.get("/api/admin/account"), 401, "unauthorized");
  expectError(await theirs.delete(path), 404, "not_found");
  expectError(await theirs.patch(path, { role: "owner" }), 404, "not_found");
  const history = await database.query(
    "SELECT action, before, after, actor_id FROM audit_entry WHERE coalesce(after, before)::json ->> 'id' = $1 AND actor_type = 'member' ORDER BY id",
    [member.id],
  );
  expect(history.map(({ action, actor_id }) => [action, actor_id])).toEqual(
    ["member.role_changed", "member.disabled", "member.enabled", "member.removed"].map((action) => [action, owner.id]),
  );
  expect(JSON.parse(history[0].before)).toEqual({ id: member.id, name: `Member ${member.id}`, role: "viewer" });
  expect(JSON.parse(history[3].before)).toMatchObject({ name: `Member ${member.id}`, email: member.email });
});

test("a change that is empty, excessive or nonsensical is refused", async ({ stage, database }) => {
  const [owner, member] = [await createMember(database, "owner"), await createMember(database, "viewer")];
  const browser = browserOf(stage.urls[0]);
  await browser.signIn(owner);
  for (const body of [{}, { role: "king" }, { disabled: "yes" }, { role: "admin", disabled: true }, { email: "x" }]) {
    expectError(await browser.patch(`/api/admin/members/${member.id}`, body), 422, "invalid_fields");
  }
  expectError(await browser.delete("/api/admin/members/invites/0"), 422, "invalid_fields");
  expect(await database.query("SELECT role, disabled_at FROM member WHERE id = $1", [member.id])).toEqual([
    { role: "viewer", disabled_at: null },
  ]);
});

test("members read and rename their own account, and end sessions", async ({ stage, database }) => {
  const member = await createMember(database, "viewer");
  const [here, there, elsewhere] = [0, 0, 0].map(() => browserOf(stage.urls[0])) as [Browser, Browser, Browser];
  for (const browser of [here, there, elsewhere]) await browser.signIn(member);
  const own = await account(here);
  expect(own.sessions.map(({ current }) => current).sort()).toEqual([false, false, true]);
  const renamed = await here.patch("/api/admin/account", { name: "Grace" });
  expect(accountAnswer.parse(renamed.json).account).toEqual({ ...own, name: "Grace" });
  expectError(await here.patch("/api/admin/account", { name: "" }), 422, "invalid_fields");
  expectError(await here.patch("/api/admin/account", { name: "G", role: "owner" }), 422, "invalid_fields");

  const id = (await account(there)).sessions.find(({ current }) => current)?.id;
  const stranger = await createMember(database, "owner");
  const theirs = browserOf(stage.urls[0]);
  await theirs.signIn(stranger);
  expectError(await theirs.delete(`/api/admin/account/sessions/${id}`), 404, "not_found");
  expect((await here.delete(`/api/admin/account/sessions/${id}`)).json).toEqual({ success: 1 });
  expectError(await there.get("/api/admin/account"), 401, "unauthorized");
  expect((await here.post("/api/admin/account/sign-out-everywhere", { others: true })).json).toEqual({ success: 1 });
  expectError(await elsewhere.get("/api/admin/account"), 401, "unauthorized");
  expect((await account(here)).sessions).toHaveLength(1);
  await elsewhere.signIn(member);
  await here.post("/api/admin/account/sign-out-everywhere");
  for (const browser of [here, elsewhere]) expectError(await browser.get("/api/admin/account"), 401, "unauthorized");
  expect((await theirs.get("/api/admin/account")).status).toBe(200);
});

test("members change their password, which ends their other sessions", async ({ stage, database }) => {
  const member = await createMember(database, "viewer");
  const [here, there] = [browserOf(stage.urls[0]), browserOf(stage.urls[1])];
  await here.signIn(member);
  await there.signIn(member);
  const change = (fields: object) =>
    here.post("/api/auth/change-password", {
      currentPassword: member.password,
      newPassword: PASSWORD,
      ...fields,
    });
  expect((await change({ currentPassword: "not the password" })).status).toBe(400);
  expect((await change({ newPassword: "p".repeat(11) })).status).toBe(400);
  expect((await there.get("/api/admin/account")).status).toBe(200);
  // Other sessions end, although the request asks to keep them.
  const changed = await change({ revokeOtherSessions: false });
  expect(changed.status, changed.text).toBe(200);
  expectError(await there.get("/api/admin/account"), 401, "unauthorized");
  expect((await here.get("/api/admin/account")).status).toBe(200);
  expect((await there.signIn(member)).status).toBe(401);
  expect((await there.signIn({ ...member, password: PASSWORD })).status).toBe(200);
  const history = await database.query("SELECT action, after, request_id FROM audit_entry WHERE actor_id = $1", [
    member.id,
  ]);
  expect(history).toEqual([
    {
      action: "member.password_changed",
      after: JSON.stringify({ id: member.id, name: `Member ${member.id}`, sessions: 1 }),
      request_id: changed.headers["x-request-id"],
    },
  ]);
});

test("unused better-auth routes are not exposed", async ({ stage, database }) => {
  const browser = browserOf(stage.urls[0]);
  await browser.signIn(await createMember(database, "admin"));
  for (const path of [
    "update-user",
    "change-email",
    "delete-user",
    "unlink-account",
    "link-social",
    "sign-in/social",
  ]) {
    expectError(await browser.post(`/api/auth/${path}`, { role: "owner" }), 404, "not_found");
  }
  for (const path of [
    "list-sessions",
    "list-accounts",
    "ok",
    "error",
    "callback/oidc",
    "two-factor/view-backup-codes",
  ]) {
    expectError(await browser.get(`/api/auth/${path}`), 404, "not_found");
  }
  expectError(await call("PUT", "/api/auth/sign-in/email", { token: null, body: {} }), 405, "method_not_allowed");
});

ownService.describe("on a database of its own", () => {
  const SECRET_KEY = "ab".repeat(32);

  ownService(
    "the last active owner stays one, also when two demote each other at once",
    { tag: "@release" },
    async ({ start, createDatabase }) => {
      const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
      const first = { email: "first@example.com", password: PASSWORD };
      const unattended = { ...settings, ADMIN_EMAIL: first.email, ADMIN_PASSWORD: first.password };
      const services = await Promise.all([start(unattended), start(unattended)]);
      const database = { query: (text: string, values?: unknown[]) => query(settings.DATABASE_URL, text, values) };
      const [{ id }] = (await database.query("SELECT id FROM member")) as [{ id: string }];
      const browser = browserOf(services[0].url);
      await browser.signIn(first);
      for (const change of [{ role: "admin" }, { disabled: true }]) {
        expectError(await browser.patch(`/api/admin/members/${id}`, change), 409, "conflict");
      }
      expectError(await browser.delete(`/api/admin/members/${id}`), 409, "conflict");
      expect((await account(browser)).role).toBe("owner");

      const second = await createMember(database, "owner");
      const other = browserOf(services[1].url);
      await other.signIn(second);
      for (let round = 0; round < 10; round++) {
        const answers = await Promise.all([
          browser.patch(`/api/admin/members/${second.id}`, { role: "viewer" }),
          other.patch(`/api/admin/members/${id}`, { role: "viewer" }),
        ]);
        // The second request comes from someone who is no longer an owner, or would remove the last one.
        expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(await database.query("SELECT FROM member WHERE role = 'owner'")).toHaveLength(1);
        await database.query("UPDATE member SET role = 'owner'");
      }
      await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [second.id]);
      expectError(await browser.patch(`/api/admin/members/${id}`, { role: "admin" }), 409, "conflict");
    },
  );

  ownService(
    "the command line invites, resets, disables, enables and lists",
    { tag: "@release" },
    async ({ start, createDatabase }) => {
      // A dozen commands, each a process that opens the database.
      ownService.slow();
      const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
      const owner = { ADMIN_EMAIL: "owner@example.com", ADMIN_PASSWORD: PASSWORD };
      const { url } = await start({ ...settings, ...owner });
      const run = (...args: string[]) => command(["member", ...args], { ...settings, PUBLIC_URL: url });
      const browser = browserOf(url);
      const invited = await run("invite", "Ada@Example.com", "--role", "admin");
      expect(invited.stdout).toMatch(new RegExp(`^${url}/welcome#ugl_[0-9A-Za-z]{49}\n$`));
      expect((await browser.accept(invited.stdout, { name: "Ada", password: PASSWORD })).status).toBe(200);
      const reset = await run("reset-password", "ada@example.com");
      expect((await browser.accept(reset.stdout, { password: `${PASSWORD}!` })).status).toBe(200);
      const ada = { email: "ada@example.com", password: `${PASSWORD}!` };
      expect((await browser.signIn(ada)).status).toBe(200);
      expect(await run("disable", "ada@example.com")).toMatchObject({ code: 0, stderr: "" });
      expectError(await browser.get("/api/admin/account"), 401, "unauthorized");
      expect((await run("list")).stdout).toMatch(/^ada@example.com +Ada +admin +off +- +disabled$/m);
      expect(await run("enable", "ada@example.com")).toMatchObject({ code: 0, stderr: "" });
      expect((await browser.signIn(ada)).status).toBe(200);
      expect((await run("list")).stdout).toMatch(/^owner@example.com +owner@example.com +owner +off +- +active$/m);
      for (const [args, reason] of [
        [["disable", "owner@example.com"], "This is the last active owner"],
        [["enable", "nobody@example.com"], "No such member."],
        [["invite", "ada@example.com", "--role", "viewer"], "email is already a member"],
        [["invite", "new@example.com"], "Give a --role"],
        [["reset-password"], "Give the member's EMAIL"],
        [["promote", "ada@example.com"], 'Unknown command "promote".'],
      ] as const) {
        const { code, stdout, stderr } = await run(...args);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toContain(reason);
        expect(stderr).not.toMatch(/^ {4}at /m);
      }
    },
  );
});
