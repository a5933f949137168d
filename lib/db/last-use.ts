import { type Statement, write } from "@/lib/db/pool";

/** The most entries kept: further uses in between are dropped, to bound memory. */
const MOST_KEPT = 50_000;
const LARGEST_BATCH = 1_000;

interface Use {
  environmentId: number;
  /** by performance.now() */
  at: number;
}

/**
 * Collects in this process when items of a kind were last used, and writes many at once. The statement takes their ids,
 * their environments' ids, and ages in milliseconds: times are by the database's clock, as instances' clocks differ.
 */
export class LastUse {
  private readonly kept = new Map<number, Use>();
  private recording = Promise.resolve();

  constructor(private readonly statement: Statement) {}

  /** Notes that this item is used now. */
  note(id: number, environmentId: number) {
    const known = this.kept.get(id);
    if (known) known.at = performance.now();
    else this.keep(id, { environmentId, at: performance.now() });
  }

  /** Writes the uses noted since the last time; on failure, they are kept for the next time. */
  record(): Promise<void> {
    const writeAll = () => this.writeAll();
    // The caller of the previous write has received its error.
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
