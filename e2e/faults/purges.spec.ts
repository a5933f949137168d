import { closePool, openPool } from "../../lib/db/pool";
import { purgeDeletedGroups } from "../../lib/groups/deletion";
import { forgetIdempotencyKeys } from "../../lib/groups/idempotency";
import { purgeJobs } from "../../lib/jobs/service";
import { forgetCounts } from "../../lib/limits/limits";
import { purgeExpired } from "../../lib/members/link";
import { isLong } from "../fixtures/long";
import { test as base, expect, query } from "../fixtures/own-service";

const SECRET_KEY = "6e".repeat(32);
const ROWS = 1_000_000;

interface Fixtures {
  /** a migrated database, connected to this process's pool with a service's limits */
  url: string;
}

const test = base.extend<Fixtures>({
  url: async ({ createDatabase }, use) => {
    const url = await createDatabase();
    process.env.SECRET_KEY = SECRET_KEY;
    openPool(url, 2);
    await use(url);
    await closePool();
  },
});

test.setTimeout(300_000);

/** Expired rows, and one row of each table that has not expired. */
const OLD = "now() - interval '40 days'";
const TABLES: [table: string, purge: () => Promise<void>, insert: (rows: number, at: string, n: number) => string][] = [
  [
    "idempotency_key",
    forgetIdempotencyKeys,
    (rows, at, n) =>
      `INSERT INTO idempotency_key (actor, key, body_digest, created_at) SELECT 'a', n, '', ${at} FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "deleted_group",
    purgeDeletedGroups,
    (rows, at, n) =>
      `INSERT INTO deleted_group (team_id, environment_id, provided_id, name, mapping, token_index, token_sealed, version, created_at, updated_at, rotated_at, deleted_at)
       SELECT n, 1, n::text, 'n', '{}', '', '', 1, now(), now(), now(), ${at} FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "reserved_id",
    purgeDeletedGroups,
    (rows, at, n) =>
      `INSERT INTO reserved_id (environment_id, provided_id, team_id, until)
       SELECT 1, n, n, ${at} FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "session",
    purgeExpired,
    (rows, at, n) =>
      // Half of them have expired; the others, still in use, are too old.
      `INSERT INTO session (id, member_id, token, expires_at, signed_in_at)
       SELECT n, 'm', n, CASE n % 2 WHEN 0 THEN ${at} ELSE now() + interval '1 day' END,
         CASE n % 2 WHEN 0 THEN now() ELSE ${at} - interval '30 days' END FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "verification",
    purgeExpired,
    (rows, at, n) =>
      `INSERT INTO verification (id, identifier, value, expires_at) SELECT n, 'i', 'v', ${at} FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "one_time_link",
    purgeExpired,
    (rows, at, n) =>
      `INSERT INTO one_time_link (digest, purpose, created_by, expires_at) SELECT decode(lpad(n::text, 64, '0'), 'hex'), 'invite', 'o', ${at} FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "sign_in_attempt",
    purgeExpired,
    (rows, at, n) =>
      `INSERT INTO sign_in_attempt (account, last_at) SELECT decode(lpad(n::text, 64, '0'), 'hex'), ${at} FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "rate_count",
    forgetCounts,
    (rows, at, n) =>
      `INSERT INTO rate_count SELECT n, 1, extract(epoch FROM ${at}) * 1000 FROM generate_series(${n}, ${n + rows - 1}) n`,
  ],
  [
    "job_row",
    purgeJobs,
    (rows, at, n) =>
      `WITH made AS (INSERT INTO job (environment_id, name, bytes, actor_type, actor_name, state, ended_at)
         VALUES (1, 'f', 1, 'operator', 'o', 'done', ${at}) RETURNING id)
       INSERT INTO job_row (job_id, line, outcome) SELECT id, n, 'same' FROM made, generate_series(${n}, ${n + rows - 1}) n`,
  ],
];

const count = async (url: string, table: string) =>
  (await query<{ rows: number }>(url, `SELECT count(*)::int AS rows FROM ${table}`))[0]?.rows;

for (const [table, purge, insert] of TABLES) {
  const rows = isLong || table === "idempotency_key" ? ROWS : 20_000;
  test(`${rows.toLocaleString("en")} expired rows of ${table} are purged within the statement limits`, async ({
    url,
  }) => {
    await query(url, "INSERT INTO member (id, name, email) VALUES ('m', 'm', 'm@example.com')");
    await query(url, insert(rows, OLD, 1));
    await query(url, insert(1, "now() + interval '1 minute'", rows + 1));
    await purge();
    expect(await count(url, table)).toBe(1);
  });
}

test("a former id stays while rows of jobs have it: an erasure finds them by it", async ({ url }) => {
  await query(
    url,
    `INSERT INTO reserved_id (environment_id, provided_id, team_id, until)
     VALUES (1, 'a', 7, ${OLD}), (1, 'b', 8, ${OLD}), (1, 'c', 9, ${OLD})`,
  );
  await query(
    url,
    `WITH made AS (INSERT INTO job (environment_id, name, bytes, actor_type, actor_name, state, ended_at)
       VALUES (1, 'f', 1, 'operator', 'o', 'done', now()) RETURNING id)
     INSERT INTO job_row (job_id, line, outcome, provided_id, team_id)
     SELECT id, team, 'same', provided_id, team FROM made, (VALUES ('a', 7), ('b', 9)) AS r(provided_id, team)`,
  );
  await purgeDeletedGroups();
  expect(await query(url, "SELECT provided_id FROM reserved_id")).toEqual([{ provided_id: "a" }]);
});

test("the first purge runs after a minute, not an hour", async ({ url, start }) => {
  await query(url, `INSERT INTO idempotency_key (actor, key, body_digest, created_at) VALUES ('a', 'k', '', ${OLD})`);
  await start({ DATABASE_URL: url, SECRET_KEY });
  await expect.poll(() => count(url, "idempotency_key"), { timeout: 90_000, intervals: [1_000] }).toBe(0);
});
