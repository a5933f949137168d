import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { expect, query, test } from "../fixtures/own-service";

const SECRET_KEY = "0123456789abcdef".repeat(4);
const GROUPS = 100;
const UPDATES =
  "SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'user_group'";

test("a change of properties touches no index of user_group", async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  for (let n = 0; n < GROUPS; n++) await client.get(`group-${n}`, { properties: { seats: n } });
  const updates = async () => (await query<{ all: number; hot: number }>(settings.DATABASE_URL, UPDATES))[0];
  for (let n = 0; n < GROUPS; n++)
    expect((await client.put(`group-${n}`, { properties: { seats: n + 1 } })).status).toBe(200);
  await expect.poll(async () => (await updates())?.all, { timeout: 30_000 }).toBe(GROUPS);
  expect((await updates())?.hot).toBeGreaterThanOrEqual(0.9 * GROUPS);
});
