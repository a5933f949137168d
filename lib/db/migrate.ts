import { setTimeout as sleep } from "node:timers/promises";
import { isDriverAdapterError } from "@prisma/driver-adapter-utils";
import type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { type ClientBase, DatabaseError, Pool, type PoolClient } from "pg";
import { Connection } from "@/lib/db/connection";
import { primaryUrl } from "@/lib/db/hosts";
import { finishIndexes, hasUnfinishedIndexes, takeStock } from "@/lib/db/partitioned-indexes";
import { ATTEMPTS, DDL_LOCK_TIMEOUT, isBlocked, patiently } from "@/lib/db/patience";
import { grantDefaults, grantPrivileges } from "@/lib/db/privileges";
import { becomeOwner, makeRole, type Role, requireOwner } from "@/lib/db/roles";
import {
  type Adapter,
  DEFAULT_FOLDER,
  migrationNames,
  NO_FILTERS,
  openEngine,
  readMigrations,
  runWhole,
  WholeScripts,
} from "@/lib/db/schema-engine";
import { StartError } from "@/lib/errors";

const OLDEST_VERSION = 15;
const CONNECT_MS = 10_000;
// The key of Prisma's own advisory lock, so that `prisma migrate deploy` and this wait for each other.
const LOCK_KEY = 72707369;
// Waiting processes answer /healthz, and an index of a large table takes minutes.
const LOCK_WAIT_MS = 900_000;

/** The part of a pg pool or client that finds pending migrations. */
type Queryable = {
  query(text: string, params?: unknown[]): Promise<{ rows: { migration_name: string }[]; rowCount: number | null }>;
};

type FailedScript = { script: string; error: unknown };

/** The first migration of versions before 0.9.0, which replaces them with its own. */
const EARLIER = "20261120000000_init";
const EARLIER_DATABASE =
  "This database was created by a version before 0.9.0 and cannot be upgraded. Export its user groups with that version and " +
  "import them into a new database, or start with a new DATA_DIR or DATABASE_URL.";

/**
 * The names of the migrations that the database lacks, oldest first; one small query, without the engine.
 * @throws {StartError} when a version before 0.9.0 created the database
 */
export async function pendingMigrations(db: Queryable, folder = DEFAULT_FOLDER): Promise<string[]> {
  const applied = await db
    .query("SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL")
    .then(({ rows }) => new Set(rows.map((row) => row.migration_name)))
    .catch((error: unknown) => {
      if (error instanceof DatabaseError && error.code === "42P01") return new Set<string>();
      throw error;
    });
  if (applied.has(EARLIER)) throw new StartError(EARLIER_DATABASE);
  return migrationNames(folder).filter((name) => !applied.has(name));
}

/** Whether no migration is pending, and none has left an index to finish. */
export async function isMigrated(db: Queryable, folder = DEFAULT_FOLDER): Promise<boolean> {
  return (await pendingMigrations(db, folder)).length === 0 && !(await hasUnfinishedIndexes(db));
}

/**
 * Applies the pending migrations, each atomically, and returns the names of the applied ones.
 * @throws {StartError} when the server is too old, the database is not UTF-8, another role owns its tables, another process
 * holds the lock for 15 minutes, or a migration fails (the message names it); pg's own error when the database is unreachable.
 * `runtime` is the serving role, if it differs from this connection's: it is created, and granted what it needs.
 */
export async function migrate(connectionString: string, folder = DEFAULT_FOLDER, runtime?: Role): Promise<string[]> {
  const pool = new Pool({
    connectionString: await primaryUrl(connectionString, CONNECT_MS),
    max: 1,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: "user-group-service migrate",
    Client: Connection,
  });
  // The connection is closing with its work done, so its errors do not matter.
  pool.on("error", () => {});
  let session: PoolClient | undefined;
  try {
    session = await pool.connect();
    session.on("error", () => {}); // The next statement reports a broken connection.
    // The lock belongs to a session, and a pool discards the session of a failed statement.
    Object.assign(pool, { query: session.query.bind(session) });
    // PostgreSQL 17 and newer have it, and older ones would refuse it at login.
    await pool.query("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'");
    await requireSuitableDatabase(pool);
    await requireOwner(pool);
    if (!runtime && (await isMigrated(pool, folder))) return [];
    await takeLock(pool);
    if (runtime) await separate(pool, runtime);
    const applied = (await pendingMigrations(pool, folder)).length === 0 ? [] : await applyPending(pool, folder);
    await finishIndexes(pool);
    if (runtime) await grantPrivileges(pool, runtime.name, await isNewest(pool, folder));
    return applied;
  } finally {
    session?.release(true);
    await pool.end();
  }
}

async function requireSuitableDatabase(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; encoding: string; version: string; version_num: number }>(
    `SELECT current_database() AS name, current_setting('server_encoding') AS encoding,
       current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_num`,
  );
  for (const { name, encoding, version, version_num } of rows) {
    if (version_num < OLDEST_VERSION * 10_000) {
      throw new StartError(`PostgreSQL ${OLDEST_VERSION} or newer is required; this server is ${version}.`);
    }
    if (encoding !== "UTF8") {
      throw new StartError(
        `The database "${name}" has the encoding ${encoding}, and UTF8 is required. Create one with: ` +
          `CREATE DATABASE "${name}" ENCODING 'UTF8' TEMPLATE template0`,
      );
    }
  }
}

/** Ensures that there are two roles, and that this connection uses the owner's. */
async function separate(pool: Pool, runtime: Role): Promise<void> {
  await makeRole(pool, runtime);
  await pool.query(`SET lock_timeout = '${DDL_LOCK_TIMEOUT}'`);
  await patiently(pool, () => becomeOwner(pool));
  await grantDefaults(pool, runtime.name);
}

/** Whether no newer release has migrated the database; a newer one decides what to revoke from the runtime role. */
async function isNewest(db: Queryable, folder: string): Promise<boolean> {
  const ours = new Set(migrationNames(folder));
  const { rows } = await db.query("SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL");
  return rows.every(({ migration_name }) => ours.has(migration_name));
}

/** Takes the lock on schema changes until the session ends; returns whether it was free. */
export async function tryLock(db: Pick<ClientBase, "query">): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS taken`);
  return rows[0]?.taken ?? false;
}

async function takeLock(pool: Pool): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  // Polled: a blocked pg_advisory_lock holds a snapshot, which deadlocks with another's CREATE INDEX CONCURRENTLY.
  while (Date.now() < deadline) {
    if (await tryLock(pool)) return;
    await sleep(200);
  }
  throw new StartError(
    `Another process has been migrating this database for ${LOCK_WAIT_MS / 60_000} minutes. Start again when it has finished; ` +
      `its session holds advisory lock ${LOCK_KEY} (see pg_locks).`,
  );
}

async function applyPending(pool: Pool, folder: string): Promise<string[]> {
  const migrationsList = readMigrations(folder);
  const pending = await pendingMigrations(pool, folder);
  const failed: FailedScript[] = [];
  const adapter = new WholeScripts(pool, (connected, script) =>
    runPatiently(pool, connected, script).catch((error: unknown) => {
      failed.push({ script, error });
      throw error;
    }),
  );
  const engine = await openEngine(adapter);
  try {
    await forgetUnfinished(pool);
    await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
    return pending;
  } catch (error) {
    // If the connection is gone, that is the reason whatever the engine reports: this fails with pg's own error.
    await pool.query("SELECT");
    throw explained(error, failed.pop(), migrationsList);
  } finally {
    engine.free();
  }
}

/** Runs a script atomically, and repeats while others lock its tables. */
async function runPatiently(pool: Pool, adapter: Adapter, script: string): Promise<void> {
  // A concurrent build blocks nobody while it waits, and giving up would leave half an index.
  await pool.query(`SET lock_timeout = '${isConcurrent(script) ? 0 : DDL_LOCK_TIMEOUT}'`);
  const [, index] = /\bCREATE (?:UNIQUE )?INDEX CONCURRENTLY (\S+)/i.exec(script) ?? [];
  await patiently(pool, async () => {
    // PostgreSQL finishes the statement of a killed process: the index may exist by now.
    if (index && (await takeStock(pool, index)) === "built") return;
    await runWhole(adapter, withFinish(script));
  });
}

function isConcurrent(script: string): boolean {
  return /\bCONCURRENTLY\b/i.test(script);
}

/** Whether the script commits each step, and can be repeated after any. */
function isStepwise(script: string): boolean {
  return isConcurrent(script) || /\bCOMMIT;/i.test(script);
}

/** Marks the migration finished in its own transaction: the server commits a script even if we die in between. */
function withFinish(script: string): string {
  if (isStepwise(script)) return script; // Not possible inside a transaction.
  return `${script}\n;UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`;
}

/** An unfinished row, seen while we hold the lock, belongs to an uncommitted script: the engine may retry it. */
async function forgetUnfinished(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query("SELECT FROM pg_class WHERE oid = to_regclass('_prisma_migrations')");
  if (!rowCount) return;
  await pool.query(
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL",
  );
}

function explained(error: unknown, failed: FailedScript | undefined, list: MigrationList): Error {
  if (!failed) {
    const [text = ""] = String(error instanceof Error ? error.message : error).split("\n   0: ");
    return new StartError(`Cannot apply the migrations: ${text.trim()}`);
  }
  const name = list.migrationDirectories.find(
    ({ migrationFile }) => migrationFile.content.value === failed.script,
  )?.path;
  // Without the server's detail, which quotes rows.
  const reason = isDriverAdapterError(failed.error)
    ? `${failed.error.cause.originalMessage} (${failed.error.cause.originalCode})`
    : String(failed.error);
  const advice = isBlocked(failed.error)
    ? `Its tables stayed locked through ${ATTEMPTS} attempts. End long transactions (see pg_stat_activity), then start again.`
    : `Fix the cause in the database, or prisma/migrations/${name}/migration.sql if it was never applied anywhere, then start again.`;
  return new StartError(`Migration ${name} failed and was rolled back: ${reason}. ${advice}`);
}
