import { call, createGroup, expect, newId, type Response, test } from "../fixtures/api";

/** Sends the same request many times at once, in turn to the two services on the one database. */
const atOnce = (count: number, send: (service: 0 | 1) => Promise<Response>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send((index % 2) as 0 | 1)));

test("64 GETs of one new id make one group, one token and one answer that says so", async ({ database }) => {
  const body = { user_group_id: newId() };
  const answers = await atOnce(64, (service) => call("GET", "/api/user", { body, service }));
  expect(answers.map(({ status }) => status)).toEqual(Array(64).fill(200));
  expect(new Set(answers.map(({ json }) => json.user_group.token)).size).toBe(1);
  expect(answers.filter(({ json }) => json.new_user_group)).toHaveLength(1);
  const rows = await database.query("SELECT team_id FROM user_group WHERE provided_id = $1", [body.user_group_id]);
  expect(rows).toHaveLength(1);
  expect(await database.query("SELECT FROM audit_entry WHERE team_id = $1", [rows[0].team_id])).toHaveLength(1);
});

test("of 64 POSTs of one current token one wins, and the database holds its token", async ({ database }) => {
  const group = await createGroup();
  const body = { current_token: group.token };
  const answers = await atOnce(64, (service) => call("POST", "/api/user", { body, service }));
  const winners = answers.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(63);
  const { json } = await call("GET", "/api/user", { body: { user_group_id: group.provided_id } });
  expect(json.user_group.token).toBe(winners[0]?.json.user_group.token);
  const history = await database.query("SELECT FROM audit_entry WHERE team_id = $1", [group.team_id]);
  expect(history).toHaveLength(2);
});

test("32 POSTs with one Idempotency-Key rotate once and answer alike", async ({ database }) => {
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

test("updates and rotations at once lose nothing", async ({ database }) => {
  const group = await createGroup({ name: "0" });
  const names = Array.from({ length: 24 }, (_, index) => `name ${index}`);
  const body = { user_group_id: group.provided_id };
  let token = group.token;
  const rotations = (async () => {
    for (let count = 0; count < 10; count++) {
      const { json } = await call("POST", "/api/user", { body: { current_token: token }, service: 1 });
      token = json.user_group.token;
    }
  })();
  const updates = await Promise.all(names.map((name) => call("PUT", "/api/user", { body: { ...body, name } })));
  await rotations;
  expect(updates.every(({ status }) => status === 200)).toBe(true);
  const { json } = await call("GET", "/api/user", { body });
  expect(json.user_group.token).toBe(token);
  const history = await database.query("SELECT before, after FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(history).toHaveLength(1 + 24 + 10);
  for (const [index, { before }] of history.entries())
    expect(before).toBe(index === 0 ? null : history[index - 1].after);
});

test("a chain of 200 rotations leaves only the last token", async () => {
  const group = await createGroup();
  const tokens = [group.token];
  for (let count = 0; count < 200; count++) {
    const body = { current_token: tokens.at(-1) };
    const { json } = await call("POST", "/api/user", { body, service: (count % 2) as 0 | 1 });
    tokens.push(json.user_group.token);
  }
  expect(new Set(tokens).size).toBe(201);
  const stale = tokens.slice(0, -1).filter((_, index) => index % 20 === 0);
  const answers = await Promise.all(
    stale.map((current_token) => call("POST", "/api/user", { body: { current_token } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(stale.map(() => 404));
});
