import { readFileSync } from "node:fs";
import { call, createGroup, expect, expectError, newId, view } from "../fixtures/api";
import { testWithToken } from "../fixtures/scoped-token";

const test = testWithToken("groups:read", "groups:delete");

const remove = (token: string, body: object | undefined, { query = "", headers = {} } = {}) =>
  call("DELETE", `/api/user${query}`, { token, ...(body && { body }), headers });

test("a group is deleted by its id in a body or query, by its token, or by both", async ({ token, database }) => {
  const requests: [(group: { provided_id: string; token: string }) => object | undefined, boolean][] = [
    [({ provided_id }) => ({ user_group_id: provided_id }), false],
    [() => undefined, true],
    [(group) => ({ current_token: group.token }), false],
    [(group) => ({ user_group_id: group.provided_id, current_token: group.token }), false],
  ];
  for (const [bodyOf, inQuery] of requests) {
    const group = await createGroup({ user_group_id: newId("a/b c") });
    const query = inQuery ? `?user_group_id=${encodeURIComponent(group.provided_id)}` : "";
    const answer = await remove(token, bodyOf(group), { query });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toBe('{"success":1}\n');
    expect(await view(group.token)).toEqual({ success: 1, active: false });
    const again = await remove(token, bodyOf(group), { query });
    expectError(
      again,
      404,
      bodyOf(group) && "user_group_id" in (bodyOf(group) ?? {})
        ? "unknown_user_group"
        : inQuery
          ? "unknown_user_group"
          : "unknown_token",
    );
    const history = await database.query("SELECT action, before FROM audit_entry WHERE team_id = $1 ORDER BY id", [
      group.team_id,
    ]);
    expect(history.map(({ action }) => action)).toEqual(["user_group.created", "user_group.deleted"]);
    expect(JSON.parse(history[1].before)).toMatchObject({ provided_id: group.provided_id });
  }
});

test("the next GET creates a deleted id again, with a new token and number", async ({ token }) => {
  const group = await createGroup();
  await remove(token, { user_group_id: group.provided_id });
  const { new_user_group, user_group } = (
    await call("GET", "/api/user", { body: { user_group_id: group.provided_id } })
  ).json;
  expect(new_user_group).toBe(true);
  expect(user_group.token).not.toBe(group.token);
  expect(user_group.team_id).not.toBe(group.team_id);
  expectError(await remove(token, { current_token: group.token }), 404, "unknown_token");
  expectError(
    await remove(token, { user_group_id: group.provided_id, current_token: group.token }),
    422,
    "invalid_fields",
  );
});

test("a mismatched id and token, a stale If-Match and malformed bodies delete nothing", async ({ token, database }) => {
  const [group, other] = [await createGroup(), await createGroup()];
  const id = group.provided_id;
  const disagreeing = await remove(token, { user_group_id: id, current_token: other.token });
  expectError(disagreeing, 422, "invalid_fields");
  expect(disagreeing.json.error.issues).toMatchObject([{ path: ["current_token"] }]);
  expectError(await remove(token, { user_group_id: newId(), current_token: other.token }), 422, "invalid_fields");
  const stale = { headers: { "if-match": `"${group.team_id}-2"` } };
  expectError(await remove(token, { user_group_id: id }, stale), 412, "stale");
  expectError(await remove(token, { current_token: group.token }, stale), 412, "stale");
  expectError(await remove(token, undefined), 400, "body_missing");
  expectError(await remove(token, { user_group_id: id }, { query: `?user_group_id=${id}` }), 422, "invalid_fields");
  for (const body of [
    {},
    { user_group_id: "" },
    { user_group_id: 1 },
    { current_token: "" },
    { user_group_id: id, x: 1 },
  ]) {
    expectError(await remove(token, body), 422, "invalid_fields");
  }
  const left = await database.query("SELECT version FROM user_group WHERE team_id = ANY ($1)", [
    [group.team_id, other.team_id],
  ]);
  expect(left).toEqual([{ version: 1 }, { version: 1 }]);
  const current = { headers: { "if-match": `"${group.team_id}-1"` } };
  expect((await remove(token, { user_group_id: id }, current)).status).toBe(200);
});

test("a token in the query is refused and never logged", async ({ token, stage }) => {
  const group = await createGroup();
  for (const query of [
    `?current_token=${group.token}`,
    `?user_group_id=${group.provided_id}&current_token=${group.token}`,
  ]) {
    const answer = await remove(token, undefined, { query });
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.issues).toMatchObject([{ path: ["current_token"] }]);
    expect(answer.text).not.toContain(group.token);
  }
  expect(await view(group.token)).toMatchObject({ active: true });
  for (const log of stage.logs) expect(readFileSync(log, "utf8")).not.toContain(group.token.slice(4, 24));
});

test("without the scope, or in another environment, nothing is deleted", async ({ token, stage }) => {
  const { provided_id } = await createGroup({}, { token: stage.tokens.production });
  expectError(await remove(token, { user_group_id: provided_id }), 404, "unknown_user_group");
  const refused = await remove(stage.tokens.production, { user_group_id: provided_id });
  expectError(refused, 403, "forbidden");
});

test("of 64 concurrent deletions of one group one succeeds, and the others find nothing", async ({
  token,
  database,
}) => {
  const group = await createGroup();
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      remove(token, n % 2 ? { user_group_id: group.provided_id } : { current_token: group.token }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(63);
  const kept = await database.query("SELECT gen FROM deleted_group WHERE team_id = $1", [group.team_id]);
  expect(kept).toEqual([{ gen: 2 }]);
});

test("after 63 concurrent updates and a deletion, the deleted group holds every acknowledged update", async ({
  token,
  database,
}) => {
  const group = await createGroup();
  const id = group.provided_id;
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      n === 40
        ? remove(token, { user_group_id: id })
        : call("PUT", "/api/user", { body: { user_group_id: id, name: `Name ${n}` } }),
    ),
  );
  expect(answers[40]?.status).toBe(200);
  const updated = answers.filter((answer, n) => n !== 40 && answer.status === 200);
  for (const [n, answer] of answers.entries()) if (n !== 40) expect([200, 404]).toContain(answer.status);
  expect(await database.query("SELECT FROM user_group WHERE provided_id = $1", [id])).toEqual([]);
  const [kept] = await database.query("SELECT version, name FROM deleted_group WHERE team_id = $1", [group.team_id]);
  expect(kept.version).toBe(1 + updated.length);
  const history = await database.query("SELECT action, before, after FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(history).toHaveLength(2 + updated.length);
  expect(history.at(-1).action).toBe("user_group.deleted");
  for (const [n, entry] of history.entries()) if (n > 0) expect(entry.before).toBe(history[n - 1].after);
});
