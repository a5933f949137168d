import { setTimeout as sleep } from "node:timers/promises";
import { takeAcknowledged } from "@/lib/db/acknowledged";
import { followPrimary, type Hosts, type Primary, watchedHostsOf } from "@/lib/db/hosts";
import { endRevivedTokens } from "@/lib/groups/ended-tokens";
import { findLost } from "@/lib/lost-writes/check";
import { KEPT_MS, KeptChanges } from "@/lib/lost-writes/kept-changes";
import { announceLoss, type FoundLoss, storeLoss } from "@/lib/lost-writes/service";
import { BEAT_MS, type Beat } from "@/lib/process/orders";
import { log } from "@/lib/telemetry/log";

const ASK_MS = 1_000;
/** How long the primary may not answer before the log says so. */
const SILENT_MS = 10_000;
/** Until every process of ours has handed on what it acknowledged before the failover. */
const SETTLE_MS = 2 * BEAT_MS + 200;

const serverOf = ({ cluster, timeline, started }: Primary) => `${cluster} ${timeline} ${started}`;

/**
 * Notices that another server, or a restarted one, is the primary, and looks up there what this instance has acknowledged in the
 * last minute. It outlives the instance's other processes: their changes arrive with their heartbeats.
 */
export class FailoverWatch {
  private readonly kept = new KeptChanges();
  private primary: Primary | undefined;
  /** a minute after the last failover: until then, changes may still arrive that a former primary has made */
  private checksUntil = 0;
  /** whether all of a failover's changes have yet to be looked up, however long that takes */
  private isUnchecked = false;
  /** when the primary was last known to have all changes that are kept */
  private knownAt = performance.now();
  /** set while the primary cannot be asked */
  private silence: { since: number; isSaid: boolean } | undefined;
  private readonly unstored: FoundLoss[] = [];
  /** tokens that have ended may live again */
  private mayRevive = false;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  /** `onFailover` tells the other processes. */
  constructor(private readonly onFailover: (primary: Primary) => void = () => undefined) {}

  /** Resolves once it knows the primary, if it can be asked: before that, a failover would pass unnoticed. */
  async start(url: string) {
    const hosts = watchedHostsOf(url);
    this.primary = await hosts.watch().catch(() => undefined);
    this.watching = this.watch(url, hosts);
  }

  async stop() {
    this.stopping.abort();
    await this.watching;
  }

  keep(beat: Beat) {
    this.kept.keep(beat, performance.now(), this.knownAt);
  }

  private async watch(url: string, hosts: Hosts) {
    const { signal } = this.stopping;
    for (let wait = ASK_MS; !signal.aborted; ) {
      await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) break;
      wait = ASK_MS;
      this.keep(takeAcknowledged());
      const found = await this.ask(hosts);
      if (found && this.isOther(url, found)) wait = SETTLE_MS;
      else if (found && (this.isUnchecked || performance.now() < this.checksUntil)) await this.check(hosts, found);
      else if (found) this.knownAt = performance.now();
      if (found && this.mayRevive) await this.endTokens();
      await this.store();
    }
    await hosts.stopWatching();
  }

  /** The primary, if it can be asked. */
  private async ask(hosts: Hosts): Promise<Primary | undefined> {
    try {
      const found = await hosts.watch();
      this.silence = undefined;
      return found;
    } catch (err) {
      // While there is no primary, whatever needs it reports that. Where only the watch has no connection, nobody else would.
      this.silence ??= { since: performance.now(), isSaid: false };
      if (!this.silence.isSaid && performance.now() - this.silence.since > SILENT_MS) {
        this.silence.isSaid = true;
        log().warn(
          { err },
          "the database does not answer the watch for failovers: until it does, a loss goes unnoticed",
        );
      }
      return undefined;
    }
  }

  /** Whether another server than before is the primary, or it has been restarted: without a synchronous commit, that loses changes too. */
  private isOther(url: string, found: Primary): boolean {
    const before = this.primary;
    this.primary = found;
    if (!before || serverOf(before) === serverOf(found)) return false;
    this.checksUntil = performance.now() + KEPT_MS;
    this.isUnchecked = true;
    this.mayRevive = true;
    if (before.cluster === found.cluster && before.timeline === found.timeline) return true;
    const { host, port, cluster, timeline } = found;
    log().warn({ host, port, cluster, timeline, before: before.timeline }, "the database has failed over");
    followPrimary(url, found);
    this.onFailover(found);
    return true;
  }

  private async check(hosts: Hosts, primary: Primary) {
    try {
      while (await this.checkSome(hosts, primary));
      this.isUnchecked = false;
      this.knownAt = performance.now();
    } catch (err) {
      log().warn({ err }, "acknowledged changes could not be checked after a failover: trying again");
    }
  }

  /** Returns whether there was something to look up. */
  private async checkSome(hosts: Hosts, primary: Primary): Promise<boolean> {
    const server = serverOf(primary);
    const asked = this.kept.unchecked(server);
    const { changes, dropped: unchecked } = asked;
    if (changes.length + unchecked === 0) return false;
    const lost = new Set(await findLost(hosts, primary, changes));
    this.kept.settle(server, asked, lost);
    if (lost.size + unchecked === 0) return true;
    const loss = { changes: [...lost], unchecked, host: `${primary.host}:${primary.port}` };
    announceLoss(loss);
    if (lost.size === 0) return true;
    this.unstored.push(loss);
    // A former primary may have ended tokens since they were looked up.
    this.mayRevive = true;
    return true;
  }

  private async endTokens() {
    try {
      await endRevivedTokens();
      this.mayRevive = false;
    } catch (err) {
      log().warn({ err }, "tokens that have ended could not be looked up after a failover: trying again");
    }
  }

  /** Stores what was found, as soon as the database takes it. */
  private async store() {
    for (let [loss] = this.unstored; loss; [loss] = this.unstored) {
      try {
        await storeLoss(loss);
        this.unstored.shift();
      } catch (err) {
        log().warn({ err }, "a loss of acknowledged changes could not be stored: trying again");
        return;
      }
    }
  }
}
