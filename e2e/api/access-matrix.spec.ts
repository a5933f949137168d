import { readdirSync } from "node:fs";
import path from "node:path";
import { CALLERS, type Caller, MATRIX, MEMBERS } from "../fixtures/access-matrix";
import { type CallOptions, call, createGroup, expect, newId, test } from "../fixtures/api";
import { cookieOf, createMember, signIn } from "../fixtures/member";
import { createApiToken } from "../fixtures/run";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every method that a route file declares. */
async function routes(): Promise<string[]> {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("route.ts"));
  const found = await Promise.all(
    files.map(async (file) => {
      const module = await import(path.resolve("app", file));
      return METHODS.filter((method) => module[method]).map((method) => `${method} /${path.dirname(file)}`);
    }),
  );
  return found.flat();
}

test("every route has a row, and every row a route", async () => {
  const stated = new Set(MATRIX.map(({ route }) => route));
  const real = await routes();
  expect(real.filter((route) => !stated.has(route))).toEqual([]);
  expect([...stated].filter((route) => !real.includes(route))).toEqual([]);
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
