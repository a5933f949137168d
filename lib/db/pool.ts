import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { leadsToPgBouncer } from "@/lib/config/database-url";
import { perProcess } from "@/lib/config/per-process";
import { version } from "@/lib/config/version";
import { BoundedPool, findRunning } from "@/lib/db/bounded-pool";
import type { ConnectionConfig } from "@/lib/db/connection";
import { away, classify, type DatabaseFailure, isOrphan, lossOfAuthority } from "@/lib/db/failures";
import { backendOf, owesAnswer, PatientSession, Session } from "@/lib/db/session";
import { REQUEST_LIMITS } from "@/lib/db/session-settings";
import { queryText, type TextRow, Unsent } from "@/lib/db/text-query";
import { environmentDeleted, unavailable } from "@/lib/errors";

/** A prepared statement, parsed once per connection under its name; behind PgBouncer it is parsed each time. */
export interface Statement {
  name: string;
  text: string;
}

/** Builds a statement from its name and an SQL template. Interpolations are SQL too, never values. */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...sql: (string | number)[]): Statement => ({
    name,
    text: String.raw({ raw: parts }, ...sql),
  });

/** Requests that may wait for a connection; further ones are refused immediately. */
const MAX_WAITING = 2_000;
/** How long to retry a statement: just under a request's limit. */
const RETRY_MS = 1_700;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/** Begins a transaction for reads of one snapshot, which gain nothing from workers or JIT. */
export const SNAPSHOT_READS =
  "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off";

/**
 * Begins a transaction for reads that stop after a page, from one snapshot. The planner estimates from averages how
 * soon a page is full; where matches are rare, it would scan or join whole tables. In an environment that was just
 * filled it expects few rows, and would compare each with every other.
 */
export const ORDERED_READS = ["seqscan", "hashjoin", "mergejoin", "material"].reduce(
  (begin, way) => `${begin}; SET LOCAL enable_${way} = off`,
  SNAPSHOT_READS,
);

/** Look-ups wait only for locks of DDL. Changes wait once: a retry could make them after their callers gave up. */
const RETRYABLE_READ: readonly DatabaseFailure[] = ["unsent", "broken", "rolled back", "locked"];
/** After a broken connection, a write may have been executed; one that was rolled back, or never sent, was not. */
const RETRYABLE_WRITE: readonly DatabaseFailure[] = ["unsent", "rolled back"];

const LOCAL_LIMITS = Object.entries(REQUEST_LIMITS)
  .map(([name, value]) => `; SET LOCAL ${name} = ${value}`)
  .join("");

interface Holder {
  /** for changes and slow work */
  pool?: BoundedPool;
  /** for look-ups; the same pool when there are too few connections for two */
  lookUps?: BoundedPool;
  /** opens connections for webhooks and findings, while they work */
  openBackground?: () => BoundedPool;
  background?: BoundedPool;
  /** whether PgBouncer switches sessions between transactions: neither settings nor statements of ours persist */
  sharesSessions: boolean;
}

const holder = perProcess<Holder>("pools", () => ({ sharesSessions: false }));

/** Runs a statement: on a pool, or in its caller's transaction. */
export type Run = <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) => Promise<Row[]>;

/** Timeouts of connecting and of an answer, in milliseconds. */
export interface Waits {
  connect: number;
  query: number;
}

const REQUEST_WAITS: Waits = { connect: 800, query: 1_000 };

/** Size of {@link backgroundPool}, and how long its idle connections stay open, in milliseconds. */
const BACKGROUND_CONNECTIONS = 2;
const IDLE_MS = 10_000;
/** A process with fewer connections uses a single pool. */
const FEWEST_TO_SPLIT = 3;
/** Concurrent look-ups share statements, so a process never runs more than this. */
const MAX_LOOK_UPS = 8;

/**
 * Opens the process's pools, with `size` connections in total. Until then every query throws `unavailable`. Every wait
 * is bounded: a frozen or unreachable database yields an answer within 2 s, never a hang.
 */
export function openPool(connectionString: string, size: number, waits: Waits = REQUEST_WAITS): pg.Pool {
  holder.sharesSessions = leadsToPgBouncer(connectionString);
  const config: pg.PoolConfig & ConnectionConfig = {
    connectionString,
    // The doctor uses it to find versions that share a database (lib/operations/diagnosis.ts).
    application_name: `user-group-service ${version()}`,
    connectionTimeoutMillis: waits.connect,
    query_timeout: waits.query,
    settings: REQUEST_LIMITS,
    keepAlive: true,
    // Connections are idle for long: this keeps them open through firewalls, and detects dead ones.
    keepAliveInitialDelayMillis: 30_000,
  };
  const lookUps = size < FEWEST_TO_SPLIT ? 0 : Math.min(Math.floor(size / 2), MAX_LOOK_UPS);
  // PostgreSQL bounds the change itself, so a longer wait is for its standby, which is briefly missing in a switchover.
  const patience = { query_timeout: Math.max(waits.query, RETRY_MS) };
  holder.pool = poolOf(size - lookUps, { ...config, ...patience, Client: PatientSession });
  // PostgreSQL ends a read itself (statement_timeout): an abandoned one leaves nothing behind.
  holder.lookUps = lookUps > 0 ? poolOf(lookUps, { ...config, Client: Session }) : holder.pool;
  holder.openBackground = () =>
    poolOf(BACKGROUND_CONNECTIONS, {
      ...config,
      ...patience,
      min: 0,
      idleTimeoutMillis: IDLE_MS,
      Client: PatientSession,
    });
  return holder.pool;
}

function poolOf(max: number, config: pg.PoolConfig & ConnectionConfig & { Client: typeof Session }): BoundedPool {
  // Connections stay open: one costs more than many statements, and so does a timer for each idle one.
  return new BoundedPool({ min: max, ...config, max }, async () => {
    const { pool, lookUps, sharesSessions } = holder;
    const isRunning = await findRunning(lookUps === pool ? undefined : lookUps, config);
    return (session) => isRunning(sharesSessions ? undefined : backendOf(session));
  });
}

/** How many connections are open, how many are allowed, and how many queries wait for one. */
export function poolUse() {
  const uses = [...new Set([holder.pool, holder.lookUps, holder.background])].flatMap((pool) => pool?.use() ?? []);
  const sum = (of: (use: ReturnType<BoundedPool["use"]>) => number) => uses.reduce((total, use) => total + of(use), 0);
  return {
    busy: sum(({ busy }) => busy),
    idle: sum(({ idle }) => idle),
    unanswered: sum(({ unanswered }) => unanswered),
    max: sum(({ max }) => max),
    waiting: sum(({ waiting }) => waiting),
  };
}

/** Closes the pools after the running queries. */
export async function closePool() {
  const pools = new Set([holder.pool, holder.lookUps, holder.background]);
  Object.assign(holder, { pool: undefined, lookUps: undefined, openBackground: undefined, background: undefined });
  await Promise.all([...pools].map((pool) => pool?.end()));
}

/** The pool for changes, for the Prisma adapter and for statements that share a connection. */
export function sharedPool(): pg.Pool {
  return usable(holder.pool);
}

/** The pool for quick reads, which hanging changes cannot block. */
export function lookUpPool(): pg.Pool {
  return usable(holder.lookUps);
}

/** The pool of webhooks and findings, which must not take connections from requests; empty while they are idle. */
export function backgroundPool(): pg.Pool {
  if (holder.openBackground) holder.background ??= holder.openBackground();
  return usable(holder.background);
}

function usable(pool: BoundedPool | undefined): pg.Pool {
  if (!pool) throw unavailable("the service is still starting");
  if (pool.waitingCount > MAX_WAITING) throw unavailable("the queue for a connection is full");
  return pool;
}

/**
 * Runs one statement that changes something; repeats it only if it was not sent or was rolled back.
 * @throws {AppError} `unavailable` when the database refused or did not answer in time: the change may still have been
 * made
 */
export async function write<Row extends pg.QueryResultRow>(
  statement: Statement,
  values: unknown[],
  pool = sharedPool,
): Promise<Row[]> {
  return attempt(RETRYABLE_WRITE, () => queryRows<Row>(pool(), statement, values));
}

/**
 * Runs one read-only statement, and repeats it after failures of {@link RETRYABLE_READ}.
 * @throws {AppError} `unavailable` when the database refused or did not answer in time
 */
export async function read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
  return attempt(RETRYABLE_READ, () => queryRows<Row>(lookUpPool(), statement, values));
}

async function queryRows<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  const client = await connect(pool);
  let failed: Error | undefined;
  try {
    return await query<Row>(client, statement, values);
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed);
  }
}

function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw new Unsent(error);
  });
}

/**
 * Like {@link write}, with rows left as text, for the hot path. On `client` it runs once: its transaction handles
 * failures.
 */
export function writeText(statement: Statement, values: unknown[], client?: pg.ClientBase): Promise<TextRow[]> {
  if (client) return queryText(client, queryOf(statement, values));
  return attempt(RETRYABLE_WRITE, () => queryText(sharedPool(), queryOf(statement, values)));
}

/** Like {@link read}, with rows left as text, for the hot path. */
export function readText(statement: Statement, values: unknown[]): Promise<TextRow[]> {
  return attempt(RETRYABLE_READ, () => queryText(lookUpPool(), queryOf(statement, values)));
}

/** A statement with its values, in pg's form. */
export function queryOf({ name, text }: Statement, values: unknown[]): pg.QueryConfig {
  return holder.sharesSessions ? { text, values } : { name, text, values };
}

/** Runs a statement in the transaction of `client`. */
export async function query<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  return (await client.query<Row>(queryOf(statement, values))).rows;
}

/**
 * Runs the work in one transaction on one connection; an error rolls it back and is rethrown. `begin` may also set
 * parameters for this transaction.
 * @throws {AppError} `unavailable` when the database refused or did not answer in time
 */
export async function transaction<T>(
  work: (client: pg.PoolClient) => Promise<T>,
  begin = "BEGIN",
  pool = sharedPool,
): Promise<T> {
  return attempt(RETRYABLE_WRITE, async () => {
    const client = await connect(pool());
    let broken: Error | undefined;
    try {
      await client.query(holder.sharesSessions ? begin + LOCAL_LIMITS : begin).catch((error: unknown) => {
        throw new Unsent(error);
      });
      const result = await work(client);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      if (owesAnswer(client)) broken = error as Error;
      else {
        await client.query("ROLLBACK").catch((failed: Error) => {
          broken = failed;
        });
      }
      throw error;
    } finally {
      client.release(broken);
    }
  });
}

/** Runs a statement, with retries. */
async function attempt<T>(retryable: readonly DatabaseFailure[], run: () => Promise<T>): Promise<T> {
  const until = performance.now() + RETRY_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      const reason = error instanceof Unsent ? error.cause : error;
      const loss = lossOfAuthority(reason);
      if (loss) throw loss;
      if (isOrphan(reason)) throw environmentDeleted(reason);
      const failure = classify(error);
      if (failure === undefined) throw reason;
      // Half of the pause is random: callers that failed together must not retry together.
      const wait = pause * (0.5 + Math.random() / 2);
      if (!retryable.includes(failure) || performance.now() + wait > until) throw away(reason);
      await sleep(wait);
    }
  }
}
