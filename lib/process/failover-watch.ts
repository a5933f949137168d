import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "@/lib/db/connection";
import { leaveSessions, StandbyError } from "@/lib/db/session";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

const ASK_MS = 1_000;
const CONNECT_MS = 3_000;
const ANSWER_MS = 1_000;
/** How long the primary may not answer before the log says so. */
const SILENT_MS = 10_000;

// The control file names the timeline only after the first checkpoint, and pg_walfile_name fails during recovery.
const TIMELINE = `
  SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline`;

/** A server that is not in recovery. */
interface Primary {
  /** system identifier */
  cluster: string;
  timeline: number;
}

/** Notices that another server, or the same one on another timeline, is the primary, and ends sessions of the former one. */
export class FailoverWatch {
  private primary: Primary | undefined;
  private connection: Connection | undefined;
  /** set while the primary cannot be asked */
  private silence: { since: number; isSaid: boolean } | undefined;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  /** `onFailover` tells the other processes. */
  constructor(private readonly onFailover: () => void = () => undefined) {}

  /** Resolves once it knows the primary, if it can be asked: before that, a failover would pass unnoticed. */
  async start(url: string) {
    this.primary = await this.ask(url).catch(() => undefined);
    this.watching = this.watch(url);
  }

  async stop() {
    this.stopping.abort();
    await this.watching;
  }

  private async watch(url: string) {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(ASK_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) break;
      try {
        this.compare(await this.ask(url));
        this.silence = undefined;
      } catch (error) {
        this.noteSilence(error);
      }
    }
    await this.connection?.end();
  }

  /** Asks twice over a connection: a proxy or DNS may lead new ones to another server, and leave this one to a former primary. */
  private async ask(url: string): Promise<Primary> {
    const kept = this.connection;
    this.connection = undefined;
    const connection = kept ?? (await connect(url));
    try {
      const { rows } = await connection.query<{ cluster: string; timeline: string | null }>(TIMELINE);
      const { cluster = "", timeline } = rows[0] ?? {};
      if (!timeline) throw new StandbyError();
      if (!kept) this.connection = connection;
      return { cluster, timeline: Number(timeline) };
    } finally {
      if (!this.connection) void connection.end();
    }
  }

  /** While there is no primary, whatever needs it reports that. Where only the watch has no connection, nobody else would. */
  private noteSilence(err: unknown) {
    this.silence ??= { since: performance.now(), isSaid: false };
    if (this.silence.isSaid || performance.now() - this.silence.since <= SILENT_MS) return;
    this.silence.isSaid = true;
    log().warn({ err }, "the database does not answer the watch for failovers: until it does, one goes unnoticed");
  }

  private compare(found: Primary) {
    const before = this.primary;
    this.primary = found;
    if (!before || (before.cluster === found.cluster && before.timeline === found.timeline)) return;
    log().warn({ ...found, before: before.timeline }, "the database has failed over");
    meter()?.failedOver();
    leaveSessions();
    this.onFailover();
  }
}

async function connect(url: string): Promise<Connection> {
  const connection = new Connection({
    connectionString: url,
    application_name: "user-group-service failover-watch",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
  });
  // The statement under way reports it, or the next one.
  connection.on("error", () => undefined);
  await connection.connect();
  return connection;
}
