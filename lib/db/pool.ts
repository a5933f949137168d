import pg from "pg";
import { leadsToPgBouncer } from "@/lib/db/pgbouncer";
import { queryText, type TextRow } from "@/lib/db/text-query";
import { AppError, unavailable } from "@/lib/errors";
import { meter } from "@/lib/metrics/meter";
import { traced } from "@/lib/tracing/tracer";

/** Requests that may wait for a connection before the rest are turned away at once. */
const MAX_WAITING = 2_000;
const ATTEMPTS = 3;

/**
 * Begins a transaction whose reads stop after a page, and are all of one moment. The planner guesses from averages how soon that
 * is, and where matches are rare the guess reads a table, or two to join them; nor do such reads gain by workers or by compiling.
 */
export const ORDERED_READS = ["seqscan", "hashjoin", "mergejoin"].reduce(
  (begin, way) => `${begin}; SET LOCAL enable_${way} = off`,
  "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off",
);

type Failure = "broken" | "rolled back" | "refused";
const RETRYABLE_READ: readonly Failure[] = ["broken", "rolled back"];
/** A write whose connection broke may have been carried out; one that was rolled back was not. */
const RETRYABLE_WRITE: readonly Failure[] = ["rolled back"];

/** What PostgreSQL ends by itself, in milliseconds: what the client has given up must not go on holding locks. */
const LIMITS = { statement_timeout: 900, lock_timeout: 800, idle_in_transaction_session_timeout: 2_000 };
const LOCAL_LIMITS = Object.entries(LIMITS)
  .map(([name, value]) => `; SET LOCAL ${name} = ${value}`)
  .join("");

interface Holder {
  pool: pg.Pool | undefined;
  /** whether PgBouncer gives each transaction another session, which keeps neither settings nor statements of ours */
  sharesSessions: boolean;
}

const holder: Holder = { pool: undefined, sharesSessions: false };

/** A prepared statement: every connection parses it once, under its name; behind PgBouncer it is parsed each time. */
export interface Statement {
  name: string;
  text: string;
}

/** How long a connection and an answer may take to come, in milliseconds. */
export interface Waits {
  connect: number;
  query: number;
}

const REQUEST_WAITS: Waits = { connect: 800, query: 1_000 };

/**
 * Opens the pool that everything of this process shares. Until then every query answers `unavailable`.
 * Each wait is bounded, so that a frozen or unreachable database is an answer within 2 s and never a hang.
 */
export function openPool(connectionString: string, size: number, waits: Waits = REQUEST_WAITS): pg.Pool {
  holder.sharesSessions = leadsToPgBouncer(connectionString);
  const pool = new Pool({
    connectionString,
    // All that were opened stay: a connection costs more than many statements, and so does a timer for each idle one.
    min: size,
    max: size,
    application_name: "user-group-service",
    connectionTimeoutMillis: waits.connect,
    query_timeout: waits.query,
    ...(holder.sharesSessions ? {} : LIMITS),
    keepAlive: true,
    // Ours are idle for long: this keeps their way through firewalls open, and finds out those whose other end is gone.
    keepAliveInitialDelayMillis: 30_000,
  });
  // An idle connection that breaks is replaced by the pool; without a listener its error would end the process.
  pool.on("error", () => undefined);
  // Nor does the pool listen on a connection that a transaction has taken out.
  pool.on("connect", (client) => client.on("error", () => undefined));
  holder.pool = pool;
  return pool;
}

/** A pool that tells how long a connection was waited for, and sets no timer for one that is free. */
class Pool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error)));
      });
    }
    const { options } = this;
    const { connectionTimeoutMillis } = options;
    // pg-pool reads it before it returns. Should the free connection break before it is handed out, the wait for a new one is bounded again.
    if (this.idleCount > this.waitingCount) options.connectionTimeoutMillis = 0;
    super.connect(meter() ? measured(callback) : callback);
    options.connectionTimeoutMillis = connectionTimeoutMillis;
    return undefined;
  }
}

function measured(callback: Connected): Connected {
  const start = performance.now();
  return (...result) => {
    meter()?.waited((performance.now() - start) / 1_000);
    callback(...result);
  };
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/** How many connections the pool has now, how many it may have, and how many queries wait for one. */
export function poolUse() {
  const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = holder.pool ?? {};
  return { busy: totalCount - idleCount, idle: idleCount, max: options?.max ?? 0, waiting: waitingCount };
}

/** Closes the pool when the queries under way are done. */
export async function closePool() {
  const { pool } = holder;
  holder.pool = undefined;
  await pool?.end();
}

/** The pool itself, for the Prisma adapter and for statements that must share a connection. */
export function sharedPool(): pg.Pool {
  const { pool } = holder;
  if (!pool) throw unavailable("the service is still starting");
  if (pool.waitingCount > MAX_WAITING) throw unavailable("the queue for a connection is full");
  return pool;
}

/**
 * Runs one statement that changes something, once.
 * @throws {AppError} `unavailable` when the database refused or did not answer in time: it may still have carried it out
 */
export async function write<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
  return attempt(statement.name, RETRYABLE_WRITE, () => queryRows<Row>(statement, values));
}

/**
 * Runs one statement that only reads, again when its connection had broken or the server asks for it.
 * @throws {AppError} `unavailable` when the database refused or did not answer in time
 */
export async function read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
  return attempt(statement.name, RETRYABLE_READ, () => queryRows<Row>(statement, values));
}

async function queryRows<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
  return (await sharedPool().query<Row>(queryOf(statement, values))).rows;
}

/** As {@link write}, with the rows left as text: for the hot path. On `client`, once: whoever began its transaction sees to failures. */
export function writeText(statement: Statement, values: unknown[], client?: pg.PoolClient): Promise<TextRow[]> {
  if (client) return traced(statement.name, () => queryText(client, queryOf(statement, values)));
  return attempt(statement.name, RETRYABLE_WRITE, () => queryText(sharedPool(), queryOf(statement, values)));
}

/** As {@link read}, with the rows left as text: for the hot path. */
export function readText(statement: Statement, values: unknown[]): Promise<TextRow[]> {
  return attempt(statement.name, RETRYABLE_READ, () => queryText(sharedPool(), queryOf(statement, values)));
}

/** A statement with its values, as a connection of the pool takes it. */
export function queryOf({ name, text }: Statement, values: unknown[]): pg.QueryConfig {
  return holder.sharesSessions ? { text, values } : { name, text, values };
}

/**
 * Runs the work in one transaction on one connection; an error rolls it back and is passed on. `begin` may go on to set
 * what holds for this transaction alone.
 * @throws {AppError} `unavailable` when the database refused or did not answer in time
 */
export async function transaction<T>(work: (client: pg.PoolClient) => Promise<T>, begin = "BEGIN"): Promise<T> {
  return attempt("transaction", RETRYABLE_WRITE, async () => {
    const client = await sharedPool().connect();
    let broken: Error | undefined;
    try {
      await client.query(holder.sharesSessions ? begin + LOCAL_LIMITS : begin);
      const result = await work(client);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch((failed: Error) => {
        broken = failed;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  });
}

/** Runs what goes by this name in a trace, again as often as it may be. */
function attempt<T>(name: string, retryable: readonly Failure[], run: () => Promise<T>): Promise<T> {
  return traced(name, () => repeat(retryable, run));
}

async function repeat<T>(retryable: readonly Failure[], run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (isOrphan(error)) throw new AppError("not_found", "This environment has just been deleted.", { cause: error });
      const failure = classify(error);
      if (failure === undefined) throw error;
      if (tries === ATTEMPTS || !retryable.includes(failure)) throw unavailable(error);
    }
  }
}

/** A row whose foreign key leads nowhere: on these paths that is a group whose environment went after it was looked up. */
function isOrphan(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23503";
}

/** SQLSTATE classes (PostgreSQL, appendix A) in which the service is fine and the database is not. */
const REFUSED = /^(08|25006|25P03|28|3D000|42P01|53|55P03|57|58)/;
const BROKEN = /^(ECONNRESET|EPIPE|08...|57P0.)$/;

function classify(error: unknown): Failure | undefined {
  if (error instanceof AppError || !(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code === "40001" || code === "40P01") return "rolled back";
  if (code === undefined) return /^Connection terminated unexpectedly/.test(error.message) ? "broken" : driver(error);
  if (BROKEN.test(code)) return "broken";
  if (REFUSED.test(code)) return "refused";
  return "syscall" in error ? "refused" : undefined;
}

/** Whether something failed because the database could not be used, in pg's words or in Prisma's. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", meta } = error as { code?: string; meta?: { driverAdapterError?: { cause?: Refusal } } };
  const { kind = "", originalCode = "" } = meta?.driverAdapterError?.cause ?? {};
  return PRISMA_AWAY.test(code) || DRIVER_AWAY.has(kind) || REFUSED.test(originalCode) || classify(error) !== undefined;
}

interface Refusal {
  kind?: string;
  originalCode?: string;
}

/**
 * Prisma's codes: not reachable, timed out, closed, no connection or transaction in time, a conflict of transactions. And Node's, in
 * errors of Prisma that have nothing else of Node's.
 */
const PRISMA_AWAY =
  /^(P(1001|1002|1008|1017|2024|2028|2034)|EAI_AGAIN|ECONNABORTED|EHOSTDOWN|EHOSTUNREACH|ENETDOWN|ENETUNREACH)$/;
const DRIVER_AWAY = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);

/** pg's own failures carry no code: timeouts of connecting and of reading, a closed client, a failed TLS handshake. */
function driver(error: Error): Failure | undefined {
  return /timeout|terminated|not queryable|Client was closed|server does not support SSL/i.test(error.message)
    ? "refused"
    : undefined;
}
