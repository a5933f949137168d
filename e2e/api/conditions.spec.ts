import * as apiModules from "@/app/api-routes";
import { PRESETS } from "@/lib/authority/scopes";
import type { RouteModule } from "@/lib/endpoint/routes";
import { call, createGroup, expect, expectError, newId } from "../fixtures/api";
import { testWithToken } from "../fixtures/scoped-token";

const test = testWithToken(...PRESETS.full);

/** Calls older than conditions. They ignore conditions, and stay that way. */
const CONTRACT = ["PUT /api/user", "POST /api/user", "POST /api/user/get-or-create", "POST /api/viewer"];

test("only the contract's changes ignore conditions", () => {
  const ignoring = Object.entries<RouteModule>(apiModules).flatMap(([path, { GET: _, ...changes }]) =>
    Object.entries(changes).flatMap(([method, endpoint]) =>
      endpoint.conditions === "ignored" ? [`${method} ${path}`] : [],
    ),
  );
  expect(ignoring.toSorted()).toEqual(CONTRACT.toSorted());
});

test("a condition without effect is refused with the calls that honour it", async ({ token }) => {
  const { provided_id: user_group_id, team_id } = await createGroup({ name: "As it was" });
  const headers = { "idempotency-key": newId("key") };
  for (const [method, path, body] of [
    ["PATCH", "/api/user", { user_group_id, name: "Changed" }],
    ["DELETE", "/api/user", { user_group_id }],
    ["POST", "/api/user/upsert", { user_group_id, name: "Changed" }],
    ["POST", "/api/user-groups/suspend", { user_group_id }],
    ["POST", "/api/user-groups/restore", { user_group_id }],
    ["POST", "/api/jobs/1/apply", {}],
  ] as const) {
    const refused = await call(method, path, { token, body, headers });
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues).toEqual([
      {
        path: ["Idempotency-Key"],
        message:
          "has no effect on this call: it works on POST /api/user, /api/user-groups/rotate, /api/user-groups/batch and /api/jobs",
      },
    ]);
  }
  for (const [path, body] of [
    ["/api/user/upsert", { user_group_id, name: "Changed" }],
    ["/api/user-groups/batch", { mode: "delete", user_groups: [{ user_group_id }] }],
    ["/api/user-groups/restore", { user_group_id }],
  ] as const) {
    const refused = await call("POST", path, { token, body, headers: { "if-match": `"${team_id}-1"` } });
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues[0].path).toEqual(["If-Match"]);
  }
  const list = await call("GET", `/api/user-groups?team_id=${team_id}`, { token });
  expect(list.json.user_groups).toMatchObject([{ name: "As it was", state: "active", etag: `"${team_id}-1"` }]);
  const put = await call("PUT", "/api/user", { token, body: { user_group_id, name: "By PUT" }, headers });
  expect(put.json.user_group.name).toBe("By PUT");
});

test("a rotation by id or number happens once per key", async ({ token }) => {
  const { team_id, provided_id: user_group_id, token: first } = await createGroup();
  const key = newId("key");
  const rotate = (body: object, headers: object = {}, service: 0 | 1 = 0) =>
    call("POST", "/api/user-groups/rotate", { token, body, headers: { "idempotency-key": key, ...headers }, service });
  const same = { "if-match": `"${team_id}-1"` };
  const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => rotate({ team_id }, same, n % 2 ? 1 : 0)));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  const [second, ...others] = [...new Set(answers.map(({ json }) => json.user_group.token))];
  expect(others).toEqual([]);
  expect(second).not.toBe(first);
  expect((await rotate({ team_id })).json.user_group.token).toBe(second);
  expectError(await rotate({ user_group_id }), 409, "idempotency_conflict");
  expectError(await rotate({ team_id }, { "idempotency-key": newId("key"), ...same }), 412, "stale");
  const own = await call("POST", "/api/user", {
    token,
    body: { current_token: second },
    headers: { "idempotency-key": key },
  });
  expectError(own, 409, "idempotency_conflict");
  const now = await rotate({ user_group_id }, { "idempotency-key": newId("key") });
  expect(now.json.user_group.token).not.toBe(second);
});
