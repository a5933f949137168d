import { isDeepStrictEqual } from "node:util";
import { call, createGroup, expect, newId, type Response, test } from "../fixtures/api";

/** Sends a request many times concurrently, alternating between the two instances, which share one database. */
const atOnce = (count: number, send: (service: 0 | 1) => Promise<Response>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send((index % 2) as 0 | 1)));

test("32 POSTs with one Idempotency-Key rotate once and get the same answer", async ({ database }) => {
  const group = await createGroup();
  const options = { body: { current_token: group.token }, headers: { "idempotency-key": newId("key") } };
  const answers = await atOnce(32, (service) => call("POST", "/api/user", { ...options, service }));
  expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const history = await database.query(
    "SELECT FROM audit_entry WHERE team_id = $1 AND action = 'user_group.token_rotated'",
    [group.team_id],
  );
  expect(history).toHaveLength(1);
});

test("concurrent updates and rotations lose nothing", async ({ database }) => {
  const group = await createGroup({ name: "0" });
  const changes = Array.from({ length: 24 }, (_, index) =>
    index % 2 === 0 ? { name: `name ${index}` } : { properties: { index } },
  );
  const body = { user_group_id: group.provided_id };
  let token = group.token;
  const rotations = (async () => {
    for (let count = 0; count < 10; count++) {
      const { json } = await call("POST", "/api/user", { body: { current_token: token }, service: 1 });
      token = json.user_group.token;
    }
  })();
  const updates = await Promise.all(
    changes.map((change, index) =>
      call("PUT", "/api/user", { body: { ...body, ...change }, service: index % 2 === 0 ? 0 : 1 }),
    ),
  );
  await rotations;
  expect(updates.every(({ status }) => status === 200)).toBe(true);
  const { json } = await call("GET", "/api/user", { body });
  expect(json.user_group.token).toBe(token);
  const history = await database.query("SELECT before, after FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(history).toHaveLength(1 + 24 + 10);
  for (const [index, { before, after }] of history.entries()) {
    expect(before).toBe(index === 0 ? null : history[index - 1].after);
    if (index === 0) continue;
    const [was, is] = [JSON.parse(before), JSON.parse(after)];
    // A change that waited for another keeps what that one set.
    expect(Object.keys(is).filter((field) => !isDeepStrictEqual(is[field], was[field]))).toHaveLength(1);
  }
});
