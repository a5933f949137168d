import { readdirSync } from "node:fs";
import path from "node:path";
import { hasRole } from "../../lib/members/role";
import type { Role } from "../../lib/members/schema";
import { type CallOptions, call, createGroup, expect, newId, test } from "../fixtures/api";
import { cookieOf, createMember, signIn } from "../fixtures/member";
import { createApiToken } from "../fixtures/run";

// Who may call what: a row for every method of every route there is, and a column for everybody who could try.

const STRANGERS = ["none", "garbage", "revoked", "expired", "group token", "disabled", "ended", "bare cookie"] as const;
const API_TOKENS = ["read-only", "read-write", "other environment"] as const;
const MEMBERS = ["viewer", "admin", "owner"] as const;
/** What a browser sends for another site, with an owner's session. */
const FORGED = ["cross-site", "same-site", "evil origin", "prefetch"] as const;
const CALLERS = [...STRANGERS, ...API_TOKENS, ...FORGED, ...MEMBERS];
type Caller = (typeof CALLERS)[number];

interface Row {
  route: string;
  /** how it is called, where that is more than its path and an empty object */
  path?: string;
  body?: () => Promise<object>;
  /** the answers to each */
  answers: Record<Caller, number>;
}

const each = <Name extends Caller>(names: readonly Name[], status: number) =>
  Object.fromEntries(names.map((name) => [name, status])) as Record<Name, number>;

const refused = { ...each(STRANGERS, 401), ...each(FORGED, 403) };
const open = (status: number) => each(CALLERS, status);

const existing = async () => ({ user_group_id: (await createGroup()).provided_id });
const unknown = async () => ({ user_group_id: newId("matrix") });

/** The API's own: for API tokens, and for members by their role. */
const USER: Row[] = [
  {
    route: "GET /api/user",
    body: existing,
    // Another environment has no group of this id, and gets one. Viewers see no token.
    answers: { ...refused, ...each(API_TOKENS, 200), ...each(MEMBERS, 200), viewer: 403 },
  },
  {
    route: "GET /api/user",
    body: unknown,
    answers: { ...refused, ...each(API_TOKENS, 200), ...each(MEMBERS, 200), "read-only": 403, viewer: 403 },
  },
  {
    route: "POST /api/user/get-or-create",
    body: unknown,
    answers: { ...refused, ...each(API_TOKENS, 200), ...each(MEMBERS, 200), "read-only": 403, viewer: 403 },
  },
  {
    route: "PUT /api/user",
    body: existing,
    answers: {
      ...refused,
      ...each(API_TOKENS, 200),
      ...each(MEMBERS, 200),
      ...{ "read-only": 403, viewer: 403, "other environment": 404 },
    },
  },
  {
    route: "POST /api/user",
    body: async () => ({ current_token: (await createGroup()).token }),
    answers: {
      ...refused,
      ...each(API_TOKENS, 200),
      ...each(MEMBERS, 200),
      ...{ "read-only": 403, viewer: 403, "other environment": 404 },
    },
  },
  {
    route: "POST /api/viewer",
    body: async () => ({ token: (await createGroup()).token }),
    // To another environment it is nobody's token, which is an answer as well.
    answers: { ...refused, ...each(API_TOKENS, 200), ...each(MEMBERS, 200), viewer: 403 },
  },
];

/** For API tokens alone: it tells how the service is deployed. */
const DIAGNOSIS: Row[] = [{ route: "GET /api/diagnosis", answers: { ...open(401), ...each(API_TOKENS, 200) } }];

/** What the dashboard calls: the least role, and the answer to an empty request of somebody who has it. */
const ADMIN: Record<string, [least: Role, status: number]> = {
  "GET /api/admin/session": ["viewer", 200],
  "GET /api/admin/account": ["viewer", 200],
  "PATCH /api/admin/account": ["viewer", 422],
  "DELETE /api/admin/account/sessions/[id]": ["viewer", 404],
  "GET /api/admin/activity": ["viewer", 200],
  "GET /api/admin/activity/actors": ["viewer", 200],
  "GET /api/admin/api-tokens": ["viewer", 200],
  "POST /api/admin/api-tokens": ["admin", 422],
  "DELETE /api/admin/api-tokens/[id]": ["admin", 404],
  "GET /api/admin/environments": ["viewer", 200],
  "POST /api/admin/environments": ["owner", 422],
  "PATCH /api/admin/environments/[slug]": ["admin", 404],
  "DELETE /api/admin/environments/[slug]": ["owner", 404],
  "GET /api/admin/groups": ["viewer", 200],
  "GET /api/admin/groups/[teamId]": ["viewer", 404],
  "GET /api/admin/groups/export": ["viewer", 422],
  "POST /api/admin/groups/[teamId]/reveal": ["admin", 422],
  "POST /api/admin/groups/delete": ["admin", 422],
  "POST /api/admin/groups/restore": ["admin", 422],
  "POST /api/admin/groups/find-by-token": ["admin", 422],
  "GET /api/admin/imports": ["admin", 200],
  "POST /api/admin/imports": ["admin", 422],
  "GET /api/admin/imports/[id]": ["admin", 404],
  "PUT /api/admin/imports/[id]/pieces/[n]": ["admin", 422],
  "GET /api/admin/imports/[id]/rows": ["admin", 404],
  "GET /api/admin/imports/[id]/failed": ["admin", 404],
  "POST /api/admin/imports/[id]/apply": ["admin", 404],
  "POST /api/admin/imports/[id]/cancel": ["admin", 404],
  "GET /api/admin/members": ["viewer", 200],
  "PATCH /api/admin/members/[id]": ["owner", 422],
  "DELETE /api/admin/members/[id]": ["owner", 404],
  "POST /api/admin/members/[id]/reset-password": ["owner", 404],
  "DELETE /api/admin/members/[id]/accounts/[accountId]": ["owner", 404],
  "POST /api/admin/members/invites": ["owner", 422],
  "DELETE /api/admin/members/invites/[id]": ["owner", 404],
  // The last, as it ends the sessions.
  "POST /api/admin/account/sign-out-everywhere": ["viewer", 200],
};

const byRole = (least: Role, status: number): Record<Caller, number> => {
  const members = MEMBERS.map((role) => [role, hasRole(role, least) ? status : 403]);
  return { ...refused, ...each(API_TOKENS, 401), ...(Object.fromEntries(members) as Record<Role, number>) };
};

/** For everybody: what a page needs before anybody has signed in, and what says how the service is. */
const PUBLIC: Row[] = [
  { route: "GET /healthz", answers: open(200) },
  { route: "GET /readyz", answers: open(200) },
  { route: "GET /openapi.json", answers: open(200) },
  { route: "GET /postman.json", answers: open(200) },
  // Off, as METRICS_TOKEN is not set; e2e/faults/metrics.spec.ts has it on.
  { route: "GET /metrics", answers: open(404) },
  { route: "GET /api/sign-in-options", answers: { ...open(200), ...each(FORGED, 403) } },
  { route: "POST /api/links/look-up", answers: { ...open(422), ...each(FORGED, 403) } },
  { route: "POST /api/links/accept", answers: { ...open(422), ...each(FORGED, 403) } },
  // better-auth's; those of its routes that change something have tests of their own.
  { route: "GET /api/auth/[...all]", path: "/api/auth/ok", answers: open(404) },
  { route: "POST /api/auth/[...all]", path: "/api/auth/sign-up/email", answers: open(404) },
];

const MATRIX: Row[] = [
  ...USER,
  ...DIAGNOSIS,
  ...PUBLIC,
  ...Object.entries(ADMIN).map(([route, [least, status]]) => ({ route, answers: byRole(least, status) })),
];

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
