import { write } from "@/lib/db/pool";
import type { Statement } from "@/lib/db/statement";

/** The most items kept: notes on further ones are dropped, to bound memory. */
const MAX_KEPT = 50_000;
const LARGEST_BATCH = 1_000;

interface Note {
  environmentId: number;
  /** by performance.now() */
  at: number;
}

interface Kind<Kept extends Note> {
  /**
   * takes the items' ids, their environments' ids and their notes' ages in milliseconds, then the columns of `rest`:
   * times are by the database's clock, as instances' clocks differ
   */
  statement: Statement;
  rest?(notes: Kept[], now: number): unknown[][];
  /** adds a note to an earlier one on the same item */
  merge(earlier: Kept, later: Kept): void;
}

/** Collects in this process notes on items of a kind, one an item, and writes many at a time. */
export class DeferredNotes<Kept extends Note> {
  private readonly kept = new Map<number, Kept>();
  private recording = Promise.resolve();

  constructor(private readonly kind: Kind<Kept>) {}

  /** Adds a note on an item. */
  add(id: number, note: Kept) {
    const known = this.kept.get(id);
    if (known) this.kind.merge(known, note);
    else if (this.kept.size < MAX_KEPT) this.kept.set(id, note);
  }

  /** Writes what was noted since the last time; on failure, it is kept for the next time. */
  record(): Promise<void> {
    const writeAll = () => this.writeAll();
    // The caller of the previous write has received its error.
    this.recording = this.recording.then(writeAll, writeAll);
    return this.recording;
  }

  private async writeAll() {
    const notes = [...this.kept].sort(([a], [b]) => a - b);
    this.kept.clear();
    while (notes.length > 0) {
      const batch = notes.slice(0, LARGEST_BATCH);
      try {
        await write(this.kind.statement, this.valuesOf(batch));
      } catch (error) {
        for (const [id, note] of notes) this.keepEarlier(id, note);
        throw error;
      }
      notes.splice(0, batch.length);
    }
  }

  private keepEarlier(id: number, earlier: Kept) {
    const later = this.kept.get(id);
    this.kept.delete(id);
    this.add(id, earlier);
    if (later) this.add(id, later);
  }

  private valuesOf(notes: [number, Kept][]): unknown[][] {
    const now = performance.now();
    return [
      notes.map(([id]) => id),
      notes.map(([, { environmentId }]) => environmentId),
      notes.map(([, { at }]) => Math.round(now - at)),
      ...(this.kind.rest?.(
        notes.map(([, note]) => note),
        now,
      ) ?? []),
    ];
  }
}
