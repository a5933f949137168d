import { setTimeout as sleep } from "node:timers/promises";
import { call, createGroup, expect, newId, test } from "../fixtures/api";

// Concurrent changes share a statement and a commit, which only affects their timing.

test("concurrent changes each get their own outcome and history entry", async ({ database }) => {
  const make = () => createGroup({ name: "before" });
  const [twice, stale, rotated] = await Promise.all([make(), make(), make()]);
  const others = await Promise.all(Array.from({ length: 12 }, make));
  const created = [newId(), newId(), newId()];
  const put = (body: object, headers = {}) => call("PUT", "/api/user", { body, headers });
  const [gets, puts, puttingTwice, unknown, tagged, post, mistaken] = await Promise.all([
    Promise.all([...created, ...created].map((id) => call("GET", "/api/user", { body: { user_group_id: id } }))),
    Promise.all(others.map(({ provided_id }, at) => put({ user_group_id: provided_id, name: `after ${at}` }))),
    Promise.all(["one", "two"].map((name) => put({ user_group_id: twice.provided_id, name }))),
    put({ user_group_id: newId("unknown"), name: "nobody" }),
    put({ user_group_id: stale.provided_id, name: "late" }, { "if-match": `"${stale.team_id}-99"` }),
    call("POST", "/api/user", { body: { current_token: rotated.token } }),
    call("POST", "/api/user", { body: { current_token: `${rotated.token.slice(0, -1)}!` } }),
  ]);
  expect(gets.map(({ status }) => status)).toEqual(gets.map(() => 200));
  expect(gets.filter(({ json }) => json.new_user_group)).toHaveLength(created.length);
  for (const [at, { json }] of gets.entries()) expect(json.user_group.provided_id).toBe(created[at % created.length]);
  expect(new Set(gets.map(({ json }) => json.user_group.token)).size).toBe(created.length);
  for (const [at, { provided_id, token }] of others.entries()) {
    expect(puts[at]?.json.user_group).toMatchObject({ provided_id, token, name: `after ${at}` });
  }
  expect(puttingTwice.map(({ json }) => json.user_group.name)).toEqual(["one", "two"]);
  expect([unknown.status, tagged.status, post.status, mistaken.status]).toEqual([404, 412, 200, 404]);
  expect(post.json.user_group.provided_id).toBe(rotated.provided_id);
  const entries = (team: number) => database.query("SELECT FROM audit_entry WHERE team_id = $1", [team]);
  expect(await entries(twice.team_id)).toHaveLength(3);
  expect(await entries(stale.team_id)).toHaveLength(1);
  expect(await entries(rotated.team_id)).toHaveLength(2);
  const requests = await database.query(
    "SELECT count(DISTINCT request_id)::int AS count FROM audit_entry WHERE team_id = ANY ($1) AND action = 'user_group.updated'",
    [others.map(({ team_id }) => team_id)],
  );
  expect(requests).toEqual([{ count: others.length }]);
});

test("groups locked by another session delay no other change and no look-up", async ({ database }) => {
  const make = () => createGroup({ name: "before" });
  const [held, heldToo] = await Promise.all([make(), make()]);
  const others = await Promise.all(Array.from({ length: 11 }, make));
  let isHeld = true;
  const hold = database
    .query(
      "WITH held AS MATERIALIZED (SELECT FROM user_group WHERE team_id = ANY ($1) FOR UPDATE) SELECT pg_sleep(0.6) FROM (SELECT count(*) FROM held) AS all_held",
      [[held.team_id, heldToo.team_id]],
    )
    .then(() => {
      isHeld = false;
    });
  await expect
    .poll(() => database.query("SELECT FROM pg_stat_activity WHERE query LIKE 'WITH held%' AND wait_event = 'PgSleep'"))
    .toHaveLength(1);
  const rename = ({ provided_id }: { provided_id: string }) =>
    call("PUT", "/api/user", { body: { user_group_id: provided_id, name: "after" } });
  // Sequentially, one per statement; then concurrently, more than there are connections.
  const waiting = [];
  for (const group of [held, heldToo, held]) {
    waiting.push(rename(group));
    await sleep(20);
  }
  waiting.push(...Array.from({ length: 20 }, () => rename(held)));
  const look = ({ provided_id }: { provided_id: string }) =>
    call("GET", "/api/user", { body: { user_group_id: provided_id } });
  const answers = await Promise.all([...others.map(rename), ...others.map(look)]);
  expect(isHeld).toBe(true);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await hold;
  for (const { status, json } of await Promise.all(waiting)) {
    expect([status, json.user_group.name]).toEqual([200, "after"]);
  }
});
