import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { bindApiTokens } from "@/lib/api-tokens/binding";
import { attachEmbedded } from "@/lib/db/embedded";
import { migrate, pendingMigrations } from "@/lib/db/migrate";
import { leadsToPgBouncer } from "@/lib/db/pgbouncer";
import { closePool, isDatabaseAway, openPool, type Waits } from "@/lib/db/pool";
import { env } from "@/lib/env";
import { AppError, StartError } from "@/lib/errors";
import { log, tell } from "@/lib/log";
import { loadSecretKey, takeConfiguredKey } from "@/lib/secret-key";

const PREPARE_MS = 60_000;
const AGAIN_MS = 1_000;
const UNTOLD_PGBOUNCER =
  "DATABASE_URL leads to PgBouncer. Add ?pgbouncer=true to it, and set DATABASE_DIRECT_URL to the address of PostgreSQL itself.";
const ANOTHER_DATABASE =
  "DATABASE_DIRECT_URL leads to another database than DATABASE_URL: its migrations are applied now, and those of DATABASE_URL are not.";

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

/**
 * Opens the database of the configuration, or the embedded one when there is none: migrated, its key checked, the
 * pool filled for every module of this process.
 * @throws {StartError} when it cannot be used as it is configured; an error of pg's when it cannot be reached now
 */
export async function openDatabase(
  waits?: Waits,
  connections: number = env().DATABASE_POOL_SIZE,
): Promise<OpenDatabase> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (DATABASE_URL) takeConfiguredKey();
  const embedded = DATABASE_URL ? undefined : await attachEmbedded(DATA_DIR);
  const url = DATABASE_URL ?? embedded?.url ?? "";
  try {
    await prepare(url, DATA_DIR);
    openPool(url, connections, waits);
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

async function prepare(url: string, keyFolder: string) {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: PREPARE_MS,
    // A PgBouncer that we were not told of refuses this, rather than the first request.
    ...(leadsToPgBouncer(url) ? {} : { statement_timeout: PREPARE_MS }),
  });
  client.on("error", () => undefined);
  await client.connect().catch((cause: Error) => {
    if (/unsupported startup parameter/.test(cause.message)) throw new StartError(UNTOLD_PGBOUNCER, { cause });
    throw isPassing(cause) ? cause : new StartError(`DATABASE_URL cannot be used: ${cause.message}.`, { cause });
  });
  try {
    if ((await pendingMigrations(client)).length > 0) {
      await migrate(env().DATABASE_DIRECT_URL ?? url);
      if ((await pendingMigrations(client)).length > 0) throw new StartError(ANOTHER_DATABASE);
    }
    await loadSecretKey(client, keyFolder);
    await bindApiTokens(client);
  } finally {
    await client.end();
  }
}
