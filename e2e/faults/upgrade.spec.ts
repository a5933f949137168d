import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { keepWorking } from "../fixtures/keep-working";
import { test as base, expect, OWNER, OWNER_SETTINGS, query } from "../fixtures/own-service";
import { createApiToken, succeed } from "../fixtures/run";

const SECRET_KEY = "a9".repeat(32);
/** Long enough for the migration to be given up and retried several times. */
const READ_MS = 4_000;

const MIGRATIONS = {
  "29990101000000_region": `
    ALTER TABLE user_group ADD COLUMN region TEXT NOT NULL DEFAULT 'eu';
    CREATE TABLE region (id TEXT PRIMARY KEY);
    INSERT INTO region VALUES ('eu');`,
  "29990101000001_region_of_history": "ALTER TABLE audit_entry ADD COLUMN region TEXT",
  "29990101000002_region_index": "CREATE INDEX CONCURRENTLY user_group_region_idx ON user_group (region)",
};

interface Fixtures {
  /** the folder of a release with more migrations than this one */
  nextRelease: string;
  /** reads a table in a transaction that runs until ended */
  beginReading: (url: string, table: string) => Promise<() => Promise<void>>;
}

const test = base.extend<Fixtures>({
  nextRelease: async ({ folder }, use) => {
    const release = path.join(folder, "release");
    await mkdir(release);
    await succeed("cp", ["-a", "--parents", "user-groups", "tools", "dist", "prisma", release]);
    for (const name of ["node_modules", ".next", "package.json", "next.config.mjs"]) {
      await symlink(path.resolve(name), path.join(release, name));
    }
    for (const [name, script] of Object.entries(MIGRATIONS)) {
      const migration = path.join(release, "prisma/migrations", name);
      await mkdir(migration);
      await writeFile(path.join(migration, "migration.sql"), script);
    }
    await use(release);
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  beginReading: async ({}, use) => {
    const readers: pg.Client[] = [];
    await use(async (connectionString, table) => {
      const reader = new pg.Client({ connectionString });
      readers.push(reader);
      await reader.connect();
      await reader.query(`BEGIN; SELECT FROM ${table}`);
      return async () => {
        await reader.query("COMMIT");
      };
    });
    await Promise.all(readers.map((reader) => reader.end()));
  },
});

test("a release with new migrations starts next to the previous one, under load and a long read, and no request fails", async ({
  start,
  createDatabase,
  nextRelease,
  beginReading,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, ...OWNER_SETTINGS };
  const before = await start(settings);
  const token = await createApiToken(settings);
  const dashboard = browserOf(before.url);
  await dashboard.signIn(OWNER);
  const listed = async () => (await dashboard.get("/api/user-groups")).status;
  expect(await listed()).toBe(200);

  const load = keepWorking(clientOf(before.url, token), "before");
  const endReading = await beginReading(settings.DATABASE_URL, "user_group");
  const starting = start(settings, { cwd: nextRelease });
  const waiting =
    "SELECT FROM pg_stat_activity WHERE application_name = 'user-group-service migrate' AND wait_event_type = 'Lock'";
  await expect
    .poll(async () => (await query(settings.DATABASE_URL, waiting)).length, { intervals: [20] })
    .toBeGreaterThan(0);
  const asTheMigrationBeganToWait = { ...load.done };
  await sleep(READ_MS);
  for (const [what, count] of Object.entries(load.done)) {
    expect(count, what).toBeGreaterThan(asTheMigrationBeganToWait[what as keyof typeof load.done]);
  }
  const finished =
    "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND migration_name > '2999'";
  expect(await query(settings.DATABASE_URL, finished)).toEqual([]);
  await endReading();

  const after = await starting;
  const names = (await query(settings.DATABASE_URL, `${finished} ORDER BY 1`)).map((row) => row.migration_name);
  expect(names).toEqual(Object.keys(MIGRATIONS));
  const loadAfter = keepWorking(clientOf(after.url, token), "after");
  await sleep(1_000);
  expect(await listed()).toBe(200);
  expect((await fetch(`${before.url}/readyz`)).status).toBe(200);
  await load.stop();
  await loadAfter.stop();
  expect(await before.stop()).toBe(0);

  const client = clientOf(after.url, token);
  for (const { tokens } of [load, loadAfter]) {
    expect(tokens.size).toBeGreaterThan(4);
    for (const [id, current] of [...tokens].slice(-200)) {
      expect((await client.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token: current } });
    }
  }
  const incomplete = `SELECT team_id FROM user_group g
    WHERE region <> 'eu' OR version <> (SELECT count(*) FROM audit_entry a WHERE a.team_id = g.team_id)`;
  expect(await query(settings.DATABASE_URL, incomplete)).toEqual([]);
});
