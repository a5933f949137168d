import { readdirSync } from "node:fs";
import path from "node:path";
import { hasRole } from "@/lib/members/role";
import type { Role } from "@/lib/members/schema";
import { call, type Database, expect, expectError, test } from "../fixtures/api";
import { cookieOf, createMember, signIn } from "../fixtures/member";

const FOLDER = "app/api/admin";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

interface Method {
  method: string;
  path: string;
  /** the least role that may call it; undefined where there is no such method */
  role: Role | undefined;
}

/** Every method of every route file there is, with a number in place of a parameter of its path. */
async function adminMethods(): Promise<Method[]> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("route.ts"));
  const found = await Promise.all(
    files.map(async (file) => {
      const module = await import(path.resolve(FOLDER, file));
      const where = `/api/admin/${path.dirname(file)}`.replace(/\[[^\]]+\]/g, "1");
      return METHODS.map((method) => ({ method, path: where, role: module[method]?.role }));
    }),
  );
  return found.flat();
}

const send = ({ method, path }: Method, headers: Record<string, string>, token: string | null = null) =>
  call(method, path, { token, headers, ...(method !== "GET" && { body: {} }) });

test("every method of every admin route has an access rule, or is refused as none", async ({ stage }) => {
  const cookie = cookieOf(await signIn(stage.owner));
  const methods = await adminMethods();
  expect(methods.filter(({ role }) => role)).not.toEqual([]);
  for (const method of methods.filter(({ role }) => !role)) {
    const refused = expectError(await send(method, { cookie, "x-environment": "testing" }), 405, "method_not_allowed");
    const allowed = methods.filter(({ path, role }) => path === method.path && role).map(({ method }) => method);
    expect(refused.headers.allow).toBe([...allowed, "OPTIONS"].join(", "));
  }
});

test("no admin route answers a stranger, an API token, a bare cookie, another site or an ended session", async ({
  stage,
  database,
}) => {
  const member = await createMember(database, "owner");
  const cookie = cookieOf(await signIn(member));
  const ended = cookieOf(await signIn(member));
  await call("POST", "/api/auth/sign-out", {
    token: null,
    body: {},
    headers: { cookie: ended, origin: stage.urls[0] },
  });
  const disabled = await createMember(database, "owner");
  const disabledCookie = cookieOf(await signIn(disabled));
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [disabled.id]);
  const environment = { "x-environment": "testing" };
  const before = await counts(database, member.id);
  for (const method of (await adminMethods()).filter(({ role }) => role)) {
    await test.step(`${method.method} ${method.path}`, async () => {
      expectError(await send(method, environment), 401, "unauthorized");
      expectError(await send(method, environment, stage.tokens.testing), 401, "unauthorized");
      expectError(await send(method, { cookie }), 401, "unauthorized");
      expectError(await send(method, { cookie: ended, ...environment }), 401, "unauthorized");
      expectError(await send(method, { cookie: disabledCookie, ...environment }), 401, "unauthorized");
      expectError(await send(method, { cookie, ...environment, "sec-fetch-site": "cross-site" }), 403, "forbidden");
      expectError(await send(method, { cookie, ...environment, "sec-fetch-site": "same-site" }), 403, "forbidden");
      expectError(await send(method, { cookie, ...environment, origin: "https://evil.example" }), 403, "forbidden");
    });
  }
  expect(await counts(database, member.id)).toEqual(before);
});

test("no admin route lets a role do more than it may", async ({ database }) => {
  const roles = ["viewer", "admin"] as const;
  for (const role of roles) {
    const cookie = cookieOf(await signIn(await createMember(database, role)));
    for (const method of (await adminMethods()).filter((one) => one.role && !hasRole(role, one.role))) {
      await test.step(`${role}: ${method.method} ${method.path}`, async () => {
        expectError(await send(method, { cookie, "x-environment": "testing" }), 403, "forbidden");
      });
    }
  }
});

test("who is signed in, and the environments there are", async ({ stage }) => {
  const cookie = cookieOf(await signIn(stage.owner));
  const session = await call("GET", "/api/admin/session", { token: null, headers: { cookie, "x-environment": "-" } });
  expect(session.json).toMatchObject({
    success: 1,
    member: { email: stage.owner.email, role: "owner" },
    environments: expect.arrayContaining([
      { slug: "production", name: "Production", tag: "Customer" },
      { slug: "testing", name: "Testing", tag: "Testing" },
    ]),
  });
});

/** What there is that a route could have made for this member; others' tests run beside this one. */
async function counts(database: Database, id: string) {
  return database.query(
    `SELECT (SELECT count(*) FROM environment WHERE slug NOT LIKE 'e2e-%') AS environments,
       (SELECT count(*) FROM one_time_link WHERE created_by = 'Member ' || $1) AS links,
       (SELECT count(*) FROM session WHERE member_id = $1) AS sessions,
       (SELECT count(*) FROM audit_entry WHERE actor_id = $1) AS history`,
    [id],
  );
}
