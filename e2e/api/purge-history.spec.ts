import pg from "pg";
import { call, createGroup, expect, expectError } from "../fixtures/api";
import { testWithToken } from "../fixtures/scoped-token";

const test = testWithToken("groups:delete", "groups:purge");

const ENTRIES = 60_000;
const CALLS = 20;

test("a long history is erased in chunks, and a repeated call resumes; the group goes last", {
  tag: "@release",
}, async ({ token, database }) => {
  const { provided_id: user_group_id, team_id } = await createGroup();
  await database.query(
    `INSERT INTO audit_entry (environment_id, team_id, action, before, after, actor_type, actor_id, actor_name)
     SELECT environment_id, team_id, 'user_group.updated', repeat('{"secret":1}', 20), repeat('{"secret":2}', 20),
       'operator', NULL, 'test' FROM user_group, generate_series(1, ${ENTRIES}) WHERE team_id = $1`,
    [team_id],
  );
  const left = async () => {
    const [row] = await database.query(
      "SELECT count(*)::int AS count FROM audit_entry WHERE team_id = $1 AND (before IS NOT NULL OR after IS NOT NULL)",
      [team_id],
    );
    return Number(row.count);
  };
  expect((await call("DELETE", "/api/user", { token, body: { user_group_id } })).status).toBe(200);
  let before = await left();
  expect(before).toBe(ENTRIES + 2);
  const kept = () => database.query("SELECT FROM deleted_group WHERE team_id = $1", [team_id]);
  for (let n = 1; ; n++) {
    const answer = await call("POST", "/api/user-groups/purge", { token, body: { team_id } });
    if (answer.status === 200) break;
    expectError(answer, 503, "unavailable");
    expect(answer.json.error.message).toContain("send the request again");
    const now = await left();
    expect(now).toBeLessThan(before);
    expect(await kept()).toHaveLength(1);
    before = now;
    expect(n).toBeLessThan(CALLS);
  }
  expect(await left()).toBe(0);
  expect(await kept()).toEqual([]);
  const actions = await database.query(
    "SELECT action FROM audit_entry WHERE team_id = $1 AND action <> 'user_group.updated' ORDER BY id",
    [team_id],
  );
  expect(actions.map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.deleted",
    "user_group.erased",
  ]);
});

test("the runtime role cannot blank a living group's history in chunks either", async ({ stage, database }) => {
  const { team_id } = await createGroup();
  const client = new pg.Client({ connectionString: stage.runtimeUrl });
  await client.connect();
  const attempt = () =>
    client
      .query(`SELECT blank_history(environment_id, team_id, 0, 9) FROM deleted_group WHERE team_id = ${team_id}`)
      .then(
        ({ rows }) => rows,
        (error) => error.code,
      );
  const columns =
    "team_id, environment_id, provided_id, name, mapping, token_index, token_sealed, version, created_at, updated_at, rotated_at";
  const fake = `INSERT INTO deleted_group (${columns}) SELECT ${columns} FROM user_group WHERE team_id = ${team_id}`;
  await client.query("BEGIN");
  await client.query(fake);
  expect(await attempt()).toBe("P0002");
  await client.query("ROLLBACK");
  await client.query("BEGIN");
  await client.query(fake);
  await client.query(`DELETE FROM user_group WHERE team_id = ${team_id}`);
  expect(await attempt()).toBe("P0002");
  await client.query("ROLLBACK");
  await client.end();
  const [entry] = await database.query("SELECT after FROM audit_entry WHERE team_id = $1", [team_id]);
  expect(entry.after).not.toBeNull();
});
