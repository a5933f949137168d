import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";

const act = (verb: "suspend" | "resume", body: unknown) => call("POST", `/api/user-groups/${verb}`, { body });
const view = async (token: string) => (await call("POST", "/api/viewer", { body: { token } })).json;

test("a suspended group keeps its token, and a renderer is told why it is not served", async ({ database }) => {
  const group = await createGroup();
  const suspended = await act("suspend", { user_group_id: group.provided_id, reason: "Invoice 4711" });
  expect(suspended.status, suspended.text).toBe(200);
  expect(suspended.json.user_group).toMatchObject({ team_id: group.team_id, state: "suspended", access_ends_at: null });
  expect(suspended.text).not.toContain(group.token);
  expect(await view(group.token)).toEqual({ success: 1, active: false, reason: "suspended" });
  const found = await call("GET", "/api/user", { body: { user_group_id: group.provided_id } });
  expect(found.json.user_group.token).toBe(group.token);
  const again = await act("suspend", { user_group_id: group.provided_id });
  expect(again.headers.etag).toBe(suspended.headers.etag);
  expect((await act("resume", { user_group_id: group.provided_id })).json.user_group.state).toBe("active");
  expect(await view(group.token)).toMatchObject({ active: true });
  const rows = await database.query("SELECT action, before, after FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(rows.map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.suspended",
    "user_group.resumed",
  ]);
  expect(JSON.parse(rows[1].after)).toEqual({ state: "suspended", reason: "Invoice 4711" });
  const [{ gen, version }] = await database.query("SELECT gen, version FROM user_group WHERE team_id = $1", [
    group.team_id,
  ]);
  expect({ gen, version }).toEqual({ gen: 2, version: 3 });
});

test("a group whose access has ended is not served, by the database's clock", async ({ database }) => {
  const { token, team_id } = await createGroup();
  const end = (at: string) =>
    database.query("UPDATE user_group SET access_ends_at = $2::timestamptz WHERE team_id = $1", [team_id, at]);
  await end("2099-01-01T00:00:00Z");
  expect(await view(token)).toMatchObject({ active: true });
  await end("2026-01-01T00:00:00Z");
  expect(await view(token)).toEqual({ success: 1, active: false, reason: "ended" });
});

test("an unknown group, a read-only token and another environment change nothing", async ({ stage }) => {
  const { provided_id, token } = await createGroup();
  expectError(await act("suspend", { user_group_id: newId() }), 404, "unknown_user_group");
  expectError(await act("suspend", { user_group_id: provided_id, reason: "" }), 422, "invalid_fields");
  for (const [apiToken, status, code] of [
    [stage.tokens.readOnly, 403, "forbidden"],
    [stage.tokens.production, 404, "unknown_user_group"],
  ] as const) {
    const answer = await call("POST", "/api/user-groups/suspend", {
      token: apiToken,
      body: { user_group_id: provided_id },
    });
    expectError(answer, status, code);
  }
  expect(await view(token)).toMatchObject({ active: true });
});

test("viewers and suspensions at once: each question gets one of the two answers, and the last the last", async () => {
  const { provided_id, token } = await createGroup();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 4 === 3 ? act(n % 8 === 3 ? "suspend" : "resume", { user_group_id: provided_id }) : view(token),
    ),
  );
  expect(answers).toHaveLength(40);
  await act("suspend", { user_group_id: provided_id });
  expect(await view(token)).toEqual({ success: 1, active: false, reason: "suspended" });
});
