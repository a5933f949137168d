import { SCOPES } from "@/lib/authority/scopes";
import { call, createGroup, type Database, expect, newId, type Response } from "../fixtures/api";
import { isLong } from "../fixtures/long";
import { testWithToken } from "../fixtures/scoped-token";
import { findMislaid } from "../fixtures/stored";

const test = testWithToken(...SCOPES);

const ROUNDS = isLong ? 200 : 12;

test.setTimeout(isLong ? 900_000 : 90_000);

type Ask = (n: number, method: string, path: string, body: object, key?: string) => Promise<Response>;

/** Alternates between both services. */
const asking =
  (token: string): Ask =>
  (n, method, path, body, key) =>
    call(method, path, {
      token,
      service: n % 2 === 0 ? 0 : 1,
      body,
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });

const batch = (id: string) => ({ mode: "upsert", user_groups: [{ user_group_id: id, properties: { b: 1 } }] });

/** Calls that create a group with an id, or change the group that has it. */
const KINDS: ((id: string) => [method: string, path: string, body: object])[] = [
  (id) => ["GET", "/api/user", { user_group_id: id }],
  (id) => ["POST", "/api/user/upsert", { user_group_id: id, properties: { a: 1 } }],
  (id) => ["PUT", "/api/user", { user_group_id: id, name: "put" }],
  (id) => ["POST", "/api/viewer-tokens", { user_group_id: id }],
  (id) => ["GET", "/api/user", { user_group_id: id }],
];

const living = (database: Database, ids: string[]) =>
  database.query("SELECT team_id, provided_id FROM user_group WHERE provided_id = ANY ($1) ORDER BY team_id", [ids]);

test("64 calls with the old id during a rename make no second group, and its token is not lost", async ({
  token,
  database,
  stage,
}) => {
  const ask = asking(token);
  for (let round = 0; round < ROUNDS; round++) {
    const group = await createGroup();
    const [id, to, key] = [group.provided_id, newId("to"), newId("key")];
    const rename = { user_group_id: id, new_user_group_id: to };
    const calls = Array.from({ length: 64 }, (_, n) => {
      const kind = KINDS[n % KINDS.length] ?? KINDS[0];
      if (n === 20 + (round % 20)) return ask(n, "PATCH", "/api/user", rename);
      // One rotation, repeated with the same key.
      if (n % 16 === 5) return ask(n, "POST", "/api/user", { current_token: group.token, overlap_seconds: 60 }, key);
      // A token can run only two batches at a time.
      if (n === 12 || n === 42) return ask(n, "POST", "/api/user-groups/batch", batch(id));
      const [method = "", path = "", body = {}] = kind?.(id) ?? [];
      return ask(n, method, path, body);
    });
    const answers = await Promise.all(calls);
    const others = answers.filter(({ status }) => ![200, 404, 409].includes(status)).map(({ text }) => text);
    expect(others.filter((text) => !text.includes("batches are running"))).toEqual([]);
    expect(answers[20 + (round % 20)]?.status).toBe(200);
    const rotated = new Set(answers.filter((_, n) => n % 16 === 5 && n !== 20 + (round % 20)).map(({ text }) => text));
    expect(rotated.size).toBe(1);
    const current = JSON.parse([...rotated][0] ?? "").user_group.token;

    expect(await living(database, [id, to])).toEqual([{ team_id: group.team_id, provided_id: to }]);
    expect((await ask(0, "GET", "/api/user", { user_group_id: to })).json.user_group.token).toBe(current);
    for (const held of [current, group.token]) {
      const { json } = await ask(1, "POST", "/api/viewer", { token: held });
      expect(json).toMatchObject({ active: true, user_group: { team_id: group.team_id, provided_id: to } });
    }
    // Rotating with the previous token still works, and the new token can be unsealed under the new id.
    const again = await ask(0, "POST", "/api/user-groups/rotate", { user_group_id: to });
    expect(again.json.user_group.provided_id).toBe(to);
    expect((await ask(1, "GET", "/api/user", { user_group_id: to })).json.user_group.token).toBe(
      again.json.user_group.token,
    );
  }
  expect(await findMislaid(stage.databaseUrl)).toEqual([]);
});

test("of a creation and a rename to one id exactly one succeeds", async ({ token, database }) => {
  const ask = asking(token);
  for (let round = 0; round < ROUNDS; round++) {
    const group = await createGroup();
    const [id, to] = [group.provided_id, newId("to")];
    const [renamed, ...found] = await Promise.all([
      ask(0, "PATCH", "/api/user", { user_group_id: id, new_user_group_id: to }),
      ...Array.from({ length: 16 }, (_, n) => ask(n, "GET", "/api/user", { user_group_id: to })),
    ]);
    expect(found.map(({ status }) => status)).toEqual(found.map(() => 200));
    const teams = new Set(found.map(({ json }) => json.user_group.team_id));
    expect(teams.size).toBe(1);
    const created = found.filter(({ json }) => json.new_user_group).length;
    expect([renamed?.status, created]).toEqual(created === 0 ? [200, 0] : [409, 1]);
    expect(await living(database, [id, to])).toHaveLength(created + 1);
  }
});

test("two groups that change ids, and one that returns, never share one", async ({ token, database }) => {
  const ask = asking(token);
  for (let round = 0; round < ROUNDS; round++) {
    const [gone, one] = [await createGroup(), await createGroup()];
    const id = gone.provided_id;
    await ask(0, "DELETE", "/api/user", { user_group_id: id });
    const two = (await ask(0, "GET", "/api/user", { user_group_id: id })).json.user_group;
    const to = newId("to");
    // One group gives up the id, while another group and a deleted one ask for it.
    const answers = await Promise.all([
      ask(0, "PATCH", "/api/user", { user_group_id: id, new_user_group_id: to }),
      ask(1, "PATCH", "/api/user", { user_group_id: one.provided_id, new_user_group_id: id }),
      ask(0, "POST", "/api/user-groups/restore", { user_group_id: id, team_id: gone.team_id }),
      ask(1, "PATCH", "/api/user", { user_group_id: to, new_user_group_id: id }),
      ...Array.from({ length: 8 }, (_, n) => ask(n, "POST", "/api/user/upsert", { user_group_id: id })),
    ]);
    const odd = answers.filter(({ status }) => ![200, 404, 409].includes(status)).map(({ text }) => text);
    expect(odd).toEqual([]);
    const rows = await living(database, [id, to, one.provided_id]);
    const isBack = answers[3]?.status === 200;
    expect(rows).toEqual([
      { team_id: one.team_id, provided_id: one.provided_id },
      { team_id: two.team_id, provided_id: isBack ? id : to },
    ]);
    const now = await ask(1, "GET", "/api/user", { user_group_id: isBack ? id : to });
    expect(now.json.user_group.token).toBe(two.token);
  }
});
