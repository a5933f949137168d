import { randomUUID } from "node:crypto";
import { SCOPES } from "@/lib/authority/scopes";
import { call, createGroup, expect, expectError, newId, test, view } from "../fixtures/api";
import { checkHistory } from "../fixtures/history";
import { scopedToken } from "../fixtures/scoped-token";
import { readStored } from "../fixtures/stored";
import { witnessOf } from "../fixtures/witness";

const ROUNDS = Number(process.env.OVERLAP_ROUNDS ?? 25);
const CALLERS = 64;

const rotate = (current_token: string, overlap_seconds?: number, headers = {}) =>
  call("POST", "/api/user", { body: { current_token, overlap_seconds }, headers });
const end = (user_group_id: string) => call("POST", "/api/user/end-overlap", { body: { user_group_id } });
const reading = async (path: string) => call("GET", path, { token: await scopedToken("groups:read") });
const listed = async (teamId: number) => (await reading(`/api/user-groups?team_id=${teamId}`)).json.user_groups[0];
const INACTIVE = { success: 1, active: false };

/** A group with an overlap of an hour. */
async function overlapping() {
  const group = await createGroup();
  const { status, text, json } = await rotate(group.token, 3_600);
  expect(status, text).toBe(200);
  return { ...group, old: group.token, token: String(json.user_group.token), until: json.previous_token_valid_until };
}

test("both tokens are valid during an overlap, and renderers learn which one a viewer has", async () => {
  const before = Date.now();
  const { provided_id, team_id, old, token, until } = await overlapping();
  expect(Math.abs(Date.parse(until) - before - 3_600_000)).toBeLessThan(10_000);
  const current = await view(token);
  expect(current).toMatchObject({ active: true, user_group: { team_id, provided_id } });
  expect(current).not.toHaveProperty("token_state");
  expect(await view(old)).toEqual({ ...current, token_state: "previous", valid_until: until });
  const found = await call("GET", "/api/user", { body: { user_group_id: provided_id } });
  expect(found.json.user_group.token).toBe(token);
});

for (const overlap of [undefined, 0]) {
  test(`overlap_seconds ${overlap ?? "absent"} answers without previous_token_valid_until, and ends both earlier tokens`, async ({
    database,
  }) => {
    const group = await createGroup();
    const plain = await rotate(group.token, overlap);
    expect(Object.keys(plain.json)).toEqual(["success", "user_group"]);
    expect(await view(group.token)).toEqual(INACTIVE);
    const first = plain.json.user_group.token;
    const second = (await rotate(first, 60)).json.user_group.token;
    expect(await view(first)).toMatchObject({ token_state: "previous" });
    const last = await rotate(second, overlap);
    expect(Object.keys(last.json)).toEqual(["success", "user_group"]);
    expect([await view(first), await view(second)]).toEqual([INACTIVE, INACTIVE]);
    expect(await view(last.json.user_group.token)).toMatchObject({ active: true });
    expectError(await rotate(first, 60), 404, "unknown_token");
    const values = [group.team_id];
    expect(await database.query("SELECT FROM previous_token WHERE team_id = $1", values)).toEqual([]);
    const [{ gen }] = await database.query("SELECT gen FROM user_group WHERE team_id = $1", values);
    // Only rotations without an overlap end signed viewer tokens.
    expect(gen).toBe(3);
  });
}

test("repeating a rotation with the replaced token returns the same successor and rotates nothing", async ({
  database,
}) => {
  const { old, token, until, team_id, provided_id } = await overlapping();
  const again = await rotate(old, 7);
  expect(again.status, again.text).toBe(200);
  expect(again.json).toMatchObject({ previous_token_valid_until: until, user_group: { team_id, provided_id, token } });
  expect(again.headers.etag).toBe(`"${team_id}-2"`);
  expectError(await rotate(old), 404, "unknown_token");
  expectError(await rotate(old, 0), 404, "unknown_token");
  expect(await view(old)).toMatchObject({ valid_until: until });
  const rotations = "SELECT FROM audit_entry WHERE team_id = $1 AND action = 'user_group.token_rotated'";
  expect(await database.query(rotations, [team_id])).toHaveLength(1);
});

test("a second overlap is refused while one is running, and possible after its end", async ({ database }) => {
  const { old, token, team_id, provided_id } = await overlapping();
  expectError(await rotate(token, 60), 409, "overlap_running");
  const byId = { user_group_id: provided_id, overlap_seconds: 60 };
  expectError(await call("POST", "/api/user-groups/rotate", { body: byId }), 409, "overlap_running");
  expect([await view(old), await view(token)]).toMatchObject([{ active: true }, { active: true }]);
  await database.query("UPDATE previous_token SET valid_until = now() WHERE team_id = $1", [team_id]);
  expect(await view(old)).toEqual(INACTIVE);
  expectError(await rotate(old, 60), 404, "unknown_token");
  const next = await rotate(token, 60);
  expect(next.status, next.text).toBe(200);
  expect(await view(token)).toMatchObject({ token_state: "previous" });
  expect(await view(old)).toEqual(INACTIVE);
});

test("a rotation by id or number can overlap too, and repeats its answer for an Idempotency-Key", async () => {
  const { provided_id, team_id, token } = await createGroup();
  const headers = { "idempotency-key": randomUUID(), "if-match": `"${team_id}-1"` };
  const replace = (body: object) => call("POST", "/api/user-groups/rotate", { body, headers });
  const first = await replace({ team_id, overlap_seconds: 60 });
  expect(first.status, first.text).toBe(200);
  expect((await replace({ team_id, overlap_seconds: 60 })).text).toBe(first.text);
  expectError(await replace({ team_id, overlap_seconds: 61 }), 409, "idempotency_conflict");
  expectError(await replace({ team_id }), 409, "idempotency_conflict");
  expect(await view(token)).toMatchObject({ token_state: "previous", user_group: { provided_id } });
});

test("an Idempotency-Key covers the overlap", async () => {
  const { token } = await createGroup();
  const key = { "idempotency-key": randomUUID() };
  const first = await rotate(token, 60, key);
  expect(first.json).toHaveProperty("previous_token_valid_until");
  expect((await rotate(token, 60, key)).text).toBe(first.text);
  expectError(await rotate(token, 61, key), 409, "idempotency_conflict");
  expectError(await rotate(token, undefined, key), 409, "idempotency_conflict");
  const plain = { "idempotency-key": randomUUID() };
  const last = await rotate(first.json.user_group.token, undefined, plain);
  expect((await rotate(first.json.user_group.token, 0, plain)).text).toBe(last.text);
  // The replaced token returns the same successor for another key.
  const { token: current } = (await rotate(last.json.user_group.token, 60)).json.user_group;
  const repeated = await rotate(last.json.user_group.token, 60, { "idempotency-key": randomUUID() });
  expect(repeated.json.user_group.token).toBe(current);
});

test("an overlap can be ended early, once", async ({ database }) => {
  const { provided_id, team_id, name, old, token, until } = await overlapping();
  const ended = await end(provided_id);
  expect(ended.status, ended.text).toBe(200);
  const user_group = { team_id, provided_id, name, api_environment_tag: "Testing" };
  expect(ended.json).toEqual({ success: 1, overlap_ended: true, user_group });
  expect(await view(old)).toEqual(INACTIVE);
  expect(await view(token)).toMatchObject({ active: true });
  expect((await end(provided_id)).json).toEqual({ success: 1, overlap_ended: false, user_group });
  expectError(await end(newId()), 404, "unknown_user_group");
  const entries = await database.query("SELECT action, before, after FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    team_id,
  ]);
  expect(entries.map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.token_rotated",
    "user_group.overlap_ended",
  ]);
  expect(JSON.parse(entries[1].after)).toMatchObject({ previous_token_valid_until: until });
  expect(JSON.parse(entries[2].before)).toEqual({ previous_token_valid_until: until });
  const [row] = await database.query("SELECT gen, version FROM user_group WHERE team_id = $1", [team_id]);
  expect(row).toEqual({ gen: 2, version: 2 });
  const history = await reading(`/api/user-groups/history?team_id=${team_id}`);
  expect(history.json.entries[1].after).toMatchObject({ provided_id, previous_token_valid_until: until });
  for (const secret of [old, token]) expect(history.text).not.toContain(secret);
});

test("an overlap needs the scope of a rotation, and can only be ended in its own environment", async ({ stage }) => {
  const { provided_id, old } = await overlapping();
  const body = { user_group_id: provided_id };
  const asking = await scopedToken("groups:read", "tokens:read", "viewers:ask");
  expectError(await call("POST", "/api/user/end-overlap", { body, token: asking }), 403, "forbidden");
  const rotating = await scopedToken("tokens:rotate");
  const elsewhere = { body, token: stage.tokens.production };
  expectError(await call("POST", "/api/user/end-overlap", elsewhere), 404, "unknown_user_group");
  expect((await call("POST", "/api/viewer", { ...elsewhere, body: { token: old } })).json).toEqual(INACTIVE);
  const again = { body: { current_token: old, overlap_seconds: 60 }, token: stage.tokens.production };
  expectError(await call("POST", "/api/user", again), 404, "unknown_token");
  expectError(await call("POST", "/api/user", { ...again, token: rotating }), 403, "forbidden");
  expect((await call("POST", "/api/user/end-overlap", { body, token: rotating })).json.overlap_ended).toBe(true);
});

test("lists show the previous token's last use, but never the token", { tag: "@release" }, async () => {
  const { provided_id, team_id, old, token, until } = await overlapping();
  expect(await listed(team_id)).toMatchObject({ previous_token: { valid_until: until, last_used_at: null } });
  await view(old);
  await expect
    .poll(async () => (await listed(team_id)).previous_token.last_used_at, { intervals: [100] })
    .not.toBeNull();
  expect(await listed(team_id)).toMatchObject({ token_last_used_at: null, token_first_used_at: null });
  await view(token);
  await expect.poll(async () => (await listed(team_id)).token_first_used_at, { intervals: [100] }).not.toBeNull();
  const { text } = await reading(`/api/user-groups?user_group_id=${encodeURIComponent(provided_id)}`);
  for (const secret of [old, token]) expect(text).not.toContain(secret);
  await end(provided_id);
  expect((await listed(team_id)).previous_token).toBeNull();
});

test("a use before the rotation counts for the previous token, and its checks for the group", async () => {
  const group = await createGroup();
  await view(group.token);
  await expect.poll(async () => (await listed(group.team_id)).token_last_used_at, { intervals: [100] }).not.toBeNull();
  const { token_last_used_at: last } = await listed(group.team_id);
  await rotate(group.token, 60);
  expect((await listed(group.team_id)).previous_token.last_used_at).toBe(last);
  await view(group.token);
  const checks = async () =>
    (await reading(`/api/usage?by=user_group&team_id=${group.team_id}`)).json.user_groups[0].checks;
  await expect.poll(checks, { intervals: [100] }).toBe(2);
});

test("an overlap never outlasts the group's access", async () => {
  const group = await createGroup();
  const soon = new Date(Date.now() + 1_500).toISOString();
  const patch = (access_ends_at: string | null) =>
    call("PATCH", "/api/user", { body: { user_group_id: group.provided_id, access_ends_at } });
  await patch(soon);
  const rotated = await rotate(group.token, 3_600);
  expect(rotated.json.previous_token_valid_until).toBe(soon);
  expect(await view(group.token)).toMatchObject({ valid_until: soon });
  expect((await listed(group.team_id)).previous_token.valid_until).toBe(soon);
  await expect.poll(() => view(group.token), { intervals: [100] }).toEqual({ ...INACTIVE, reason: "ended" });
  expectError(await rotate(group.token, 60), 404, "unknown_token");
  expect((await listed(group.team_id)).previous_token).toBeNull();
  expect((await end(group.provided_id)).json.overlap_ended).toBe(false);
  expect(await view(group.token)).toEqual(INACTIVE);
  // The replaced token stays invalid when access is restored, and the history says why.
  await patch(null);
  expect(await view(group.token)).toEqual(INACTIVE);
  const { entries } = (await reading(`/api/user-groups/history?team_id=${group.team_id}`)).json;
  expect(entries[1]).toMatchObject({
    action: "user_group.overlap_ended",
    before: { previous_token_valid_until: soon },
  });
});

test("a suspended group's previous token is inactive, and valid again when the group is resumed", async () => {
  const { provided_id, old } = await overlapping();
  const act = (verb: string) => call("POST", `/api/user-groups/${verb}`, { body: { user_group_id: provided_id } });
  await act("suspend");
  expect(await view(old)).toEqual({ ...INACTIVE, reason: "suspended" });
  await act("resume");
  expect(await view(old)).toMatchObject({ active: true, token_state: "previous" });
});

test("a deletion stops both tokens, a restoration brings both back, and erasing leaves nothing", async ({
  database,
}) => {
  const { provided_id, team_id, old, token, until } = await overlapping();
  const full = await scopedToken(...SCOPES);
  const act = (method: string, path: string, body: object) => call(method, path, { body, token: full });
  await act("DELETE", "/api/user", { user_group_id: provided_id });
  expect([await view(old), await view(token)]).toEqual([INACTIVE, INACTIVE]);
  expectError(await rotate(old, 60), 404, "unknown_token");
  expectError(await end(provided_id), 404, "unknown_user_group");
  expect((await act("POST", "/api/user-groups/restore", { user_group_id: provided_id })).status).toBe(200);
  expect(await view(old)).toMatchObject({ token_state: "previous", valid_until: until });
  expect(await view(token)).toMatchObject({ active: true });
  await act("DELETE", "/api/user", { user_group_id: provided_id });
  expect((await act("POST", "/api/user-groups/purge", { team_id })).status).toBe(200);
  expect(await database.query("SELECT FROM previous_token WHERE team_id = $1", [team_id])).toEqual([]);
});

test("a previous token finds its group", async () => {
  const { team_id, old, until, provided_id } = await overlapping();
  const find = async () => (await call("POST", "/api/user-groups/find-by-token", { body: { text: `x=${old}` } })).json;
  expect(await find()).toMatchObject({ found: "previous", valid_until: until, user_group: { team_id } });
  await end(provided_id);
  expect(await find()).toMatchObject({ found: "rotated", user_group: { team_id } });
});

test("overlap_seconds must be whole seconds of at most 7 days", async () => {
  const { token, team_id } = await createGroup();
  for (const wrong of [-1, 604_801, 1.5, "60", null, true]) {
    for (const [path, body] of [
      ["/api/user", { current_token: token }],
      ["/api/user-groups/rotate", { team_id }],
    ] as const) {
      const refused = await call("POST", path, { body: { ...body, overlap_seconds: wrong } });
      expectError(refused, 422, "invalid_fields");
      expect(refused.json.error.issues[0].path).toEqual(["overlap_seconds"]);
    }
  }
  expect((await rotate(token, 604_800)).status).toBe(200);
});

test("a batch rotates many groups with an overlap, each independently, and returns no token", async () => {
  const full = await scopedToken(...SCOPES);
  const groups = await Promise.all(Array.from({ length: 40 }, () => createGroup()));
  const [{ provided_id: running, token: first } = groups[0] as (typeof groups)[0]] = groups;
  const { json } = await rotate(first, 60);
  const user_groups = [
    ...groups.map(({ provided_id }) => ({ user_group_id: provided_id })),
    { user_group_id: newId() },
  ];
  const body = { mode: "rotate", overlap_seconds: 3_600, user_groups };
  const batch = (more: object, headers = {}) =>
    call("POST", "/api/user-groups/batch", { body: { ...body, ...more }, token: full, headers });
  const foreseen = await batch({ dry_run: true });
  const outcomes = ({ json }: typeof foreseen) => json.results.map((one: { outcome: string }) => one.outcome);
  const expected = ["error", ...groups.slice(1).map(() => "rotated"), "error"];
  expect(outcomes(foreseen), foreseen.text).toEqual(expected);
  expect(await view(groups[1]?.token ?? "")).not.toHaveProperty("token_state");
  const headers = { "idempotency-key": randomUUID() };
  const done = await batch({}, headers);
  expect(outcomes(done), done.text).toEqual(expected);
  expect((await batch({}, headers)).text).toBe(done.text);
  expect(done.text).not.toContain("ugt_");
  expect(done.json.results[0].error.code).toBe("overlap_running");
  expect(done.json.results.at(-1).error.code).toBe("unknown_user_group");
  for (const [index, { token, team_id }] of groups.entries()) {
    if (index === 0) continue;
    const { previous_token_valid_until: valid_until, etag } = done.json.results[index];
    expect(await view(token)).toMatchObject({ token_state: "previous", valid_until });
    expect(etag).toBe(`"${team_id}-2"`);
  }
  const now = await batch({ overlap_seconds: 0, user_groups: [{ user_group_id: running }] });
  expect(now.json.results).toMatchObject([{ outcome: "rotated" }]);
  expect(now.json.results[0]).not.toHaveProperty("previous_token_valid_until");
  expect([await view(first), await view(json.user_group.token)]).toEqual([INACTIVE, INACTIVE]);
  expectError(await batch({ mode: "update" }), 422, "invalid_fields");
  const writing = await scopedToken("groups:write");
  expectError(await call("POST", "/api/user-groups/batch", { body, token: writing }), 403, "forbidden");
});

test("a rotation by an earlier release ends the overlap too", async ({ database }) => {
  const { team_id, old, provided_id } = await overlapping();
  await database.query(
    "UPDATE user_group SET token_index = sha256(token_index), version = version + 1, rotated_at = now() WHERE team_id = $1",
    [team_id],
  );
  expect(await view(old)).toEqual(INACTIVE);
  expect((await listed(team_id)).previous_token).toBeNull();
  expect((await end(provided_id)).json.overlap_ended).toBe(false);
});

test(`of ${CALLERS} callers rotating one token with an overlap, one makes the successor and all get it: ${ROUNDS} rounds`, async ({
  stage,
}) => {
  test.setTimeout(60_000 + ROUNDS * 2_000);
  const witness = witnessOf(stage.urls, stage.tokens.testing, CALLERS);
  const id = newId("overlap-race");
  const begun = performance.now();
  let { outcome } = await witness.ask({ kind: "create", id, asked: "created" });
  for (let round = 0; round < ROUNDS; round++) {
    const asked = (typeof outcome === "object" && outcome.token) || "";
    const views = [0, 1].map((service) => witness.ask({ kind: "view", id, asked, service }));
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, caller) =>
        witness.ask({ kind: "rotate", id, asked, overlap: 3_600, service: caller % 2 }),
      ),
    );
    await Promise.all(views);
    const told = new Set(answers.map(({ outcome }) => (typeof outcome === "object" ? outcome.token : outcome)));
    expect([...told]).toEqual([expect.stringMatching(/^ugt_/)]);
    outcome = answers[0]?.outcome ?? outcome;
    const successor = [...told][0] ?? "";
    expect((await witness.ask({ kind: "view", id, asked })).outcome).toBe("previous");
    expect((await witness.ask({ kind: "view", id, asked: successor })).outcome).toBe("current");
    // Half of the overlaps are ended by request, the others by a rotation without one.
    if (round % 2 === 0) await witness.ask({ kind: "end-overlap", id, asked: "" });
    else ({ outcome } = await witness.ask({ kind: "rotate", id, asked: successor }));
    expect((await witness.ask({ kind: "view", id, asked, service: 1 })).outcome).toBe("inactive");
  }
  const seconds = (performance.now() - begun) / 1_000;
  const stored = await readStored(stage.databaseUrl, id);
  await witness.readAll(stored);
  await witness.close();
  expect(witness.failures.slice(0, 10)).toEqual([]);
  expect(checkHistory(witness.operations, stored).slice(0, 10)).toEqual([]);
  const plain = Math.floor(ROUNDS / 2);
  expect(stored).toMatchObject([{ rotated: ROUNDS + plain, overlapsEnded: ROUNDS - plain }]);
  test.info().annotations.push({ type: "figure", description: `${ROUNDS} rounds in ${seconds.toFixed(1)} s` });
});
