import { answersOf, FULL, programsFor } from "../fixtures/access-callers";
import { asBrowsers, asStrangers, withTokens } from "../fixtures/access-credentials";
import { MATRIX, removeLeftovers } from "../fixtures/access-matrix";
import { type CallOptions, call, expect, test } from "../fixtures/api";
import { declaredCallers, routeFiles } from "../fixtures/declared-routes";

test.afterAll(({ database }) => removeLeftovers(database));

test("every route has a row, and every row a route", async () => {
  const declared = await declaredCallers();
  const stated = new Set(MATRIX.map(({ route }) => route));
  expect([...declared.keys()].filter((route) => !stated.has(route))).toEqual([]);
  expect([...stated].filter((route) => !declared.has(route))).toEqual([]);
});

test("every conditional scope has a row with such a request, and vice versa", async () => {
  const declared = await declaredCallers();
  const needed = [...declared].flatMap(([route, callers]) =>
    callers.kind === "scoped" ? callers.sometimes.map(({ when }) => `${route} ${when}`) : [],
  );
  const stated = MATRIX.filter(({ when }) => when !== undefined).map(({ route, when }) => `${route} ${when}`);
  expect(needed.length).toBeGreaterThan(5);
  expect([...new Set(stated)].toSorted()).toEqual([...new Set(needed)].toSorted());
});

/** A GET that creates a group, is recorded in the history, signs in, or streams a file. */
const WITHOUT_HEAD = [
  "/api/auth/[...all]",
  "/api/jobs/[id]/failed",
  "/api/user",
  "/api/user-groups/export",
  "/api/user-groups/history/export",
];

test("HEAD is GET without a body, except where GET has side effects", async ({ stage }) => {
  for (const { path, methods } of await routeFiles()) {
    const url = stage.urls[0] + path.replace(/\[[^\]]+\]/g, "1");
    const response = await fetch(url, { method: "HEAD" });
    expect(await response.text(), path).toBe("");
    if (methods.includes("GET") && !WITHOUT_HEAD.includes(path)) {
      const get = await fetch(url);
      await get.body?.cancel();
      expect(response.status, path).toBe(get.status);
      expect(response.headers.get("content-type"), path).toBe(get.headers.get("content-type"));
    } else {
      expect(response.status, path).toBe(405);
      expect(response.headers.get("allow")?.split(", ").toSorted(), path).toEqual([...methods, "OPTIONS"].toSorted());
    }
  }
});

test("each caller gets the answer declared by the route", { tag: "@release" }, async ({ database }) => {
  test.setTimeout(300_000);
  const declared = await declaredCallers();
  const tokens = await withTokens([FULL, ...[...declared.values()].flatMap(programsFor)]);
  const as: Record<string, CallOptions> = {
    ...tokens,
    ...(await asStrangers(database)),
    ...(await asBrowsers(database)),
  };
  const place = { database, full: tokens[FULL.name]?.token ?? "" };
  for (const row of MATRIX) {
    const [method = "", pattern = ""] = row.route.split(" ");
    const callers = declared.get(row.route);
    if (!callers) throw new Error(`${row.route} is no route`);
    const expected = answersOf(callers, row);
    const got: Record<string, number> = {};
    const prepare = async () => {
      // A number without a row, and a slug without an environment.
      const { path = pattern.replace(/\[[^\]]+\]/g, "999999999"), body = {} } = (await row.call?.(place)) ?? {};
      return { path, ...((method !== "GET" || Object.keys(body).length > 0) && { body }) };
    };
    const send = async (name: string, { path, ...sent }: Awaited<ReturnType<typeof prepare>>) => {
      const response = await call(method, path, { ...as[name], ...sent });
      got[name] = response.status;
      if (response.status >= 400) expect(response.json, `${row.route}: ${name}`).toMatchObject({ success: 0 });
      const [, lacking] = /^without (.+)/.exec(name) ?? [];
      if (lacking && response.status === 403) expect.soft(response.json.error.message, row.route).toContain(lacking);
    };
    const names = Object.keys(expected);
    const isRefused = (name: string) => [401, 403].includes(expected[name] ?? 0);
    // Refused calls change nothing, so they can share a request.
    const shared = await prepare();
    await Promise.all(names.filter(isRefused).map((name) => send(name, shared)));
    for (const name of names) if (!isRefused(name)) await send(name, await prepare());
    expect.soft(got, [row.route, row.when].join(" ")).toEqual(expected);
  }
});
