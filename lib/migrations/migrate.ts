import { setTimeout as sleep } from "node:timers/promises";
import { type ClientBase, escapeLiteral } from "pg";
import { Connection } from "@/lib/db/connection";
import { StartError } from "@/lib/errors";
import {
  DEFAULT_FOLDER,
  INIT,
  isMigrated,
  isNewest,
  pendingMigrations,
  readMigration,
} from "@/lib/migrations/migrations";
import { finishIndexes } from "@/lib/migrations/partitioned-indexes";
import { DDL_LOCK_TIMEOUT, patiently } from "@/lib/migrations/patience";
import { grantDefaults, grantPrivileges } from "@/lib/migrations/privileges";
import { becomeOwner, makeRole, type PgRole, requireOwner } from "@/lib/migrations/roles";
import { runScript } from "@/lib/migrations/run-script";
import { upgrade } from "@/lib/migrations/upgrade";

const OLDEST_VERSION = 15;
const CONNECT_MS = 10_000;
// The key of Prisma's own advisory lock, so that `prisma migrate deploy` and this wait for each other.
const LOCK_KEY = 72707369;
// Long enough for an index of a large table, which takes minutes; waiting processes answer /healthz.
const LOCK_WAIT_MS = 900_000;

/** Prisma's own table, so that `prisma migrate` works on the database too. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/**
 * Applies the pending migrations, each atomically, and returns the names of the applied ones.
 * @throws {StartError} when the server is too old, the database is not UTF-8 or belongs to another program, another
 * role owns its tables, another process holds the lock for 15 minutes, an earlier migration is unknown or unfinished,
 * or one fails (the message names it); pg's own error when the database is unreachable.
 * `runtime` is the serving role, if it differs from this connection's: it is created, and granted what it needs.
 */
export async function migrate(connectionString: string, folder = DEFAULT_FOLDER, runtime?: PgRole): Promise<string[]> {
  const db = new Connection({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: "user-group-service migrate",
  });
  await db.connect();
  try {
    // PostgreSQL 17 and newer have this setting; older versions would refuse it at login.
    await db.query("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'");
    await requireSuitableDatabase(db);
    await requireOwner(db);
    if (!runtime && (await isMigrated(db, folder))) return [];
    await takeLock(db);
    if (runtime) await separate(db, runtime);
    const applied = await applyPending(db, folder);
    await finishIndexes(db);
    if (runtime) await grantPrivileges(db, runtime.name, await isNewest(db, folder));
    return applied;
  } finally {
    await db.end();
  }
}

interface Suitability {
  name: string;
  encoding: string;
  version: string;
  version_num: number;
  /** has tables, but not Prisma's */
  foreign: boolean;
}

async function requireSuitableDatabase(db: ClientBase): Promise<void> {
  const { rows } = await db.query<Suitability>(
    `SELECT current_database() AS name, current_setting('server_encoding') AS encoding,
       current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_num,
       to_regclass('_prisma_migrations') IS NULL AND EXISTS (
         SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       ) AS foreign`,
  );
  for (const { name, encoding, version, version_num, foreign } of rows) {
    if (version_num < OLDEST_VERSION * 10_000) {
      throw new StartError(`PostgreSQL ${OLDEST_VERSION} or newer is required; this server is ${version}.`);
    }
    if (encoding !== "UTF8") {
      throw new StartError(
        `The database "${name}" has the encoding ${encoding}, and UTF8 is required. Create one with: ` +
          `CREATE DATABASE "${name}" ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`,
      );
    }
    if (foreign) {
      throw new StartError(
        `The database "${name}" has another program's tables. Set DATABASE_URL to an empty database.`,
      );
    }
  }
}

/** Ensures that there are two roles, and that this connection uses the owner's. */
async function separate(db: ClientBase, runtime: PgRole): Promise<void> {
  await makeRole(db, runtime);
  await db.query(`SET lock_timeout = '${DDL_LOCK_TIMEOUT}'`);
  await patiently(db, () => becomeOwner(db));
  await grantDefaults(db, runtime.name);
}

/** Takes the lock on schema changes until the session ends; returns whether it was free. */
export async function tryLock(db: Pick<ClientBase, "query">): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS taken`);
  return rows[0]?.taken ?? false;
}

async function takeLock(db: ClientBase): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  // Polled: a blocked pg_advisory_lock holds a snapshot, which deadlocks with another's CREATE INDEX CONCURRENTLY.
  while (Date.now() < deadline) {
    if (await tryLock(db)) return;
    await sleep(200);
  }
  throw new StartError(
    `Another process has been migrating this database for ${LOCK_WAIT_MS / 60_000} minutes. ` +
      "Start again when it has finished; " +
      `its session holds advisory lock ${LOCK_KEY} (see pg_locks).`,
  );
}

async function applyPending(db: ClientBase, folder: string): Promise<string[]> {
  const found = await pendingMigrations(db, folder);
  if (found.length === 0) return [];
  await db.query(TABLE);
  const upgraded = found.includes(INIT) ? await upgrade(db, folder) : [];
  // Left by Prisma or an earlier release: no one runs them while we hold the lock.
  await db.query(
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL",
  );
  const pending = await pendingMigrations(db, folder);
  for (const name of pending) {
    const { script, checksum } = readMigration(folder, name);
    await runScript(
      db,
      name,
      script,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES (gen_random_uuid(), '${checksum}', ${escapeLiteral(name)}, clock_timestamp(), 1)`,
    );
  }
  return [...upgraded, ...pending];
}
