import type { Acknowledged } from "@/lib/db/acknowledged";

/** How long acknowledged changes are kept while the primary answers, in milliseconds, and how many: about 15 MB. */
export const KEPT_MS = 60_000;
const MOST_KEPT = 50_000;

/** Changes that arrived together. */
interface Batch {
  changes: readonly Acknowledged[];
  at: number;
  /** the server that was found to have them */
  checkedOn?: string;
}

/** What is to be looked up on a server. */
export interface Unchecked {
  batches: readonly Batch[];
  changes: readonly Acknowledged[];
  /** how many more changes there were */
  dropped: number;
}

/** The changes of the last minute, in batches: one object for each would cost each change more. */
export class KeptChanges {
  private batches: Batch[] = [];
  private dropped: { count: number; at: number }[] = [];

  /**
   * Keeps changes; beyond the most, the oldest batches are dropped, and counted like changes that never arrived. Nothing ages while
   * the primary is away: `known` is when it was last known to have everything.
   */
  keep({ changes, dropped }: { changes: readonly Acknowledged[]; dropped: number }, now: number, known = now) {
    this.batches = this.batches.filter(({ at }) => at >= known - KEPT_MS);
    this.dropped = this.dropped.filter(({ at }) => at >= known - KEPT_MS);
    if (changes.length > 0) this.batches.push({ changes, at: now });
    let excess = this.batches.reduce((sum, batch) => sum + batch.changes.length, -MOST_KEPT);
    let count = dropped;
    while (excess > 0 && this.batches.length > 1) {
      const gone = this.batches.shift()?.changes.length ?? 0;
      excess -= gone;
      count += gone;
    }
    if (count > 0) this.dropped.push({ count, at: now });
  }

  /** The changes that this server was not found to have yet. */
  unchecked(server: string): Unchecked {
    const batches = this.batches.filter(({ checkedOn }) => checkedOn !== server);
    const changes = batches.flatMap((batch) => batch.changes);
    return { batches, changes, dropped: this.dropped.reduce((sum, { count }) => sum + count, 0) };
  }

  /** Notes that a server was found to have all of these changes but the lost ones, which are forgotten. */
  settle(server: string, { batches }: Unchecked, lost: ReadonlySet<Acknowledged>) {
    for (const batch of batches) {
      batch.checkedOn = server;
      batch.changes = batch.changes.filter((change) => !lost.has(change));
    }
    this.dropped = [];
  }
}
