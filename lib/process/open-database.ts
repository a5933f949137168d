import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { MAKE_AUDIT_PARTITIONS } from "@/lib/audit/partitions";
import { addressOf } from "@/lib/config/database-url";
import { env, ownerUrl } from "@/lib/config/env";
import { Connection, requireSettings, UNTOLD_PGBOUNCER } from "@/lib/db/connection";
import { isDatabaseAway } from "@/lib/db/failures";
import { closePool, openPool, type Waits } from "@/lib/db/pool";
import { claimBackupFolder } from "@/lib/embedded/backup-folder";
import { attachEmbedded, superuserUrl } from "@/lib/embedded/postgres";
import { AppError, StartError } from "@/lib/errors";
import { startFeedEpoch } from "@/lib/events/feed";
import { isMigrated, pendingMigrations } from "@/lib/migrations/migrations";
import { isBlocked } from "@/lib/migrations/patience";
import { missingPrivileges } from "@/lib/migrations/privileges";
import { loadSecretKey, takeConfiguredKey } from "@/lib/process/secret-key";
import { log, printNotice } from "@/lib/telemetry/log";
import { KEEP_USE_PARTITIONS } from "@/lib/usage/months";

const CONNECT_MS = 5_000;
const PREPARE_MS = 60_000;
/** Dropping a month may wait for a dump, and requests queue behind it. */
const LOCK_MS = 300;
const AGAIN_MS = 1_000;
/** SQLSTATE of a missing privilege. */
const DENIED = "42501";
const ANOTHER_DATABASE =
  "DATABASE_OWNER_URL and DATABASE_URL point to different databases. The former has been migrated; " +
  "the latter has not.";

const WITHOUT_PASSWORD =
  "DATABASE_URL has no password, and the database requires one: postgresql://user:password@host:5432/database.";

/** The migrating process's report to its parent. */
export type MigrationReport = { applied: string[] } | { failure: MigrationFailure };

export interface MigrationFailure {
  message: string;
  stack: string | undefined;
  isStartError: boolean;
  code: string | undefined;
  syscall: string | undefined;
}

/** The database, ready for this process. */
export interface OpenDatabase {
  /** URL including credentials */
  url: string;
  /** whether it is the embedded one */
  embedded: boolean;
  /** place of the data, without credentials */
  location: string;
  close(): Promise<void>;
}

interface OpenOptions {
  waits?: Waits;
  connections?: number;
  /** called when migrations start, or wait for another process's */
  onMigrating?(): void;
  /** aborts running migrations */
  signal?: AbortSignal;
}

/**
 * Opens the configured or the embedded database: migrated, with its key checked and the
 * pool open for all modules of this process.
 * @throws {StartError} when the configuration is unusable; pg's error when the database is unreachable
 */
export async function openDatabase(options: OpenOptions = {}): Promise<OpenDatabase> {
  const { DATABASE_URL, DATA_DIR, BACKUP_DIR } = env();
  if (DATABASE_URL) takeConfiguredKey();
  const embedded = DATABASE_URL ? undefined : await attachEmbedded(DATA_DIR);
  const url = DATABASE_URL ?? embedded?.url ?? "";
  try {
    if (BACKUP_DIR) await claimBackupFolder(BACKUP_DIR, DATA_DIR);
    await prepare(url, DATA_DIR, options);
    openPool(url, options.connections ?? env().DATABASE_POOL_SIZE, options.waits);
  } catch (error) {
    await embedded?.release();
    throw error;
  }
  return {
    url,
    embedded: embedded !== undefined,
    location: embedded?.location ?? addressOf(url),
    async close() {
      await closePool();
      await embedded?.release();
    },
  };
}

/** The owner's URL of an open database, for a command that needs the owner role. */
export async function urlOfOwner(url: string): Promise<string> {
  const { DATABASE_URL, DATA_DIR } = env();
  return DATABASE_URL ? (ownerUrl() ?? DATABASE_URL) : superuserUrl(DATA_DIR, url);
}

/** Whether an error is due to the database's state, not our configuration: it is down, starting, full or a standby. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StartError) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    "syscall" in error || /^(08|53|57|25006)/.test(code) || /timeout|terminated|not queryable/i.test(error.message)
  );
}

/** Whether an error means that an opened database is unavailable: that does not end the service. */
export function isAwayAgain(error: unknown): boolean {
  if (error instanceof StartError) return false;
  return error instanceof AppError ? error.code === "unavailable" : isDatabaseAway(error);
}

/** Reports, in the log and to the person at the terminal, that the service waits for its database. */
export function printUnreachable(error: unknown) {
  log().warn({ err: error }, "the database is unreachable");
  const { DATABASE_URL } = env();
  const which = DATABASE_URL ? ` of DATABASE_URL, ${addressOf(DATABASE_URL)},` : "";
  const reason = error instanceof Error ? error.message : String(error);
  printNotice(`The database${which} is unreachable: ${reason}. Retrying every second, and answering 503 until then.`);
}

/** Runs a start's remaining work in an opened database, and retries every second while the database is unavailable. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isAwayAgain(error)) throw error;
      if (attempt === 1) log().warn({ err: error }, "the database is unavailable: the start waits for it");
      await sleep(AGAIN_MS);
    }
  }
}

async function prepare(url: string, keyFolder: string, options: OpenOptions) {
  const client = await connect(url).catch(async (error: unknown) => {
    if (!isUnknownRole(error)) throw refused(error);
    // The role of DATABASE_URL may not exist yet.
    await migrateInChild(options);
    return connect(url).catch((again: unknown) => Promise.reject(refused(again)));
  });
  try {
    await requireSettings(client, url);
    if (!(await isPrepared(client))) {
      await migrateInChild(options);
      if ((await pendingMigrations(client)).length > 0) throw new StartError(ANOTHER_DATABASE);
      const missing = await missingPrivileges(client);
      if (missing.length > 0) throw new StartError(lacking(missing));
    }
    await loadSecretKey(client, keyFolder);
    await startFeedEpoch(client);
    for (const { text } of [MAKE_AUDIT_PARTITIONS, KEEP_USE_PARTITIONS]) {
      await client.query(text).catch((error: unknown) => {
        if (isPassing(error) && !isBlocked(error)) throw error;
        // Not fatal, as during a dump: enough partitions may exist, and otherwise the maintenance job raises the alarm.
        log().warn({ err: error }, "partitions could not be created");
      });
    }
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Connection> {
  const client = new Connection({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: PREPARE_MS,
    settings: { statement_timeout: PREPARE_MS, lock_timeout: LOCK_MS },
  });
  await client.connect();
  return client;
}

function refused(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (/unsupported startup parameter/.test(error.message)) return new StartError(UNTOLD_PGBOUNCER, { cause: error });
  if (/client password must be/.test(error.message)) return new StartError(WITHOUT_PASSWORD, { cause: error });
  if (isPassing(error)) return error;
  const isUnknownAuthority = /self-signed|unable to (?:get|verify)/.test(error.message);
  const advice = isUnknownAuthority ? " Name the authority of its certificate by sslrootcert (docs/deploy.md)." : "";
  return new StartError(`Cannot use DATABASE_URL: ${error.message}.${advice}`, { cause: error });
}

/** Whether a login failed as if the role were unknown, and an owner can create it. */
function isUnknownRole(error: unknown): boolean {
  return ownerUrl() !== undefined && error instanceof pg.DatabaseError && /^28/.test(error.code ?? "");
}

/** Whether no work as the owner is needed: no migration is pending, and this connection's role has all privileges. */
async function isPrepared(client: pg.Client): Promise<boolean> {
  try {
    return (await isMigrated(client)) && (await missingPrivileges(client)).length === 0;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === DENIED) return false;
    throw error;
  }
}

function lacking(missing: string[]): string {
  const some =
    missing.length > 3 ? `${missing.slice(0, 3).join(", ")} and ${missing.length - 3} more` : missing.join(", ");
  return (
    `The role of DATABASE_URL lacks privileges: ${some}. ` +
    "Set DATABASE_OWNER_URL to the URL of the role that owns the tables and start again, or " +
    'run "./user-groups migrate" with it.'
  );
}

/** Migrates as the owner, in a short-lived child process. */
async function migrateInChild({ onMigrating, signal }: OpenOptions) {
  onMigrating?.();
  const { dirname, filename } = import.meta;
  // The bundle has both files in one folder.
  const script = filename.endsWith(".ts")
    ? path.join(dirname, "../cli/migrate.ts")
    : path.join(dirname, `migrate${path.extname(filename)}`);
  const owner = ownerUrl();
  const child = fork(script, ["child"], {
    // Separate pipes: when the child exits, Node makes an inherited stdout blocking for us too, and an unread log would
    // then stop us.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...(owner !== undefined && { DATABASE_OWNER_URL: owner }) },
    ...(signal && { signal }),
  });
  child.stdout?.pipe(process.stdout, { end: false });
  child.stderr?.pipe(process.stderr, { end: false });
  let report: MigrationReport | undefined;
  child.on("message", (message: MigrationReport) => {
    report = message;
  });
  // Not "exit": the report may arrive after that.
  await once(child, "close");
  if (!report) throw new StartError("The migration process was killed. Start again.");
  if ("applied" in report) return;
  const { isStartError, message, ...rest } = report.failure;
  throw isStartError ? new StartError(message) : Object.assign(new Error(message), rest);
}
