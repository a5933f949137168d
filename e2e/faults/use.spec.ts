import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { expect, query, test } from "../fixtures/own-service";
import { wayTo } from "../fixtures/tcp-forwarder";

const SECRET_KEY = "7c".repeat(32);
const SOON = { timeout: 30_000 };

const SUM = (table: string) =>
  `SELECT coalesce(sum(n), 0)::int AS sum FROM ${table}, unnest(days) AS n WHERE month >= date_trunc('month', now() - interval '1 day')`;

/** The stored usage of groups and of their environment. */
async function stored(url: string): Promise<number[]> {
  const [groups] = await query<{ sum: number }>(url, SUM("group_use_month"));
  const [environments] = await query<{ sum: number }>(url, SUM("environment_use_month"));
  return [groups?.sum ?? 0, environments?.sum ?? 0];
}

/** Checks each of these tokens in turn, this many times. */
async function ask(service: string, apiToken: string, tokens: string[], times: number) {
  await Promise.all(
    Array.from({ length: times }, async (_, n) => {
      const { statusCode, body } = await request(`${service}/api/viewer`, {
        method: "POST",
        headers: { authorization: `Token ${apiToken}`, "content-type": "application/json" },
        body: JSON.stringify({ token: tokens[n % tokens.length] }),
        reset: true,
      });
      const json = (await body.json()) as { active: boolean };
      expect([statusCode, json.active]).toEqual([200, true]);
    }),
  );
}

async function createTokens(service: string, apiToken: string, count: number): Promise<string[]> {
  const client = clientOf(service, apiToken);
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => client.get(`group-${n}`)));
  return answers.map(({ json }) => json.user_group.token);
}

test("counts of two instances are stored once: all of them after a stop, all but the last flush after a kill", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const apiToken = await insertApiToken(settings);
  const [one, other] = [await start(settings), await start(settings)];
  const tokens = await createTokens(one.url, apiToken, 20);
  const both = (times: number) => Promise.all([one, other].map(({ url }) => ask(url, apiToken, tokens, times)));
  await both(200);
  await expect.poll(() => stored(settings.DATABASE_URL), SOON).toEqual([400, 400]);
  // Both update the same rows concurrently.
  for (let round = 0; round < 5; round++) {
    await both(40);
    await sleep(500);
  }
  await expect.poll(() => stored(settings.DATABASE_URL), SOON).toEqual([800, 800]);
  await ask(one.url, apiToken, tokens, 60);
  await one.stop();
  await expect.poll(() => stored(settings.DATABASE_URL), SOON).toEqual([860, 860]);
  await ask(other.url, apiToken, tokens, 100);
  await expect.poll(() => stored(settings.DATABASE_URL), SOON).toEqual([960, 960]);
  await ask(other.url, apiToken, tokens, 40);
  other.killGroup("SIGKILL");
  await other.exited;
  await sleep(1_000);
  const [groups, environments] = await stored(settings.DATABASE_URL);
  expect(groups).toBe(environments);
  expect(groups).toBeGreaterThanOrEqual(960);
  expect(groups).toBeLessThanOrEqual(1_000);
});

test("a flush that loses its answer is not added twice, one that fails is lost, and later ones are added", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const database = await createDatabase();
  const { way, url } = await wayTo(database);
  const settings = { DATABASE_URL: url, SECRET_KEY };
  const apiToken = await insertApiToken(settings);
  const service = await start(settings);
  const tokens = await createTokens(service.url, apiToken, 5);
  const count = () => ask(service.url, apiToken, tokens, 10);
  const countDuring = async (pattern: RegExp) => {
    way.trouble({ kind: "cut before answer", pattern, nth: 1 });
    await count();
    await sleep(1_500);
    way.trouble();
  };
  for (let n = 0; n < 3; n++) await countDuring(/COMMIT/);
  await count();
  await expect.poll(() => stored(database), SOON).toEqual([40, 40]);
  for (let n = 0; n < 3; n++) await countDuring(/add_environment_use/);
  await count();
  // The transactions were rolled back.
  await expect.poll(() => stored(database), SOON).toEqual([50, 50]);
  await service.stop();
  expect(await stored(database)).toEqual([50, 50]);
  await way.cut();
});

test("months of usage are created ahead, kept for 13 months, then dropped", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const months = async () =>
    (
      await query<{ name: string }>(
        settings.DATABASE_URL,
        "SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'group_use_month'::regclass ORDER BY 1",
      )
    ).map(({ name }) => name);
  const month = (after: number) => {
    const now = new Date();
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + after));
    return at.toISOString().slice(0, 7);
  };
  const nameOf = (after: number) => `group_use_month_${month(after).replace("-", "_")}`;
  const from = (first: number) => Array.from({ length: 14 - first }, (_, n) => nameOf(first + n));
  expect(await months()).toEqual(from(-1));
  for (const old of [-14, -13]) {
    await query(
      settings.DATABASE_URL,
      `CREATE TABLE ${nameOf(old)} PARTITION OF group_use_month FOR VALUES FROM ('${month(old)}-01') TO ('${month(old + 1)}-01')`,
    );
    await query(
      settings.DATABASE_URL,
      `INSERT INTO environment_use_month (month, environment_id, days) VALUES ('${month(old)}-01', 1, '{1}')`,
    );
  }
  await query(settings.DATABASE_URL, `DROP TABLE ${nameOf(0)}, ${nameOf(5)}`);
  const service = await start(settings);
  expect(await months()).toEqual([nameOf(-13), ...from(-1)]);
  await expect
    .poll(
      () => query(settings.DATABASE_URL, "SELECT to_char(month, 'YYYY-MM') AS month FROM environment_use_month"),
      SOON,
    )
    .toEqual([{ month: month(-13) }]);
  const apiToken = await insertApiToken(settings);
  await ask(service.url, apiToken, await createTokens(service.url, apiToken, 1), 3);
  await expect
    .poll(() => query(settings.DATABASE_URL, "SELECT checks::int FROM group_use_month"), SOON)
    .toEqual([{ checks: 3 }]);
});

test("the hashes of a month's viewers are deleted after it, and their number is kept", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const apiToken = await insertApiToken(settings, { scopes: PRESETS.full });
  const service = await start(settings);
  const [token] = await createTokens(service.url, apiToken, 1);
  for (const viewer of ["ada", "bo", "ada"]) {
    const { statusCode } = await request(`${service.url}/api/viewer-tokens`, {
      method: "POST",
      headers: { authorization: `Token ${apiToken}`, "content-type": "application/json" },
      body: JSON.stringify({ token, viewer }),
      reset: true,
    });
    expect(statusCode).toBe(200);
  }
  await service.stop();
  const hashes = () => query(settings.DATABASE_URL, "SELECT FROM active_viewer");
  expect(await hashes()).toHaveLength(2);
  await query(
    settings.DATABASE_URL,
    "UPDATE active_viewer SET month = month - interval '2 months' WHERE viewer = (SELECT viewer FROM active_viewer LIMIT 1)",
  );
  await start(settings);
  await expect.poll(hashes, SOON).toHaveLength(1);
  const numbers = await query(settings.DATABASE_URL, "SELECT active_viewers FROM group_use_month");
  expect(numbers).toEqual([{ active_viewers: 2 }]);
});
