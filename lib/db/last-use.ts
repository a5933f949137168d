import { type Statement, write } from "@/lib/db/pool";

/** How many are kept at most: more uses than that in between go unrecorded rather than take all memory. */
const MOST_KEPT = 50_000;
const LARGEST_BATCH = 1_000;

interface Use {
  environmentId: number;
  /** by the clock of performance.now */
  at: number;
}

/**
 * Keeps in this process when each of a kind was last used, and writes it down for many at once. The statement takes their ids,
 * those of their environments, and how many milliseconds ago: by the database's clock, as those of instances differ.
 */
export class LastUse {
  private readonly kept = new Map<number, Use>();
  private recording = Promise.resolve();

  constructor(private readonly statement: Statement) {}

  /** Notes that this one is used now. */
  note(id: number, environmentId: number) {
    const known = this.kept.get(id);
    if (known) known.at = performance.now();
    else this.keep(id, { environmentId, at: performance.now() });
  }

  /** Writes down what was noted since the last time, once that is done; what fails is kept for the next time. */
  record(): Promise<void> {
    const writeAll = () => this.writeAll();
    // Whoever asked for the one before it has been told of its failure.
    this.recording = this.recording.then(writeAll, writeAll);
    return this.recording;
  }

  private async writeAll() {
    const uses = [...this.kept].sort(([a], [b]) => a - b);
    this.kept.clear();
    while (uses.length > 0) {
      const batch = uses.slice(0, LARGEST_BATCH);
      try {
        await write(this.statement, valuesOf(batch));
      } catch (error) {
        for (const [id, use] of uses) if (!this.kept.has(id)) this.keep(id, use);
        throw error;
      }
      uses.splice(0, batch.length);
    }
  }

  private keep(id: number, use: Use) {
    if (this.kept.size < MOST_KEPT) this.kept.set(id, use);
  }
}

function valuesOf(uses: [number, Use][]): number[][] {
  const now = performance.now();
  return [
    uses.map(([id]) => id),
    uses.map(([, { environmentId }]) => environmentId),
    uses.map(([, { at }]) => Math.round(now - at)),
  ];
}
