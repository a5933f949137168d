import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Pool } from "pg";
import { migrate } from "../../lib/migrations/migrate";
import { DEFAULT_FOLDER, INIT, isMigrated, readMigration } from "../../lib/migrations/migrations";
import { readFormerMigrations, type Scripts, writeMigrations } from "../fixtures/former-migrations";
import { test as base, type Database, endWaiting, expect } from "../fixtures/migrations";
import { describeSchema } from "../fixtures/schema";
import { NO_FILTERS, openEngine, readMigrations } from "../fixtures/schema-engine";

// Databases of 0.9.0 and of later commits have migrations that were since replaced by one file.

const { scripts, states, main } = await readFormerMigrations();
const stateAt = (place: number): Scripts => states.at(place) ?? {};
const RELEASE = stateAt(0);
/** The last state of main with many migrations, and the states with another INIT. */
const [MANY = {}, ONE = {}, TWO = {}, THREE = {}, FOUR = {}] = main.slice(-5);
/** The state of a branch from before ONE was merged. */
const BRANCH = stateAt(-4);

interface Fixtures {
  /** the schema of a new database */
  newSchema: string[];
  /** makes a folder of migrations */
  folderOf: (migrations: Scripts) => Promise<string>;
  /** makes a database that was served by commits with these migrations, in order */
  createFormer: (...served: Scripts[]) => Promise<Database>;
}

const test = base.extend<Fixtures>({
  newSchema: async ({ createDatabase }, use) => {
    const database = await createDatabase();
    expect(await migrate(database.url)).toEqual([INIT]);
    await use(await describeSchema(database.url));
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright insists on the pattern.
  folderOf: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), "former-migrations-"));
    let made = 0;
    await use(async (migrations) => {
      const own = path.join(folder, String(made++));
      await writeMigrations(own, migrations);
      return own;
    });
    await rm(folder, { recursive: true });
  },
  createFormer: async ({ createDatabase, folderOf }, use) => {
    await use(async (...served) => {
      const database = await createDatabase();
      for (const migrations of served) {
        const folder = await folderOf(migrations);
        await migrate(database.url, folder);
        expect(await isMigrated(database, folder)).toBe(true);
      }
      return database;
    });
  },
});

async function expectUpgraded(database: Database, newSchema: string[]) {
  expect(await migrate(database.url)).toEqual([INIT]);
  expect(await describeSchema(database.url)).toEqual(newSchema);
  expect(await isMigrated(database)).toBe(true);
  expect(await migrate(database.url)).toEqual([]);
}

const nameOf = (migrations: Scripts) => `${Object.keys(migrations).length} up to ${Object.keys(migrations).at(-1)}`;

test("databases of 0.9.0 and of later commits get a new database's schema", async ({ createFormer, newSchema }) => {
  for (const migrations of [RELEASE, MANY, TWO, THREE, FOUR]) {
    await test.step(nameOf(migrations), async () => expectUpgraded(await createFormer(migrations), newSchema));
  }
});

test("databases of any other commit, or with an earlier version of a migration, get it too", {
  tag: "@release",
}, async ({ createFormer, newSchema }) => {
  test.setTimeout(420_000);
  for (const migrations of states) {
    await test.step(nameOf(migrations), async () => expectUpgraded(await createFormer(migrations), newSchema));
  }
  for (const [name, script] of scripts.filter(([name, script]) => name !== INIT && script !== BRANCH[name])) {
    await test.step(`an earlier ${name}`, async () => {
      await expectUpgraded(await createFormer({ ...MANY, [name]: script }), newSchema);
    });
  }
});

test("a database that several commits have served gets it too", { tag: "@release" }, async ({
  createFormer,
  newSchema,
}) => {
  test.setTimeout(180_000);
  for (const served of [
    main,
    [RELEASE, ONE],
    [RELEASE, TWO],
    [RELEASE, THREE],
    [RELEASE, FOUR],
    [MANY, ONE],
    [BRANCH, TWO],
  ]) {
    await test.step(served.map(nameOf).join(", "), async () => {
      await expectUpgraded(await createFormer(...served), newSchema);
    });
  }
  // In a database with all earlier migrations, ONE changed nothing but INIT's checksum.
  for (const migrations of [MANY, BRANCH]) {
    await test.step(`marked, ${nameOf(migrations)}`, async () => {
      const database = await createFormer(migrations);
      const checksum = createHash("sha256").update(String(ONE[INIT])).digest("hex");
      await database.query("UPDATE _prisma_migrations SET checksum = $2 WHERE migration_name = $1", [INIT, checksum]);
      await expectUpgraded(database, newSchema);
    });
  }
});

test("an upgrade leaves the environments as they are", async ({ createFormer }) => {
  const database = await createFormer(RELEASE);
  await database.query("DELETE FROM environment WHERE slug = 'testing'");
  await migrate(database.url);
  expect((await database.query("SELECT slug FROM environment")).rows).toEqual([{ slug: "production" }]);
});

test("of two concurrent starts, one upgrades the database and the other waits", async ({ createFormer, newSchema }) => {
  for (const migrations of [RELEASE, TWO]) {
    const database = await createFormer(migrations);
    const applied = await Promise.all([migrate(database.url), migrate(database.url)]);
    expect(applied.flat()).toEqual([INIT]);
    expect(await describeSchema(database.url)).toEqual(newSchema);
  }
});

test("an interrupted upgrade is continued by the next start", async ({ createFormer, newSchema }) => {
  const database = await createFormer(RELEASE);
  // The first index to be built under traffic waits for this snapshot.
  await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  const ended = expect(migrate(database.url)).rejects.toThrow();
  await endWaiting(database.url, "CREATE INDEX CONCURRENTLY");
  await ended;
  await database.query("COMMIT");
  expect(await isMigrated(database)).toBe(false);
  await expectUpgraded(database, newSchema);
});

test("an upgrade that failed in any of its parts is continued", { tag: "@release" }, async ({
  createFormer,
  folderOf,
  newSchema,
}) => {
  test.setTimeout(300_000);
  const { script } = readMigration(DEFAULT_FOLDER, INIT);
  const changes = await readFile(path.join(DEFAULT_FOLDER, "upgrade.sql"), "utf8");
  const files = { [`${INIT}/migration.sql`]: script, "upgrade.sql": changes };
  for (const [file, text] of Object.entries(files)) {
    const parts = text.split("\n\n\n");
    for (const place of parts.keys()) {
      await test.step(`part ${place + 1} of ${parts.length} in ${file}`, async () => {
        const database = await createFormer(RELEASE);
        const folder = await folderOf({ [INIT]: script });
        await writeFile(path.join(folder, file), parts.with(place, "SELECT 1 / 0").join("\n\n\n"));
        await expect(migrate(database.url, folder)).rejects.toThrow("division by zero");
        await expectUpgraded(database, newSchema);
      });
    }
  }
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
    for (const [changed, migrations] of [
      ["20261125120000_life", MANY],
      ["20261129200400_erase_viewers", TWO],
    ] as const) {
      const database = await createFormer(migrations);
      await database.query(change, [changed]);
      const before = await describeSchema(database.url);
      await expect(migrate(database.url)).rejects.toThrow(message);
      await expect(migrate(database.url)).rejects.toThrow(changed);
      expect(await describeSchema(database.url)).toEqual(before);
    }
  });
}

test("a first migration with another checksum is refused", async ({ createFormer }) => {
  const database = await createFormer(RELEASE);
  await database.query("UPDATE _prisma_migrations SET checksum = repeat('0', 64)");
  expect(await isMigrated(database)).toBe(false);
  await expect(migrate(database.url)).rejects.toThrow(`its migration ${INIT} is unknown to this release`);
});

test("a database that Prisma migrated for another program is refused and left unchanged", async ({ createFormer }) => {
  const database = await createFormer({ "20260101000000_theirs": "CREATE TABLE session (id int)" });
  const before = await describeSchema(database.url);
  await expect(migrate(database.url)).rejects.toThrow("its migration 20260101000000_theirs is unknown to this release");
  expect(await describeSchema(database.url)).toEqual(before);
});

test("a commit with another first migration refuses an upgraded database and leaves it unchanged", async ({
  createFormer,
  folderOf,
  newSchema,
}) => {
  const database = await createFormer(TWO);
  await migrate(database.url);
  const returning = migrate(database.url, await folderOf(TWO));
  await expect(returning).rejects.toThrow(`its migration ${INIT} is unknown to this release`);
  expect(await describeSchema(database.url)).toEqual(newSchema);
  expect(await isMigrated(database)).toBe(true);
});

test("Prisma finds nothing to do in an upgraded database", async ({ createFormer }) => {
  const database = await createFormer(RELEASE);
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
