import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, Pool } from "pg";
import { migrate } from "../../lib/migrations/migrate";
import { DEFAULT_FOLDER, INIT, isMigrated, migrationNames } from "../../lib/migrations/migrations";
import { NO_FILTERS, openEngine, readMigrations } from "../../prisma/schema-engine";
import { readFormerMigrations, writeMigrations } from "../fixtures/former-migrations";
import { test as base, expect } from "../fixtures/migrations";
import { describeSchema } from "../fixtures/schema";

// A database of 0.9.0, or of a commit after it, has migrations that one file has replaced.

const { former, superseded } = await readFormerMigrations();
const names = Object.keys(former);
const LAST = names.at(-1) ?? "";
/** The migrations since. */
const LATER = migrationNames().filter((name) => name !== INIT);

interface Database {
  url: string;
  query: Client["query"];
}
interface Fixtures {
  /** the schema of a new database */
  newSchema: string[];
  /** makes a database with the former migrations up to one, some of them in another version */
  createFormer: (last: string, others?: Record<string, string>) => Promise<Database>;
}

const test = base.extend<Fixtures>({
  newSchema: async ({ createDatabase }, use) => {
    const database = await createDatabase();
    expect(await migrate(database.url)).toEqual([INIT, ...LATER]);
    await use(await describeSchema(database.url));
  },
  createFormer: async ({ createDatabase }, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), "former-migrations-"));
    let made = 0;
    await use(async (last, others = {}) => {
      const database = await createDatabase();
      const scripts = Object.entries({ ...former, ...others }).filter(([name]) => name <= last);
      const migrations = path.join(folder, String(made++));
      await writeMigrations(migrations, Object.fromEntries(scripts));
      expect(await migrate(database.url, migrations)).toHaveLength(scripts.length);
      return database;
    });
    await rm(folder, { recursive: true });
  },
});

async function expectUpgraded(database: Database, newSchema: string[]) {
  expect(await migrate(database.url)).toEqual([INIT, ...LATER]);
  expect(await describeSchema(database.url)).toEqual(newSchema);
  expect(await isMigrated(database)).toBe(true);
  expect(await migrate(database.url)).toEqual([]);
}

test("databases of 0.9.0 and of commits after it get a new one's schema", async ({ createFormer, newSchema }) => {
  for (const last of [INIT, "20261127000000_newest_version", "20261129200200_renames"]) {
    await test.step(last, async () => expectUpgraded(await createFormer(last), newSchema));
  }
});

test("so do those at any other former migration, and at an earlier version of one", { tag: "@release" }, async ({
  createFormer,
  newSchema,
}) => {
  test.setTimeout(300_000);
  for (const last of names.slice(0, -1)) {
    await test.step(last, async () => expectUpgraded(await createFormer(last), newSchema));
  }
  for (const [name, scripts] of Object.entries(superseded)) {
    for (const script of scripts) {
      await test.step(`another ${name}`, async () => {
        for (const last of [name, LAST]) await expectUpgraded(await createFormer(last, { [name]: script }), newSchema);
      });
    }
  }
});

test("a database at the last former migration is only marked", async ({ createFormer, newSchema }, testInfo) => {
  const database = await createFormer(LAST);
  const folder = testInfo.outputPath("migrations");
  await cp(DEFAULT_FOLDER, folder, { recursive: true, filter: (file) => !LATER.includes(path.basename(file)) });
  const versions = "SELECT oid, xmin FROM pg_class UNION ALL SELECT oid, xmin FROM pg_proc ORDER BY 1";
  const before = (await database.query(versions)).rows;
  expect(await isMigrated(database, folder)).toBe(false);
  expect(await migrate(database.url, folder)).toEqual([]);
  expect(await isMigrated(database, folder)).toBe(true);
  expect((await database.query(versions)).rows).toEqual(before);
  expect(await migrate(database.url)).toEqual(LATER);
  expect(await describeSchema(database.url)).toEqual(newSchema);
});

test("an upgrade leaves the environments as they are", async ({ createFormer }) => {
  const database = await createFormer(INIT);
  await database.query("DELETE FROM environment WHERE slug = 'testing'");
  await migrate(database.url);
  expect((await database.query("SELECT slug FROM environment")).rows).toEqual([{ slug: "production" }]);
});

test("an interrupted upgrade is continued by the next start", async ({ createFormer, newSchema }) => {
  const database = await createFormer(INIT);
  // The first index to be built under traffic waits for this snapshot.
  await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  const ended = expect(migrate(database.url)).rejects.toThrow();
  const observer = new Client({ connectionString: database.url });
  await observer.connect();
  const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE 'CREATE INDEX CONCURRENTLY%'`;
  await expect.poll(async () => (await observer.query(`SELECT ${waiting}`)).rowCount, { intervals: [20] }).toBe(1);
  await observer.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
  await observer.end();
  await ended;
  await database.query("COMMIT");
  expect(await isMigrated(database)).toBe(false);
  await expectUpgraded(database, newSchema);
});

for (const [what, change, message] of [
  [
    "one with another checksum",
    "UPDATE _prisma_migrations SET checksum = repeat('0', 64) WHERE migration_name = $1",
    /^This database cannot be upgraded: its migration \S+ is unknown to this release\. Export its user groups with /,
  ],
  [
    "an unfinished one",
    "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1",
    /^This database cannot be upgraded: its migration \S+ did not finish\. Finish it with the version that began it\.$/,
  ],
] as const) {
  test(`a database whose former migrations include ${what} is refused and left unchanged`, async ({ createFormer }) => {
    const changed = "20261125120000_life";
    const database = await createFormer("20261126090000_use");
    await database.query(change, [changed]);
    const before = await describeSchema(database.url);
    await expect(migrate(database.url)).rejects.toThrow(message);
    await expect(migrate(database.url)).rejects.toThrow(changed);
    expect(await describeSchema(database.url)).toEqual(before);
  });
}

test("a first migration with another checksum is refused", async ({ createFormer }) => {
  const database = await createFormer(INIT);
  await database.query("UPDATE _prisma_migrations SET checksum = repeat('0', 64)");
  expect(await isMigrated(database)).toBe(false);
  await expect(migrate(database.url)).rejects.toThrow(`its migration ${INIT} is unknown to this release`);
});

test("Prisma finds nothing to do in an upgraded database", async ({ createFormer }) => {
  const database = await createFormer(INIT);
  await migrate(database.url);
  const pool = new Pool({ connectionString: database.url });
  const engine = await openEngine(pool);
  const input = { migrationsList: readMigrations(), filters: NO_FILTERS };
  const found = await engine.diagnoseMigrationHistory({ ...input, optInToShadowDatabase: false });
  expect(found).toMatchObject({ history: null, failedMigrationNames: [], editedMigrationNames: [] });
  expect(await engine.applyMigrations(input)).toEqual({ appliedMigrationNames: [] });
  engine.free();
  await pool.end();
});
