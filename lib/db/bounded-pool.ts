import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ConnectionConfig } from "@/lib/db/connection";
import { abandon, onClosed, owesAnswer, PatientSession, Session } from "@/lib/db/session";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";

const CHECK_MS = 1_000;

type IsRunning = (session: pg.ClientBase) => boolean;
type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * A pool that measures waits for connections. An abandoned {@link PatientSession} keeps its place until the server
 * answers, the socket closes, or `findRunning` says that its backend has stopped: the server never runs more of our
 * statements than the pool has places.
 */
export class BoundedPool extends pg.Pool {
  private readonly unanswered = new Set<pg.ClientBase>();
  private isChecking = false;

  constructor(
    config: pg.PoolConfig & Pick<ConnectionConfig, "settings">,
    private readonly findRunning: () => Promise<IsRunning>,
  ) {
    super(config);
    // The pool replaces a broken idle connection; without a listener its error would end the process.
    this.on("error", () => undefined);
    this.on("release", (_error, client) => {
      // Ending a read-only session removes it from the pool; the next transaction, ours or Prisma's, opens another.
      if (client instanceof Session && client.isReadOnly) void client.end();
      this.keepPlace(client);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error)));
      });
    }
    super.connect(meter() ? measured(callback) : callback);
    return undefined;
  }

  /** How many connections are in use, idle, abandoned without an answer, and allowed in total. */
  use() {
    const { totalCount, idleCount, waitingCount: waiting, options } = this;
    const unanswered = this.unanswered.size;
    return { busy: totalCount - idleCount, idle: idleCount, unanswered, max: options.max + unanswered, waiting };
  }

  override async end() {
    const ended = super.end();
    for (const session of this.unanswered) abandon(session);
    await ended;
  }

  /** pg-pool forgets removed connections, so lower its maximum instead. */
  private keepPlace(client: pg.ClientBase) {
    if (!(client instanceof PatientSession) || !owesAnswer(client)) return;
    this.unanswered.add(client);
    this.options.max--;
    onClosed(client, () => {
      this.unanswered.delete(client);
      this.options.max++;
    });
    // pg-pool would reuse a client on which it saw no error; ending the client removes it.
    void client.end();
    void this.check();
  }

  private async check() {
    if (this.isChecking) return;
    this.isChecking = true;
    for (let isLogged = false; this.unanswered.size > 0; ) {
      await sleep(CHECK_MS, undefined, { ref: false });
      const asked = [...this.unanswered];
      if (asked.length === 0) break;
      if (!isLogged)
        log().warn({ connections: asked.length }, "abandoned statements are still running in the database");
      isLogged = true;
      // While the database is unreachable, the statements' state is unknown and no replacement could be opened.
      const isRunning = await this.findRunning().catch(() => () => true);
      for (const session of asked) if (this.unanswered.has(session) && !isRunning(session)) abandon(session);
    }
    this.isChecking = false;
  }
}

function measured(callback: Connected): Connected {
  const start = performance.now();
  return (...result) => {
    meter()?.waited((performance.now() - start) / 1_000);
    callback(...result);
  };
}

const RUNNING = `
  SELECT pid FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND datname = current_database()
    AND usename = current_user
    AND state IS DISTINCT FROM 'idle' AND query_start < now() - interval '900 milliseconds'`;

/**
 * Finds our backends that have run a statement for longer than allowed, through `pool` or over a separate connection.
 * The returned function says whether a backend is one of them; undefined, behind PgBouncer, asks about any backend.
 */
export async function findRunning(
  pool: pg.Pool | undefined,
  config: ConnectionConfig,
): Promise<(backend: number | null | undefined) => boolean> {
  const { rows } = await (pool ? pool.query<{ pid: number }>(RUNNING) : queryApart(config));
  const pids = new Set<number | null>(rows.map(({ pid }) => pid));
  return (backend) => (backend === undefined ? pids.size > 0 : pids.has(backend));
}

async function queryApart(config: ConnectionConfig): Promise<pg.QueryResult<{ pid: number }>> {
  const client = new Session(config);
  try {
    await client.connect();
    return await client.query(RUNNING);
  } finally {
    await client.end();
  }
}
