import { Client, Pool } from "pg";
import { migrate } from "../../lib/migrations/migrate";
import { isMigrated, migrationNames, pendingMigrations } from "../../lib/migrations/migrations";
import { startMigrating } from "../fixtures/migrating";
import { endWaiting, expect, test } from "../fixtures/migrations";
import { NO_FILTERS, openEngine, readMigrations, sqlToAdd } from "../fixtures/schema-engine";

const shipped = [...migrationNames()];
const group =
  "INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)";
const tokenIndex = Buffer.alloc(32);

test("an empty database gets every migration, and a second start finds nothing to do", async ({ createDatabase }) => {
  const database = await createDatabase();
  expect(await pendingMigrations(database)).toEqual(shipped);
  expect(await migrate(database.url)).toEqual(shipped);
  expect(await pendingMigrations(database)).toEqual([]);
  expect(await migrate(database.url)).toEqual([]);
});

test("of four concurrent starts, one applies the migrations and the others wait", { tag: "@release" }, async ({
  createDatabase,
  folderWith,
}) => {
  const database = await createDatabase();
  const folder = folderWith("SELECT pg_sleep(1); CREATE TABLE extra (id int);");
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, folder)));
  expect(applied.flat()).toEqual([...shipped, "29990101000000_next"]);
  const { rows } = await database.query("SELECT count(*)::int AS runs FROM _prisma_migrations");
  expect(rows).toEqual([{ runs: shipped.length + 1 }]);
});

test("the lock is the one used by Prisma's deploy, and is held on the migrating session", {
  tag: "@release",
}, async ({ createDatabase, folderWith }) => {
  const database = await createDatabase();
  await database.query("SELECT pg_advisory_lock(72707369)");
  const migrating = migrate(database.url, folderWith("SELECT pg_sleep(1)"));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await pendingMigrations(database)).toEqual(shipped);
  await database.query("SELECT pg_advisory_unlock(72707369)");
  const holders =
    "SELECT query FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objid = 72707369";
  await expect
    .poll(async () => (await database.query(holders)).rows, { intervals: [50], timeout: 60_000 })
    .toEqual([{ query: expect.stringContaining("pg_sleep") }]);
  expect(await migrating).toHaveLength(shipped.length + 1);
});

test("a broken migration leaves nothing behind, is named with its reason, and runs once corrected", {
  tag: "@release",
}, async ({ createDatabase, folderWith }) => {
  const database = await createDatabase();
  const broken = folderWith("CREATE TABLE half (id int); INSERT INTO half VALUES (1); SELECT 1 / 0;");
  for (const _start of ["first", "second"]) {
    await expect(migrate(database.url, broken)).rejects.toThrow(
      /^Migration 29990101000000_next failed and was rolled back: division by zero \(22012\)\. Fix the cause /,
    );
  }
  expect((await database.query("SELECT to_regclass('half') AS half")).rows).toEqual([{ half: null }]);
  expect(await pendingMigrations(database)).toEqual([]);
  expect(await pendingMigrations(database, broken)).toEqual(["29990101000000_next"]);
  const corrected = folderWith("CREATE TABLE half (id int); INSERT INTO half VALUES (1);");
  expect(await migrate(database.url, corrected)).toEqual(["29990101000000_next"]);
});

test("a migration that meets a locked table lets other queries pass, and succeeds when the table is free", {
  tag: "@release",
}, async ({ createDatabase, folderWith }) => {
  const database = await createDatabase();
  await migrate(database.url);
  // The same lock as pg_dump's, which conflicts only with DDL.
  await database.query("BEGIN; SELECT FROM user_group");
  const migrating = migrate(database.url, folderWith("ALTER TABLE user_group ADD COLUMN extra int"));
  const other = new Client({ connectionString: database.url, statement_timeout: 800 });
  await other.connect();
  const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  for (let times = 0; times < 3; times++) {
    await expect.poll(async () => (await other.query(waits)).rowCount, { intervals: [20] }).toBe(1);
    // Queued behind the waiting DDL, which gives way.
    await other.query("UPDATE user_group SET name = name");
    await expect.poll(async () => (await other.query(waits)).rowCount, { intervals: [20] }).toBe(0);
  }
  await other.end();
  await database.query("COMMIT");
  expect(await migrating).toEqual(["29990101000000_next"]);
  expect((await database.query("SELECT extra FROM user_group")).rowCount).toBe(0);
});

test("an index built under traffic waits for older transactions, and is never left half built", {
  tag: "@release",
}, async ({ createDatabase, folderWith }) => {
  const database = await createDatabase();
  await migrate(database.url);
  await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM user_group");
  const migrating = migrate(database.url, folderWith("CREATE INDEX CONCURRENTLY extra ON user_group (name)"));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await database.query("COMMIT");
  expect(await migrating).toEqual(["29990101000000_next"]);
  const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'extra'::regclass";
  expect((await database.query(valid)).rows).toEqual([{ indisvalid: true }]);
});

test("an interrupted index build is repeated by the next start", { tag: "@release" }, async ({
  createDatabase,
  folderWith,
}) => {
  const database = await createDatabase();
  await migrate(database.url);
  const folder = folderWith('CREATE UNIQUE INDEX CONCURRENTLY "extra" ON user_group (token_sealed)');
  await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM user_group");
  const ended = expect(migrate(database.url, folder)).rejects.toThrow();
  await endWaiting(database.url, "CREATE UNIQUE INDEX CONCURRENTLY");
  await ended;
  await database.query("COMMIT");
  const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'extra'::regclass";
  expect((await database.query(valid)).rows).toEqual([{ indisvalid: false }]);
  expect(await migrate(database.url, folder)).toEqual(["29990101000000_next"]);
  expect((await database.query(valid)).rows).toEqual([{ indisvalid: true }]);
});

test("a partitioned index is built by partition under reads, and resumes after an interruption", {
  tag: "@release",
}, async ({ createDatabase, folderWith }) => {
  const database = await createDatabase();
  await migrate(database.url);
  const folder = folderWith("CREATE INDEX extra ON ONLY audit_entry (request_id) WHERE request_id IS NOT NULL");
  await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM audit_entry");
  const ended = expect(migrate(database.url, folder)).rejects.toThrow();
  await endWaiting(database.url, "CREATE INDEX CONCURRENTLY");
  await ended;
  await database.query("COMMIT");
  expect(await pendingMigrations(database, folder)).toEqual([]);
  expect(await isMigrated(database, folder)).toBe(false);
  expect(await migrate(database.url, folder)).toEqual([]);
  expect(await isMigrated(database, folder)).toBe(true);
  const { rows } = await database.query(
    `SELECT DISTINCT indisvalid, pg_get_expr(indpred, indrelid) AS only FROM pg_partition_tree('extra') JOIN pg_index ON indexrelid = relid`,
  );
  expect(rows).toEqual([{ indisvalid: true, only: "(request_id IS NOT NULL)" }]);
});

test("a process that dies while migrating does not block the next start", { tag: "@release" }, async ({
  createDatabase,
  folderWith,
}) => {
  const database = await createDatabase();
  const folder = folderWith("CREATE TABLE slow (id int); SELECT pg_sleep(2);");
  const dying = startMigrating(database.url, folder);
  const sleeping = "SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(2)%' AND pid <> pg_backend_pid()";
  await expect.poll(async () => (await database.query(sleeping)).rowCount, { intervals: [50] }).toBe(1);
  dying.kill();
  await expect(dying.migrated).rejects.toThrow();
  await migrate(database.url, folder);
  expect(await pendingMigrations(database, folder)).toEqual([]);
  expect((await database.query("SELECT to_regclass('slow') IS NOT NULL AS made")).rows).toEqual([{ made: true }]);
});

test("we and Prisma's engine can each continue the other's migrations, including failed ones", {
  tag: "@release",
}, async ({ createDatabase, folderWith }) => {
  const [ours, prismas] = [await createDatabase(), await createDatabase()];
  const broken = folderWith("SELECT 1 / 0;");
  const corrected = folderWith("SELECT 1;");
  await migrate(ours.url);
  await using first = await engineOf(ours.url);
  await using second = await engineOf(prismas.url);
  expect(await first.apply()).toEqual({ appliedMigrationNames: [] });
  expect(await second.apply()).toEqual({ appliedMigrationNames: shipped });
  for (const what of [
    `SELECT column_name, data_type, character_maximum_length, column_default, is_nullable FROM information_schema.columns
     WHERE table_name = '_prisma_migrations'`,
    `SELECT migration_name, checksum, length(id), logs, rolled_back_at, applied_steps_count, finished_at >= started_at AS ended
     FROM _prisma_migrations ORDER BY started_at`,
  ]) {
    expect((await ours.query(what)).rows).toEqual((await prismas.query(what)).rows);
  }
  await expect(second.apply(broken)).rejects.toThrow("29990101000000_next");
  expect(await second.diagnose(broken)).toMatchObject({ failedMigrationNames: ["29990101000000_next"] });
  expect(await migrate(prismas.url, corrected)).toEqual(["29990101000000_next"]);
  expect(await migrate(ours.url, corrected)).toEqual(["29990101000000_next"]);
  for (const engine of [first, second]) {
    expect(await engine.diagnose(corrected)).toMatchObject({
      hasMigrationsTable: true,
      history: null,
      failedMigrationNames: [],
      editedMigrationNames: [],
    });
  }
});

async function engineOf(url: string) {
  const pool = new Pool({ connectionString: url });
  const engine = await openEngine(pool);
  const inputOf = (folder?: string) => ({ migrationsList: readMigrations(folder), filters: NO_FILTERS });
  return {
    apply: (folder?: string) => engine.applyMigrations(inputOf(folder)),
    diagnose: (folder: string) => engine.diagnoseMigrationHistory({ ...inputOf(folder), optInToShadowDatabase: false }),
    async [Symbol.asyncDispose]() {
      engine.free();
      await pool.end();
    },
  };
}

test("an applied migration that was edited is left alone", async ({ createDatabase, folderWith }) => {
  const database = await createDatabase();
  await migrate(database.url, folderWith("SELECT 1"));
  expect(await migrate(database.url, folderWith("SELECT 1 / 0"))).toEqual([]);
});

test("a database with another program's tables is refused and left unchanged", async ({ createDatabase }) => {
  const database = await createDatabase();
  await database.query("CREATE TABLE theirs (id int)");
  await expect(migrate(database.url)).rejects.toThrow(/^The database "\w+" has another program's tables\. /);
  const tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
  expect((await database.query(tables)).rows).toEqual([{ relname: "theirs" }]);
});

for (const encoding of ["LATIN1", "SQL_ASCII"]) {
  test(`a database in ${encoding} is refused before anything is written`, async ({ createDatabase }) => {
    const database = await createDatabase(encoding);
    await expect(migrate(database.url)).rejects.toThrow(`has the encoding ${encoding}, and UTF8 is required`);
    expect(await pendingMigrations(database)).toEqual(shipped);
  });
}

test("an unreachable database is reported without its password", async () => {
  const error = await migrate("postgresql://someone:hunter2@127.0.0.1:1/none").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("hunter2");
});

test("schema.prisma and the migrations agree", async ({ createDatabase }) => {
  const pool = new Pool({ connectionString: (await createDatabase()).url });
  const missing = await sqlToAdd(pool);
  await pool.end();
  expect(missing, `schema.prisma is ahead of the migrations. What is missing:\n\n${missing}`).toBeUndefined();
});

test("a new database has the two environments", async ({ createDatabase }) => {
  const database = await createDatabase();
  await migrate(database.url);
  expect((await database.query("SELECT slug, name, tag FROM environment ORDER BY id")).rows).toEqual([
    { slug: "production", name: "Production", tag: "Customer" },
    { slug: "testing", name: "Testing", tag: "Testing" },
  ]);
});

test("the database itself refuses a group that breaks the contract", async ({ createDatabase }) => {
  const database = await createDatabase();
  await migrate(database.url);
  const sound = { id: "a", name: "A", mapping: "{}", properties: null, tokenIndex };
  const long = `{"a":"${"x".repeat(65_536)}"}`;
  const insert = (part: object) => {
    const { id, name, mapping, properties, tokenIndex: index } = { ...sound, ...part };
    const values = [id, name, mapping, properties, index];
    return database.query(`${group} SELECT id, $1, $2, $3, $4, $5, '' FROM environment WHERE slug = 'testing'`, values);
  };
  for (const [column, part] of Object.entries({
    mapping: [{ mapping: "[]" }, { mapping: "null" }, { mapping: long }],
    properties: [{ properties: "[]" }, { properties: "null" }, { properties: long }],
    provided_id: [{ id: "" }, { id: "x".repeat(256) }],
    name: [{ name: "" }, { name: "x".repeat(256) }],
    token_index: [{ tokenIndex: Buffer.alloc(31) }],
  })) {
    for (const wrong of part)
      await expect(insert(wrong)).rejects.toMatchObject({ constraint: `user_group_${column}_check` });
  }
  await expect(insert({ mapping: "no json" })).rejects.toMatchObject({ code: "22P02" });
  await insert(sound);
});

test("history is append-only: it outlives its environment and cannot be changed, deleted or emptied", async ({
  createDatabase,
}) => {
  const database = await createDatabase();
  await migrate(database.url);
  await database.query(
    "INSERT INTO audit_entry (environment_id, action, actor_type, actor_name) SELECT id, 'a', 'operator', 'o' FROM environment",
  );
  const [{ month }] = (await database.query("SELECT DISTINCT tableoid::regclass::text AS month FROM audit_entry")).rows;
  for (const change of [
    "UPDATE audit_entry SET action = 'b'",
    "UPDATE audit_entry SET environment_id = NULL",
    "DELETE FROM audit_entry",
    "TRUNCATE audit_entry",
    `UPDATE ${month} SET action = 'b'`,
    `DELETE FROM ${month}`,
    `TRUNCATE ${month}`,
  ]) {
    await expect(database.query(change)).rejects.toThrow("audit_entry is append-only");
  }
  await database.query("DELETE FROM environment WHERE slug = 'testing'");
  expect((await database.query("SELECT action, environment_id FROM audit_entry ORDER BY id")).rows).toEqual([
    { action: "a", environment_id: 1 },
    { action: "a", environment_id: 2 },
  ]);
});
