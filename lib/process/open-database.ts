import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { makeAuditPartitions } from "@/lib/audit/partitions";
import { env, ownerUrl } from "@/lib/config/env";
import { leadsToPgBouncer } from "@/lib/config/pgbouncer";
import { attachEmbedded, superuserUrl } from "@/lib/db/embedded";
import { isDatabaseAway } from "@/lib/db/failures";
import { pendingMigrations } from "@/lib/db/migrate";
import { closePool, openPool, type Waits } from "@/lib/db/pool";
import { missingPrivileges } from "@/lib/db/privileges";
import { AppError, StartError } from "@/lib/errors";
import { loadSecretKey, takeConfiguredKey } from "@/lib/process/secret-key";
import { log, tell } from "@/lib/telemetry/log";

const PREPARE_MS = 60_000;
const AGAIN_MS = 1_000;
/** SQLSTATE of a privilege that is missing. */
const DENIED = "42501";
const UNTOLD_PGBOUNCER =
  "DATABASE_URL leads to PgBouncer. Add ?pgbouncer=true to it, and set DATABASE_DIRECT_URL to the address of PostgreSQL itself.";
const ANOTHER_DATABASE =
  "DATABASE_OWNER_URL or DATABASE_DIRECT_URL leads to another database than DATABASE_URL: its migrations are applied now, and those of DATABASE_URL are not.";

/** What the process that migrates reports to the one that started it. */
export type MigrationReport = { applied: string[] } | { failure: Failure };

export interface Failure {
  message: string;
  stack: string | undefined;
  isStartError: boolean;
  code: string | undefined;
  syscall: string | undefined;
}

/** The database, ready for use by this process. */
export interface OpenDatabase {
  /** its address, credentials included */
  url: string;
  /** whether it is the one we bring along */
  embedded: boolean;
  /** where the data is, without credentials */
  location: string;
  close(): Promise<void>;
}

interface OpenOptions {
  waits?: Waits;
  connections?: number;
  /** hears that migrations are applied now, or another process's are waited for */
  onMigrating?(): void;
  /** gives up migrations that are being applied */
  signal?: AbortSignal;
}

/**
 * Opens the database of the configuration, or the embedded one when there is none: migrated, its key checked, the
 * pool filled for every module of this process.
 * @throws {StartError} when it cannot be used as it is configured; an error of pg's when it cannot be reached now
 */
export async function openDatabase(options: OpenOptions = {}): Promise<OpenDatabase> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (DATABASE_URL) takeConfiguredKey();
  const embedded = DATABASE_URL ? undefined : await attachEmbedded(DATA_DIR);
  const url = DATABASE_URL ?? embedded?.url ?? "";
  try {
    await prepare(url, DATA_DIR, options);
    openPool(url, options.connections ?? env().DATABASE_POOL_SIZE, options.waits);
  } catch (error) {
    await embedded?.release();
    throw error;
  }
  const { host, pathname } = new URL(url);
  return {
    url,
    embedded: embedded !== undefined,
    location: embedded?.location ?? `${host}${pathname}`,
    async close() {
      await closePool();
      await embedded?.release();
    },
  };
}

/** The URL of the owner of an open database, for a command that works as no role but the owner may. */
export async function urlOfOwner(url: string): Promise<string> {
  const { DATABASE_URL, DATA_DIR } = env();
  return DATABASE_URL ? (ownerUrl() ?? url) : superuserUrl(DATA_DIR, url);
}

/** Whether an error is the database's state rather than our configuration: it is down, starting, full or standing by. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StartError) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    "syscall" in error || /^(08|53|57|25006)/.test(code) || /timeout|terminated|not queryable/i.test(error.message)
  );
}

/** Whether an error is that a database which was open cannot be used now: that ends no service. */
export function isAwayAgain(error: unknown): boolean {
  if (error instanceof StartError) return false;
  return error instanceof AppError ? error.code === "unavailable" : isDatabaseAway(error);
}

/** Tells, in the log and to whoever started the service, that it waits for its database. */
export function tellAway(error: unknown) {
  log().warn({ err: error }, "the database cannot be reached");
  const which = env().DATABASE_URL ? " of DATABASE_URL" : "";
  tell(`The database${which} cannot be reached: trying again every second, and answering 503 until then.`);
}

/** Does what a start still has to do in a database that is open, again each second while that is away. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isAwayAgain(error)) throw error;
      if (attempt === 1) log().warn({ err: error }, "the database cannot be used: what a start says waits for it");
      await sleep(AGAIN_MS);
    }
  }
}

async function prepare(url: string, keyFolder: string, options: OpenOptions) {
  const client = await connect(url).catch(async (error: unknown) => {
    if (!isUnknownRole(error)) throw refused(error);
    // The role of DATABASE_URL may be still to be made.
    await migrateInChild(options);
    return connect(url).catch((again: unknown) => Promise.reject(refused(again)));
  });
  try {
    if (!(await isPrepared(client))) {
      await migrateInChild(options);
      if ((await pendingMigrations(client)).length > 0) throw new StartError(ANOTHER_DATABASE);
      const missing = await missingPrivileges(client);
      if (missing.length > 0) throw new StartError(lacking(missing));
    }
    await loadSecretKey(client, keyFolder);
    await makeAuditPartitions(client).catch((error: unknown) => {
      if (isPassing(error)) throw error;
      // No reason to refuse a start: there may be enough of them, and the job that looks after them raises the alarm.
      log().warn({ err: error }, "partitions of the history could not be made");
    });
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: PREPARE_MS,
    // A PgBouncer that we were not told of refuses this, rather than the first request.
    ...(leadsToPgBouncer(url) ? {} : { statement_timeout: PREPARE_MS }),
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function refused(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (/unsupported startup parameter/.test(error.message)) return new StartError(UNTOLD_PGBOUNCER, { cause: error });
  return isPassing(error) ? error : new StartError(`DATABASE_URL cannot be used: ${error.message}.`, { cause: error });
}

/** Whether a log-in failed as it does for a role that does not exist, and an owner is there to make it. */
function isUnknownRole(error: unknown): boolean {
  return ownerUrl() !== undefined && error instanceof pg.DatabaseError && /^28/.test(error.code ?? "");
}

/** Whether nothing is to be done as the owner: no migration is pending, and the role of this connection has all it needs. */
async function isPrepared(client: pg.Client): Promise<boolean> {
  try {
    return (await pendingMigrations(client)).length === 0 && (await missingPrivileges(client)).length === 0;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === DENIED) return false;
    throw error;
  }
}

function lacking(missing: string[]): string {
  const some =
    missing.length > 3 ? `${missing.slice(0, 3).join(", ")} and ${missing.length - 3} more` : missing.join(", ");
  return (
    `The role of DATABASE_URL lacks what it needs to serve: ${some}. ` +
    'Set DATABASE_OWNER_URL to the URL of the role that owns the tables and start again, or run "npm run migrate" with it.'
  );
}

/** Migrates as the owner, in a process of its own that ends. */
async function migrateInChild({ onMigrating, signal }: OpenOptions) {
  onMigrating?.();
  const { dirname, filename } = import.meta;
  // The bundle has both files in one folder.
  const script = filename.endsWith(".ts")
    ? path.join(dirname, "../cli/migrate.ts")
    : path.join(dirname, `migrate${path.extname(filename)}`);
  const owner = ownerUrl();
  const child = fork(script, ["child"], {
    // Pipes of its own: as it ends, Node makes an inherited stdout blocking, for us as well, and a log that nobody reads would stop us.
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
  // Not "exit": its report may come after that.
  await once(child, "close");
  if (!report) throw new StartError("The process that migrates the database was ended. Start again.");
  if ("applied" in report) return;
  const { isStartError, message, ...rest } = report.failure;
  throw isStartError ? new StartError(message) : Object.assign(new Error(message), rest);
}
