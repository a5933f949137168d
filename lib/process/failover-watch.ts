import { setTimeout as sleep } from "node:timers/promises";
import { followPrimary, type Hosts, type Primary, watchedHostsOf } from "@/lib/db/hosts";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

const ASK_MS = 1_000;
/** How long the primary may not answer before the log says so. */
const SILENT_MS = 10_000;

/** Notices that another server, or the same one on another timeline, is the primary, and ends sessions of the former one. */
export class FailoverWatch {
  private primary: Primary | undefined;
  /** set while the primary cannot be asked */
  private silence: { since: number; isSaid: boolean } | undefined;
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

  private async watch(url: string, hosts: Hosts) {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(ASK_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) break;
      const found = await this.ask(hosts);
      if (found) this.compare(url, found);
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
        log().warn({ err }, "the database does not answer the watch for failovers: until it does, one goes unnoticed");
      }
      return undefined;
    }
  }

  private compare(url: string, found: Primary) {
    const before = this.primary;
    this.primary = found;
    if (!before || (before.cluster === found.cluster && before.timeline === found.timeline)) return;
    const { host, port, cluster, timeline } = found;
    log().warn({ host, port, cluster, timeline, before: before.timeline }, "the database has failed over");
    meter()?.failedOver();
    followPrimary(url, found);
    this.onFailover(found);
  }
}
