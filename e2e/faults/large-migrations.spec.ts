import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { migrate } from "@/lib/migrations/migrate";
import { DEFAULT_FOLDER } from "@/lib/migrations/migrations";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { fill } from "../fixtures/fill";
import { startMigrating } from "../fixtures/migrating";
import { makePostgres } from "../fixtures/own-postgres";
import { expect, query, test } from "../fixtures/own-service";
import type { startService } from "../fixtures/service-process";

const GROUPS = 300_000;
const SECRET_KEY = "5c".repeat(32);
const NEXT = "29990101000000_next";

/** A database, and a way to make a folder of the shipped migrations and one more. */
interface Large {
  url: string;
  folderWith(script: string): string;
  start: typeof startService;
}

test("with 300,000 groups, migrations block no call, finish, and resume after an interruption", async ({
  folder,
  start,
}) => {
  test.setTimeout(420_000);
  const settings = { max_wal_size: "1GB", autovacuum_naptime: "1s" };
  const postgres = await makePostgres(path.join(folder, "postgres"), { settings });
  const { url } = postgres;
  await migrate(url);
  const database = new Client({ connectionString: url });
  await database.connect();
  await fill({ url, secretKey: SECRET_KEY, groups: GROUPS, database });
  await database.end();
  let made = 0;
  const folderWith = (script: string) => {
    const migrations = path.join(folder, `migrations-${made++}`);
    cpSync(DEFAULT_FOLDER, migrations, { recursive: true });
    mkdirSync(path.join(migrations, NEXT));
    writeFileSync(path.join(migrations, NEXT, "migration.sql"), script);
    return migrations;
  };
  for (const [what, check] of Object.entries(CHECKS)) {
    await test.step(what, () => check({ url, folderWith, start }));
    await query(url, `DELETE FROM _prisma_migrations WHERE migration_name = '${NEXT}'`);
  }
  await postgres.stop();
});

const CHECKS: Record<string, (large: Large) => Promise<void>> = {
  "a killed build of an index is not begun again": checkIndex,
  "a backfill in committed batches continues": checkBackfill,
  "a new column does not wait for a vacuum": checkVacuum,
};

async function checkIndex({ url, folderWith, start }: Large) {
  const service = await start({ DATABASE_URL: url, SECRET_KEY });
  const client = clientOf(service.url, await insertApiToken({ DATABASE_URL: url, SECRET_KEY }));
  let isBuilding = true;
  const statuses = new Map<number, number>();
  const calling = Array.from({ length: 4 }, async (_, lane) => {
    for (let n = 0; isBuilding; n++) {
      const call = n % 2 === 0 ? client.get(`lane-${lane}`) : client.put(`lane-${lane}`, { name: `Lane ${n}` });
      const { status } = await call;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  // The index build waits for this transaction at its end.
  const older = new Client({ connectionString: url });
  await older.connect();
  await older.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM environment");
  const folder = folderWith("CREATE INDEX CONCURRENTLY extra ON user_group (environment_id, created_at)");
  const index = "SELECT indexrelid::int AS id, indisvalid FROM pg_index WHERE indexrelid = to_regclass('extra')";
  const dying = startMigrating(url, folder);
  const waits = "SELECT FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting for old snapshots%'";
  await expect.poll(async () => (await query(url, waits)).length, { intervals: [20] }).toBe(1);
  const [half] = await query<{ id: number; indisvalid: boolean }>(url, index);
  expect(half?.indisvalid).toBe(false);
  dying.kill();
  await expect(dying.migrated).rejects.toThrow();
  const resuming = migrate(url, folder);
  const answeredBefore = statuses.get(200) ?? 0;
  await expect.poll(() => statuses.get(200), { intervals: [20] }).toBeGreaterThan(answeredBefore + 100);
  await older.query("COMMIT");
  await older.end();
  expect(await resuming).toEqual([NEXT]);
  isBuilding = false;
  await Promise.all(calling);
  expect(await query(url, index)).toEqual([{ id: half?.id, indisvalid: true }]);
  expect([...statuses.keys()]).toEqual([200]);
}

async function checkBackfill({ url, folderWith }: Large) {
  await query(url, "ALTER TABLE user_group ADD COLUMN extra int");
  const folder = folderWith(`
    DO $$
    BEGIN
      FOR low IN 1..${GROUPS} BY 10000 LOOP
        UPDATE user_group SET extra = team_id WHERE team_id BETWEEN low AND low + 9999 AND extra IS NULL;
        COMMIT;
      END LOOP;
    END $$`);
  const ended = expect(migrate(url, folder)).rejects.toThrow();
  const filled = async () =>
    (await query<{ rows: number }>(url, "SELECT count(extra)::int AS rows FROM user_group"))[0]?.rows ?? 0;
  await expect.poll(filled, { intervals: [20] }).toBeGreaterThan(0);
  await query(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%DO $$%' AND pid <> pg_backend_pid()",
  );
  await ended;
  const before = await filled();
  expect(before).toBeLessThan(GROUPS);
  const first = "SELECT ctid::text AS place FROM user_group WHERE team_id = 1";
  const place = await query(url, first);
  expect(await migrate(url, folder)).toEqual([NEXT]);
  expect(await filled()).toBe(GROUPS);
  expect(await query(url, first)).toEqual(place);
}

async function checkVacuum({ url, folderWith }: Large) {
  await query(
    url,
    `ALTER TABLE user_group SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1,
       autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_cost_delay = 100)`,
  );
  await query(url, "UPDATE user_group SET version = version + 1 WHERE team_id % 10 = 0");
  const vacuums = () =>
    query<{ pid: number }>(url, "SELECT pid FROM pg_stat_progress_vacuum WHERE relid = 'user_group'::regclass");
  await expect.poll(async () => (await vacuums()).length, { intervals: [50] }).toBe(1);
  const [vacuum] = await vacuums();
  const folder = folderWith("ALTER TABLE user_group ADD COLUMN further int NOT NULL DEFAULT 0");
  expect(await migrate(url, folder)).toEqual([NEXT]);
  expect((await vacuums()).map(({ pid }) => pid)).not.toContain(vacuum?.pid);
}
