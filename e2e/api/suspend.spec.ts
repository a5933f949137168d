import { call, createGroup, expect, expectError, newId, type Response, test, view } from "../fixtures/api";
import { scopedToken } from "../fixtures/scoped-token";

const act = (verb: "suspend" | "resume", body: unknown) => call("POST", `/api/user-groups/${verb}`, { body });

test("a suspended group keeps its token, and renderers learn why it is not served", async ({ database }) => {
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

test("suspend and resume honour If-Match", async () => {
  const { provided_id, team_id } = await createGroup();
  const body = { user_group_id: provided_id };
  const headers = { "if-match": `"${team_id}-2"` };
  expectError(await call("POST", "/api/user-groups/suspend", { body, headers }), 412, "stale");
  const suspended = await call("POST", "/api/user-groups/suspend", { body, headers: { "if-match": `"${team_id}-1"` } });
  expect(suspended.headers.etag).toBe(`"${team_id}-2"`);
  const resumed = await call("POST", "/api/user-groups/resume", { body, headers });
  expect(resumed.json.user_group.state).toBe("active");
  expectError(await call("POST", "/api/user-groups/resume", { body, headers }), 412, "stale");
});

const patch = (body: object) => call("PATCH", "/api/user", { body });
const upsert = (body: object) => call("POST", "/api/user/upsert", { body });

test("PATCH and upsert set access_ends_at; bringing it forward raises the generation", async ({ database }) => {
  const { provided_id: user_group_id, team_id, token } = await createGroup();
  const row = async () =>
    (await database.query("SELECT access_ends_at, gen, version FROM user_group WHERE team_id = $1", [team_id]))[0];
  const steps: [end: string | null, stored: string | null, gen: number][] = [
    ["2099-01-01T01:00:00+01:00", "2099-01-01T00:00:00.000Z", 2],
    ["2099-06-01T00:00:00.1239Z", "2099-06-01T00:00:00.123Z", 2],
    ["2099-05-01T00:00:00Z", "2099-05-01T00:00:00.000Z", 3],
    [null, null, 3],
    ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000Z", 4],
  ];
  for (const [n, [end, stored, gen]] of steps.entries()) {
    const answer = await (n % 2 ? upsert : patch)({ user_group_id, access_ends_at: end });
    expect(answer.status, answer.text).toBe(200);
    const now = await row();
    expect({ end: now.access_ends_at?.toISOString() ?? null, gen: now.gen, version: now.version }).toEqual({
      end: stored,
      gen,
      version: n + 2,
    });
  }
  expect(await view(token)).toEqual({ success: 1, active: false, reason: "ended" });
  expect((await upsert({ user_group_id, access_ends_at: "2020-01-01T00:00:00Z" })).json.changed).toBe(false);
  expect((await patch({ user_group_id, name: "Ended, and renamed" })).status).toBe(200);
  expect((await row()).access_ends_at.toISOString()).toBe("2020-01-01T00:00:00.000Z");
  expect((await patch({ user_group_id, access_ends_at: null })).status).toBe(200);
  expect(await view(token)).toMatchObject({ active: true });
  const history = await database.query(
    "SELECT before, after FROM audit_entry WHERE team_id = $1 AND action = 'user_group.updated' ORDER BY id",
    [team_id],
  );
  const ends = history.map(({ before, after }) => [
    JSON.parse(before).access_ends_at,
    JSON.parse(after).access_ends_at,
  ]);
  expect(ends.slice(0, 2)).toEqual([
    [undefined, "2099-01-01T00:00:00.000Z"],
    ["2099-01-01T00:00:00.000Z", "2099-06-01T00:00:00.123Z"],
  ]);
});

test("an upsert creates a group with its access_ends_at in one step", async ({ database }) => {
  const user_group_id = newId();
  const answer = await upsert({ user_group_id, access_ends_at: "2099-01-01T00:00:00Z" });
  expect(answer.json).toMatchObject({ new_user_group: true });
  const { team_id } = answer.json.user_group;
  const [{ access_ends_at, gen, version }] = await database.query("SELECT * FROM user_group WHERE team_id = $1", [
    team_id,
  ]);
  expect({ end: access_ends_at.toISOString(), gen, version }).toEqual({
    end: "2099-01-01T00:00:00.000Z",
    gen: 1,
    version: 1,
  });
});

test("access_ends_at must be an RFC 3339 time, and is refused in GET and PUT", async () => {
  const { provided_id: user_group_id } = await createGroup();
  for (const access_ends_at of [
    "",
    "tomorrow",
    "2027-01-31",
    "2027-01-31T10:00:00",
    1_800_000_000,
    "0000-01-01T00:00:00Z",
    {},
  ]) {
    const refused = await patch({ user_group_id, access_ends_at });
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues[0].path).toEqual(["access_ends_at"]);
  }
  for (const method of ["GET", "PUT"]) {
    const refused = await call(method, "/api/user", { body: { user_group_id, access_ends_at: null } });
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues[0].message).toBe("is not a known field: set it with PATCH /api/user");
    expect(refused.json.error.issues[0].path).toEqual(["access_ends_at"]);
  }
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

test("every answer shows the same state: suspended before ended before active", async () => {
  const { provided_id: user_group_id, team_id } = await createGroup();
  const token = await scopedToken("groups:read", "groups:delete");
  const listed = async () =>
    (await call("GET", `/api/user-groups?team_id=${team_id}`, { token })).json.user_groups[0].state;
  const body = { user_group_id };
  for (const [access_ends_at, state] of [
    ["2099-01-01T00:00:00Z", "active"],
    ["2020-01-01T00:00:00Z", "ended"],
  ]) {
    expect((await patch({ user_group_id, access_ends_at })).status).toBe(200);
    expect((await act("suspend", body)).json.user_group.state).toBe("suspended");
    expect((await act("suspend", body)).json.user_group.state).toBe("suspended");
    expect(await listed()).toBe("suspended");
    expect((await act("resume", body)).json.user_group.state).toBe(state);
    expect((await act("resume", body)).json.user_group.state).toBe(state);
    expect(await listed()).toBe(state);
    expect((await call("DELETE", "/api/user", { token, body })).status).toBe(200);
    const deleted = await call("GET", `/api/user-groups/deleted?user_group_id=${user_group_id}`, { token });
    expect(deleted.json.user_groups[0].state).toBe(state);
    const restored = await call("POST", "/api/user-groups/restore", { token, body });
    expect(restored.json.user_group.state).toBe(state);
  }
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

/** The state a renderer saw; the whole answer if it is neither. */
function stateOf({ text, json }: Response): string {
  if (text === '{"success":1,"active":false,"reason":"suspended"}\n') return "suspended";
  return json?.success === 1 && json.active === true && json.user_group ? "active" : text;
}

test("64 concurrent checks over two services see either state, and after a confirmed change the new one", async () => {
  const { provided_id, token } = await createGroup();
  const viewers = 63;
  for (const [round, verb] of (["suspend", "resume", "suspend", "resume", "suspend"] as const).entries()) {
    const [before, after] = verb === "suspend" ? ["active", "suspended"] : ["suspended", "active"];
    let sent = Number.POSITIVE_INFINITY;
    let confirmed = Number.POSITIVE_INFINITY;
    const answers: { began: number; ended: number; state: string }[] = [];
    /** Repeats the check until one began after the change was confirmed. */
    const ask = async (service: 0 | 1) => {
      for (let began = 0; began <= confirmed; ) {
        began = performance.now();
        const answer = await call("POST", "/api/viewer", { body: { token }, service });
        answers.push({ began, ended: performance.now(), state: stateOf(answer) });
      }
    };
    const change = async (service: 0 | 1) => {
      await expect.poll(() => answers.length, { intervals: [5] }).toBeGreaterThan(viewers);
      sent = performance.now();
      const { status } = await call("POST", `/api/user-groups/${verb}`, {
        body: { user_group_id: provided_id },
        service,
      });
      confirmed = performance.now();
      expect(status).toBe(200);
    };
    const asks = Array.from({ length: viewers }, (_, n) => ask(n % 2 ? 1 : 0));
    await Promise.all([change(round % 2 ? 1 : 0), ...asks]);
    const states = (some: typeof answers) => [...new Set(some.map(({ state }) => state))].sort();
    expect(states(answers.filter(({ ended }) => ended < sent))).toEqual([before]);
    expect(states(answers.filter(({ began }) => began > confirmed))).toEqual([after]);
    expect(states(answers)).toEqual(["active", "suspended"]);
  }
});
