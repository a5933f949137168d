import { apiTokenList, createdApiToken } from "@/lib/api-tokens/schema";
import { adminClient } from "../fixtures/admin-client";
import { expect, newId, test as onStage } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { query, test } from "../fixtures/own-service";

const SECRET_KEY = "76543210fedcba98".repeat(4);

/** Tokens by name: days since creation, days until expiry, and the entry expected after a first start. */
const TOKENS: Record<string, { since: number; left: number; entry: number | undefined }> = {
  "far away": { since: 30, left: 15, entry: undefined },
  "two weeks": { since: 30, left: 13.9, entry: 14 },
  "three days": { since: 30, left: 2.9, entry: 3 },
  "made for ten days": { since: 0, left: 10, entry: undefined },
  "made for ten days, a week ago": { since: 7.5, left: 2.5, entry: 3 },
  "made for two days": { since: 0, left: 2, entry: undefined },
  expired: { since: 30, left: -0.1, entry: undefined },
  revoked: { since: 30, left: 2, entry: undefined },
  replaced: { since: 30, left: 2, entry: undefined },
  "replaced by a revoked one": { since: 30, left: 2, entry: 3 },
  newer: { since: 0, left: 10, entry: 14 },
};

test("an expiry is announced in the history 14 and 3 days before, once each, across all instances", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  test.setTimeout(120_000);
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const ask = (text: string, values: unknown[] = []) => query(settings.DATABASE_URL, text, values);
  for (const [name, { since, left }] of Object.entries(TOKENS)) {
    await insertApiToken(settings, { name });
    await ask(
      `UPDATE api_token SET created_at = now() - $2 * interval '1 day', expires_at = now() + $3 * interval '1 day',
         revoked_at = CASE WHEN name = 'revoked' THEN now() END WHERE name = $1`,
      [name, since, left],
    );
  }
  await insertApiToken(settings, { name: "revoked newer" });
  await ask("UPDATE api_token SET revoked_at = now() WHERE name = 'revoked newer'");
  for (const [newer, old] of [
    ["newer", "replaced"],
    ["revoked newer", "replaced by a revoked one"],
  ]) {
    await ask("UPDATE api_token SET replaces = (SELECT id FROM api_token WHERE name = $2) WHERE name = $1", [
      newer,
      old,
    ]);
  }

  const entries = async () =>
    (await ask("SELECT * FROM audit_entry WHERE action = 'api_token.expires_soon' ORDER BY id")).map(
      ({ after, actor_type, actor_name, environment_id }) => {
        const { id, expires_at, ...rest } = JSON.parse(String(after));
        expect({ id, expires_at }).toEqual({ id: expect.any(Number), expires_at: expect.any(String) });
        expect({ actor_type, actor_name }).toEqual({ actor_type: "operator", actor_name: "service" });
        expect(environment_id).not.toBeNull();
        return rest;
      },
    );
  const wanted = Object.entries(TOKENS).flatMap(([name, { entry }]) => (entry ? [{ name, days_left: entry }] : []));
  const inOrder = async () => (await entries()).sort((a, b) => a.name.localeCompare(b.name));

  const [first, second] = await Promise.all([start(settings), start(settings)]);
  await expect.poll(inOrder, { timeout: 20_000 }).toEqual(wanted.sort((a, b) => a.name.localeCompare(b.name)));
  await Promise.all([first.stop(), second.stop()]);

  await ask("UPDATE api_token SET expires_at = now() + interval '60 hours' WHERE name = 'two weeks'");
  await start(settings);
  await expect
    .poll(async () => (await entries()).at(-1), { timeout: 20_000 })
    .toEqual({ name: "two weeks", days_left: 3 });
  expect((await entries()).length).toBe(wanted.length + 1);
});

onStage("the list says how many days an announced token has left, rounded up", async ({ database }) => {
  const { send } = await adminClient(database, "admin");
  for (const [since, left, days] of [
    [30, 15, null],
    [30, 13.5, 14],
    [30, 2.5, 3],
    [30, 0.1, 1],
    [0, 10, null],
    [8, 2.1, 3],
    [30, -1, null],
  ] as const) {
    const body = { name: newId("token"), scopes: ["viewers:ask"], expiresAt: null };
    const { apiToken } = createdApiToken.parse((await send("POST", "/api/admin/api-tokens", body)).json);
    await database.query(
      `UPDATE api_token SET created_at = now() - $2 * interval '1 day', expires_at = now() + $3 * interval '1 day' WHERE id = $1`,
      [apiToken.id, since, left],
    );
    const { apiTokens } = apiTokenList.parse((await send("GET", "/api/admin/api-tokens")).json);
    expect(apiTokens.find(({ id }) => id === apiToken.id)?.expiresInDays, `${since} ${left}`).toBe(days);
    await send("DELETE", `/api/admin/api-tokens/${apiToken.id}`);
  }
});
