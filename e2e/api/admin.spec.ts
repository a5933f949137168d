import { readdirSync } from "node:fs";
import path from "node:path";
import { call, expect, expectError, test } from "../fixtures/api";
import { cookieOf, signIn } from "../fixtures/member";

const FOLDER = "app/api/admin";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

interface Method {
  method: string;
  path: string;
  /** who may call it; undefined if the method does not exist */
  callers: string | undefined;
}

/** Every method of every route file, with a number for each path parameter. */
async function adminMethods(): Promise<Method[]> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("route.ts"));
  const found = await Promise.all(
    files.map(async (file) => {
      const module = await import(path.resolve(FOLDER, file));
      const where = `/api/admin/${path.dirname(file)}`.replace(/\[[^\]]+\]/g, "1");
      return METHODS.map((method) => ({ method, path: where, callers: module[method]?.callers }));
    }),
  );
  return found.flat();
}

const send = ({ method, path }: Method, headers: Record<string, string>, token: string | null = null) =>
  call(method, path, { token, headers, ...(method !== "GET" && { body: {} }) });

test("every method of every admin route has an access rule or is refused", async ({ stage }) => {
  const cookie = cookieOf(await signIn(stage.owner));
  const methods = await adminMethods();
  expect(methods.filter(({ callers }) => callers)).not.toEqual([]);
  for (const method of methods.filter(({ callers }) => !callers)) {
    const refused = expectError(await send(method, { cookie, "x-environment": "testing" }), 405, "method_not_allowed");
    const allowed = methods.filter(({ path, callers }) => path === method.path && callers).map(({ method }) => method);
    expect(refused.headers.allow).toBe([...allowed, "OPTIONS"].join(", ").replace("GET", "GET, HEAD"));
  }
});

test("the session shows the signed-in member and all environments", async ({ stage }) => {
  const cookie = cookieOf(await signIn(stage.owner));
  const session = await call("GET", "/api/admin/session", { token: null, headers: { cookie, "x-environment": "-" } });
  expect(session.json).toMatchObject({
    success: 1,
    member: { email: stage.owner.email, role: "owner" },
    environments: expect.arrayContaining([
      { slug: "production", name: "Production", tag: "Customer", hasGroups: expect.any(Boolean) },
      { slug: "testing", name: "Testing", tag: "Testing", hasGroups: expect.any(Boolean) },
    ]),
  });
});
