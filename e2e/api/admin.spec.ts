import { call, expect, expectError, test } from "../fixtures/api";
import { declaredCallers, METHODS, routeFiles } from "../fixtures/declared-routes";
import { cookieOf, signIn } from "../fixtures/member";

/** Every method of every route file, with a number for each path parameter; no callers if it does not exist. */
async function adminMethods() {
  const [files, declared] = await Promise.all([routeFiles(), declaredCallers()]);
  return files
    .filter(({ path }) => path.startsWith("/api/admin/"))
    .flatMap(({ path }) => {
      const where = path.replace(/\[[^\]]+\]/g, "1");
      return METHODS.map((method) => ({ method, path: where, callers: declared.get(`${method} ${path}`) }));
    });
}

test("every method of every admin route has an access rule or is refused", async ({ stage }) => {
  const headers = { cookie: cookieOf(await signIn(stage.owner)), "x-environment": "testing" };
  const methods = await adminMethods();
  expect(methods.filter(({ callers }) => callers)).not.toEqual([]);
  for (const { method, path } of methods.filter(({ callers }) => !callers)) {
    const answer = await call(method, path, { token: null, headers, ...(method !== "GET" && { body: {} }) });
    const refused = expectError(answer, 405, "method_not_allowed");
    const allowed = methods.filter((other) => other.path === path && other.callers).map(({ method }) => method);
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
