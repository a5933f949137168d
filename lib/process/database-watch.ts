import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "@/lib/db/connection";
import { queryOf, statement } from "@/lib/db/pool";
import { leaveSessions, StandbyError } from "@/lib/db/session";
import { REQUEST_LIMITS } from "@/lib/db/session-settings";
import { ANY_FINDINGS_DUE } from "@/lib/definitions/findings";
import { ANY_JOB_DUE } from "@/lib/jobs/lease";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";
import { ANY_WEBHOOK_DUE } from "@/lib/webhooks/stored";

const ASK_MS = 1_000;
const CONNECT_MS = 3_000;
const ANSWER_MS = 1_000;
/** How long the primary can fail to answer before the log says so. */
const SILENT_MS = 10_000;

/**
 * A proxy or DNS may lead new sessions to another server while this one still leads to a former primary, so the session
 * is replaced after this many looks.
 */
const LOOKS_PER_SESSION = 5;

// Only one statement per second. The control file names the timeline only after the first checkpoint, and
// pg_walfile_name fails during recovery. PostgreSQL's statistics show whether group_search has changed, so that its
// indexes' pending lists may need cleaning.
const PRIMARY = `
  SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster,
    CASE WHEN pg_is_in_recovery() THEN NULL
      ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline`;
const LOOK = statement("look")`${PRIMARY},
  ${ANY_WEBHOOK_DUE} AS webhooks, ${ANY_JOB_DUE} AS jobs, ${ANY_FINDINGS_DUE} AS findings,
  pg_stat_get_tuples_inserted('group_search'::regclass) + pg_stat_get_tuples_updated('group_search'::regclass)
    AS changes`;
/** Used after a failed look, for instance on a locked table: reads no table, and reports all work as due. */
const SHORT_LOOK = statement("short_look")`
  ${PRIMARY}, true AS webhooks, true AS jobs, true AS findings, NULL AS changes`;

/** Work that any instance may have left to do in the database. */
export type Work = "webhooks" | "jobs" | "findings" | "search";

interface Look {
  /** system identifier */
  cluster: string;
  /** null for a server in recovery */
  timeline: string | null;
  webhooks: boolean;
  jobs: boolean;
  findings: boolean;
  /** total changes of group_search; null if unknown */
  changes: string | null;
}

interface Watcher {
  /** ends the other processes' sessions */
  onFailover?(): void;
  onWork(due: Work[]): void;
}

/**
 * Checks once a second which work is due, and whether the primary is another server, or the same one on another
 * timeline; then ends the sessions with the former primary.
 */
export class DatabaseWatch {
  private before: Look | undefined;
  private session: { connection: Connection; looks: number } | undefined;
  private hasFailed = false;
  /** whether group_search had changed at the previous look: the cleaning then may have missed the latest changes */
  private hadChanged = true;
  /** set while the primary does not answer */
  private silence: { since: number; isSaid: boolean } | undefined;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(private readonly watcher: Watcher) {}

  /** Resolves once the primary is known, or has not answered: before that, a failover would go unnoticed. */
  async start(url: string) {
    this.before = await this.look(url).catch(() => undefined);
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
        this.compare(await this.look(url));
        this.silence = undefined;
      } catch (error) {
        this.noteSilence(error);
      }
    }
    await this.session?.connection.end();
  }

  private async look(url: string): Promise<Look> {
    const session = this.session ?? { connection: await connect(url), looks: 0 };
    const statement = this.hasFailed ? SHORT_LOOK : LOOK;
    this.session = undefined;
    this.hasFailed = true;
    try {
      const { rows } = await session.connection.query<Look>(queryOf(statement, []));
      const [look] = rows;
      if (!look?.timeline) throw new StandbyError();
      this.hasFailed = false;
      session.looks++;
      if (session.looks < LOOKS_PER_SESSION) this.session = session;
      return look;
    } finally {
      if (!this.session) void session.connection.end();
    }
  }

  /**
   * While there is no primary, everything that needs it reports that; if only the watch has no connection, nothing else
   * would.
   */
  private noteSilence(err: unknown) {
    this.silence ??= { since: performance.now(), isSaid: false };
    if (this.silence.isSaid || performance.now() - this.silence.since <= SILENT_MS) return;
    this.silence.isSaid = true;
    log().warn({ err }, "the database does not answer the watch for failovers: until it does, one goes unnoticed");
  }

  private compare(look: Look) {
    const { before } = this;
    this.before = look;
    const { cluster, timeline } = look;
    if (before && (before.cluster !== cluster || before.timeline !== timeline)) {
      log().warn(
        { cluster, timeline: Number(timeline), before: Number(before.timeline) },
        "the database has failed over",
      );
      meter()?.failedOver();
      leaveSessions();
      this.watcher.onFailover?.();
    }
    const due = (["webhooks", "jobs", "findings"] as const).filter((work) => look[work]);
    const hasChanged = before?.changes !== look.changes;
    const isSearchDue = hasChanged || this.hadChanged;
    this.hadChanged = hasChanged;
    if (isSearchDue || due.length > 0) this.watcher.onWork(isSearchDue ? [...due, "search"] : due);
  }
}

async function connect(url: string): Promise<Connection> {
  const connection = new Connection({
    connectionString: url,
    application_name: "user-group-service watch",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    // So that PostgreSQL also ends a statement that timed out here.
    settings: REQUEST_LIMITS,
  });
  await connection.connect();
  return connection;
}
