import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { splitHosts } from "@/lib/config/database-url";
import { perProcess } from "@/lib/config/per-process";
import { Connection } from "@/lib/db/connection";
import { classify, isLasting, isStandby } from "@/lib/db/failures";
import { abandon, leaveSessions, StandbyError } from "@/lib/db/session";
import { log } from "@/lib/telemetry/log";

/** How long to wait for the other hosts once a primary has answered: they may be on a higher timeline. */
const OTHERS_MS = 500;
/** How long a search for the primary lasts, of the time that its caller has: the rest is for connecting to it. */
const SEARCH_SHARE = 0.75;
/** How long a background search waits for answers. */
const SEARCH_MS = 600;
/** How long a host may take to answer; too late for the search, it can still correct its result. */
const ANSWER_MS = 3_000;
/** The same on a connection that is open already: a host that is late is asked again over another. */
const REPEATED_ANSWER_MS = 1_000;
/** Questions over a connection where a proxy or DNS may lead new ones to another server, and leave this one to a former primary. */
const MOST_QUESTIONS = 2;
/** The least time between two searches. */
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

// The control file names the timeline only after the first checkpoint, and pg_walfile_name fails during recovery.
const TIMELINE = `
  SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline`;

/** A host that is not in recovery. */
export interface Primary {
  /** with this host alone */
  url: string;
  host: string;
  port: number;
  /** system identifier */
  cluster: string;
  timeline: number;
}

/** A primary that has been replaced by one on a higher timeline. */
class FormerPrimary extends StandbyError {
  constructor(
    readonly primary: Primary,
    highest: number,
  ) {
    super(`a former primary, on timeline ${primary.timeline} of ${highest}`);
  }
}

/** A session that can leave a host that is no longer the primary. */
interface Leaving {
  leave(): void;
}

/** Several hosts, one of which is the primary. Everything in the process that uses them shares what is known. */
export class Hosts {
  private primary: Primary | undefined;
  private latest: Primary | undefined;
  private search: Promise<Primary> | undefined;
  private isSearching = false;
  /** the highest timeline seen, by cluster: a primary below it has been replaced */
  private readonly timelines = new Map<string, number>();
  private readonly sessions = new Map<Leaving, string>();
  /** questions without an answer yet, by URL: further searches wait for the same */
  private readonly asked = new Map<string, Promise<Primary>>();
  /** connections that stay open for the next question, by URL, in a process that asks all the time */
  private readonly connections = new Map<string, pg.Client>();
  private questions = 0;
  private isWatching = false;

  constructor(private readonly urls: readonly string[]) {}

  /**
   * Asks all hosts, over connections that stay open for the next time. A former primary whose connections are healthy is noticed only so.
   * @throws like {@link locate}
   */
  watch(): Promise<Primary> {
    this.isWatching = true;
    return this.find(SEARCH_MS);
  }

  /** Uses the primary that another process has found. */
  follow(primary: Primary) {
    if ((this.timelines.get(primary.cluster) ?? 0) <= primary.timeline) this.use(primary);
  }

  /** Closes the connections of {@link watch}. */
  async stopWatching() {
    this.isWatching = false;
    await Promise.all([...this.connections.values()].map((connection) => connection.end()));
  }

  /** The primary that is known, or else {@link locate}. */
  async choose(patience: number): Promise<Primary> {
    return this.primary ?? this.locate(patience);
  }

  /**
   * Asks all hosts, and takes the one with the highest timeline among those that are not in recovery.
   * @throws the most telling failure when there is none, or no answer for `patience` milliseconds
   */
  locate(patience: number): Promise<Primary> {
    return Promise.race([this.find(patience * SEARCH_SHARE), late(patience)]);
  }

  /** Notes that a host has failed, and looks for the primary until there is one. */
  suspect(url: string) {
    if (this.primary?.url !== url) return;
    this.primary = undefined;
    void this.keepSearching();
  }

  /** Lets a session know when another host becomes the primary. */
  enter(session: Leaving, url: string) {
    this.sessions.set(session, url);
  }

  exit(session: Leaving) {
    this.sessions.delete(session);
  }

  /** Idle sessions on a host that has vanished would never notice, so the search does not wait for the next connect. */
  private async keepSearching() {
    if (this.isSearching) return;
    this.isSearching = true;
    for (let wait = PAUSE_MS; !this.primary; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      const error = await this.find(SEARCH_MS).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error && wait === PAUSE_MS) log().warn({ err: error }, "no host of the database is a primary");
      if (error) await pause(wait);
    }
    this.isSearching = false;
  }

  /** Concurrent callers share a search, and for a moment its failure. */
  private find(patience: number): Promise<Primary> {
    this.search ??= this.askAll(patience).then(
      (found) => {
        this.search = undefined;
        this.use(found);
        return found;
      },
      (error: unknown) => {
        setTimeout(() => {
          this.search = undefined;
        }, PAUSE_MS).unref();
        throw error;
      },
    );
    return this.search;
  }

  private use(found: Primary) {
    const { latest } = this;
    this.primary = found;
    this.latest = found;
    this.timelines.set(found.cluster, found.timeline);
    if (latest && latest.url !== found.url) {
      const { host, port, timeline } = found;
      log().warn({ host, port, timeline }, "another host of the database is the primary");
    }
    for (const [session, url] of this.sessions) if (url !== found.url) session.leave();
  }

  private async askAll(patience: number): Promise<Primary> {
    const primaries: Primary[] = [];
    const failures = new Map(this.urls.map((url) => [url, new Error("timeout expired")]));
    const answers = this.urls.map((url) => this.askOnce(url));
    for (const [at, answer] of answers.entries()) {
      answer.then(
        (primary) => primaries.push(primary),
        (error: Error) => failures.set(this.urls[at] ?? "", error),
      );
    }
    const soon = Promise.any(answers).then(
      () => pause(OTHERS_MS),
      () => undefined,
    );
    await Promise.race([Promise.allSettled(answers), soon, pause(patience)]);
    const [first, ...others] = primaries.toSorted((a, b) => this.urls.indexOf(a.url) - this.urls.indexOf(b.url));
    if (!first) {
      const former = reinstated([...failures.values()]);
      if (!former) throw mostTelling([...failures]);
      const { host, port, timeline } = former;
      log().error({ host, port, timeline }, "a former primary is back, and the one that replaced it has given way");
      return former;
    }
    return others.reduce((best, other) => (other.timeline > best.timeline ? other : best), first);
  }

  private askOnce(url: string): Promise<Primary> {
    const asked = this.asked.get(url) ?? this.judge(url).finally(() => this.asked.delete(url));
    this.asked.set(url, asked);
    return asked;
  }

  private async judge(url: string): Promise<Primary> {
    const primary = await this.ask(url);
    const { cluster, timeline } = primary;
    const highest = this.timelines.get(cluster) ?? timeline;
    // A lone address may lead wherever its owner wants.
    if (timeline < highest && this.urls.length > 1) throw new FormerPrimary(primary, highest);
    if (this.primary && timeline > this.primary.timeline) this.use(primary);
    return primary;
  }

  private async ask(url: string): Promise<Primary> {
    if (this.urls.length === 1 && this.questions++ % MOST_QUESTIONS === 0) this.disconnect(url);
    const connection = this.connections.get(url) ?? (await this.connect(url));
    try {
      const { rows } = await connection.query<{ cluster: string; timeline: string | null }>(TIMELINE);
      const { cluster = "", timeline } = rows[0] ?? {};
      if (!timeline) throw new StandbyError();
      return { url, host: connection.host, port: connection.port, cluster, timeline: Number(timeline) };
    } catch (error) {
      if (!isStandby(error)) {
        this.connections.delete(url);
        abandon(connection);
      }
      throw error;
    } finally {
      if (!this.connections.has(url)) await connection.end();
    }
  }

  private disconnect(url: string) {
    const connection = this.connections.get(url);
    this.connections.delete(url);
    void connection?.end();
  }

  private async connect(url: string): Promise<pg.Client> {
    const connection = new Connection({
      connectionString: url,
      application_name: "user-group-service hosts",
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: this.isWatching ? REPEATED_ANSWER_MS : ANSWER_MS,
    });
    // The statement under way reports it, or the next one.
    connection.on("error", () => undefined);
    await connection.connect().catch((error: unknown) => {
      abandon(connection);
      throw error;
    });
    if (this.isWatching) {
      this.connections.set(url, connection);
      connection.once("end", () => {
        if (this.connections.get(url) === connection) this.connections.delete(url);
      });
    }
    return connection;
  }
}

const known = perProcess("hosts", () => new Map<string, Hosts>());

/** The hosts of a URL that has several; undefined for one. */
export function hostsOf(url: string): Hosts | undefined {
  const urls = splitHosts(url);
  if (urls.length === 1) return undefined;
  const hosts = known.get(url) ?? new Hosts(urls);
  known.set(url, hosts);
  return hosts;
}

/** The hosts of a URL for {@link Hosts.watch}: also of one with a single host, behind which the server may change. */
export function watchedHostsOf(url: string): Hosts {
  return hostsOf(url) ?? new Hosts([url]);
}

/** Has this process's sessions use the primary that has been found; with one host in the URL, those from before its failover end. */
export function followPrimary(url: string, primary: Primary) {
  const hosts = hostsOf(url);
  if (hosts) hosts.follow(primary);
  else leaveSessions();
}

/** A URL's primary, as a URL with one host; the URL itself where it has one. For single connections, which report no failure. */
export async function primaryUrl(url: string, patience: number): Promise<string> {
  return (await hostsOf(url)?.locate(patience))?.url ?? url;
}

/**
 * The former primary that the cluster has gone back to, as when a frozen leader took its place again: all hosts have answered, and
 * none is on the higher timeline any more. While one is silent, that may be the primary.
 */
function reinstated(failures: Error[]): Primary | undefined {
  if (!failures.every(isStandby)) return undefined;
  const [former] = failures
    .flatMap((failure) => (failure instanceof FormerPrimary ? [failure.primary] : []))
    .toSorted((a, b) => b.timeline - a.timeline);
  return former;
}

/** The failure to report for all hosts: a standby first; a refused login only where no host answered otherwise, as waiting may help then. */
function mostTelling(failures: [url: string, error: Error][]): Error {
  const message = failures.map(([url, error]) => `${new URL(url).host}: ${error.message}`).join("; ");
  const [telling] = failures.map(([, error]) => error).toSorted((a, b) => rank(a) - rank(b));
  return Object.assign(telling ?? new Error(), { message });
}

function rank(error: Error): number {
  if (isStandby(error)) return 0;
  if (error instanceof pg.DatabaseError) return isLasting(error) ? 2 : 1;
  return classify(error) ? 3 : 4;
}

const pause = (milliseconds: number) => sleep(milliseconds, undefined, { ref: false });

async function late(milliseconds: number): Promise<never> {
  await pause(milliseconds);
  throw new Error("timeout expired");
}
