import type { Acknowledged } from "@/lib/db/acknowledged";

/** How long acknowledged changes are kept while the primary answers, in milliseconds, and how many: about 15 MB. */
export const KEPT_MS = 60_000;
const MOST_KEPT = 50_000;
/** How many are looked up before their result counts; a larger batch is looked up whole. */
const MOST_ASKED = 5_000;

/** Changes that arrived together. */
interface Batch {
  changes: readonly Acknowledged[];
  at: number;
  /** the server that was found to have them */
  checkedOn?: string | undefined;
}

/** Changes that are no longer known, or never were. */
interface Dropped {
  count: number;
  at: number;
  checkedOn?: string | undefined;
}

/** What is to be looked up on a server. */
export interface Unchecked {
  batches: readonly Batch[];
  changes: readonly Acknowledged[];
  /** changes that cannot be looked up, and how many they are */
  drops: readonly Dropped[];
  dropped: number;
}

/** The changes of the last minute, in batches: one object for each would cost each change more. */
export class KeptChanges {
  private batches: Batch[] = [];
  private dropped: Dropped[] = [];

  /**
   * Keeps changes; beyond the most, the oldest batches are dropped, and counted like changes that never arrived. Nothing ages while
   * the primary is away: `known` is when it was last known to have everything.
   */
  keep({ changes, dropped }: { changes: readonly Acknowledged[]; dropped: number }, now: number, known = now) {
    this.batches = this.batches.filter(({ at }) => at >= known - KEPT_MS);
    this.dropped = this.dropped.filter(({ at }) => at >= known - KEPT_MS);
    if (changes.length > 0) this.batches.push({ changes, at: now });
    if (dropped > 0) this.dropped.push({ count: dropped, at: now });
    let excess = this.batches.reduce((sum, batch) => sum + batch.changes.length, -MOST_KEPT);
    while (excess > 0 && this.batches.length > 1) {
      const { changes: gone = [], checkedOn } = this.batches.shift() ?? {};
      excess -= gone.length;
      if (gone.length > 0) this.dropped.push({ count: gone.length, at: now, checkedOn });
    }
  }

  /** The oldest changes that this server was not found to have yet. */
  unchecked(server: string): Unchecked {
    const isUnchecked = ({ checkedOn }: Batch | Dropped) => checkedOn !== server;
    let count = 0;
    const batches = this.batches.filter(isUnchecked).filter((batch, at) => {
      count += batch.changes.length;
      return at === 0 || count <= MOST_ASKED;
    });
    const drops = this.dropped.filter(isUnchecked);
    const dropped = drops.reduce((sum, drop) => sum + drop.count, 0);
    return { batches, changes: batches.flatMap(({ changes }) => changes), drops, dropped };
  }

  /** Notes that a server was found to have all of these changes but the lost ones, which are forgotten like those dropped. */
  settle(server: string, { batches, drops }: Unchecked, lost: ReadonlySet<Acknowledged>) {
    for (const batch of batches) {
      batch.checkedOn = server;
      batch.changes = batch.changes.filter((change) => !lost.has(change));
    }
    this.dropped = this.dropped.filter((drop) => !drops.includes(drop));
  }
}
