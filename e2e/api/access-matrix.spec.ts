import { readdirSync } from "node:fs";
import path from "node:path";
import { ADMIN, CALLERS, type Caller, MATRIX, MEMBERS } from "../fixtures/access-matrix";
import { type CallOptions, call, createGroup, expect, newId, test } from "../fixtures/api";
import { cookieOf, createMember, signIn } from "../fixtures/member";
import { createApiToken } from "../fixtures/run";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The paths of all route files, and the methods that each declares. */
async function routeFiles(): Promise<{ path: string; methods: string[] }[]> {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("route.ts"));
  return Promise.all(
    files.map(async (file) => {
      const module = await import(path.resolve("app", file));
      return { path: `/${path.dirname(file)}`, methods: METHODS.filter((method) => module[method]) };
    }),
  );
}

test("every route has a row, and every row a route", async () => {
  const stated = new Set(MATRIX.map(({ route }) => route));
  const real = (await routeFiles()).flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));
  expect(real.filter((route) => !stated.has(route))).toEqual([]);
  expect([...stated].filter((route) => !real.includes(route))).toEqual([]);
});

test("each route that members alone may call declares the least role", async () => {
  const declared = await Promise.all(
    Object.keys(ADMIN).map(async (route) => {
      const [method = "", where = ""] = route.split(" ");
      const module = await import(path.resolve("app", `.${where}`, "route.ts"));
      return [route, module[method].callers];
    }),
  );
  const stated = Object.entries(ADMIN).map(([route, [least]]) => [route, `members (${least})`]);
  expect(declared).toEqual(stated);
});

test("HEAD is refused by every route, with the methods that it has", async ({ stage }) => {
  for (const { path, methods } of await routeFiles()) {
    const response = await fetch(stage.urls[0] + path.replace(/\[[^\]]+\]/g, "1"), { method: "HEAD" });
    expect(response.status, path).toBe(405);
    // What only the dashboard calls is another process's, and HEAD is refused before that is asked.
    if (/^\/api\/(admin|auth|links|sign-in-options)/.test(path)) continue;
    expect(response.headers.get("allow")?.split(", ").toSorted(), path).toEqual([...methods, "OPTIONS"].toSorted());
  }
});

test("each caller gets the answer that is stated, of every route", async ({ stage, database }) => {
  test.setTimeout(180_000);
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const names = { revoked: newId("revoked"), expired: newId("expired") };
  const [revoked, expired] = [
    await createApiToken(settings, "--name", names.revoked),
    await createApiToken(settings, "--name", names.expired),
  ];
  await database.query("UPDATE api_token SET revoked_at = now() WHERE name = $1", [names.revoked]);
  await database.query("UPDATE api_token SET expires_at = now() WHERE name = $1", [names.expired]);
  const [viewer, admin, owner] = await Promise.all(MEMBERS.map((role) => createMember(database, role)));
  const disabled = await createMember(database, "owner");
  const session = async (member: typeof disabled | undefined) =>
    cookieOf(await signIn(member ?? { email: "", password: "" }));
  const cookies = { viewer: await session(viewer), admin: await session(admin), owner: await session(owner) };
  const [ended, shut] = [await session(owner), await session(disabled)];
  await call("POST", "/api/auth/sign-out", {
    token: null,
    body: {},
    headers: { cookie: ended, origin: stage.urls[0] },
  });
  await database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [disabled.id]);
  const browser = (cookie: string, headers: Record<string, string> = {}): CallOptions => ({
    token: null,
    headers: { cookie, "x-environment": "testing", ...headers },
  });
  const as: Record<Caller, CallOptions> = {
    none: { token: null },
    garbage: { token: "garbage" },
    revoked: { token: revoked },
    expired: { token: expired },
    "group token": { token: (await createGroup()).token },
    disabled: browser(shut),
    ended: browser(ended),
    "bare cookie": { token: null, headers: { cookie: cookies.owner } },
    "read-only": { token: stage.tokens.readOnly },
    "read-write": { token: stage.tokens.testing },
    "other environment": { token: stage.tokens.production },
    viewer: browser(cookies.viewer),
    admin: browser(cookies.admin),
    owner: browser(cookies.owner),
    "cross-site": browser(cookies.owner, { "sec-fetch-site": "cross-site" }),
    "same-site": browser(cookies.owner, { "sec-fetch-site": "same-site" }),
    "evil origin": browser(cookies.owner, { origin: "https://evil.example" }),
    prefetch: browser(cookies.owner, { "sec-purpose": "prefetch" }),
  };
  for (const { route, path: where, body, answers } of MATRIX) {
    const [method = "", pattern = ""] = route.split(" ");
    // A number that nothing has, and no environment is called.
    const target = where ?? pattern.replace(/\[[^\]]+\]/g, "999999999");
    const got: Partial<Record<Caller, number>> = {};
    for (const caller of CALLERS) {
      const sent = body ? await body() : method === "GET" ? undefined : {};
      const response = await call(method, target, { ...as[caller], ...(sent && { body: sent }) });
      got[caller] = response.status;
      if (response.status >= 400) expect(response.json, `${route}: ${caller}`).toMatchObject({ success: 0 });
    }
    expect.soft(got, route).toEqual(answers);
  }
});
