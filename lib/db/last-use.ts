import { DeferredNotes } from "@/lib/db/deferred-notes";
import type { Statement } from "@/lib/db/pool";

/** Collects in this process when items of a kind were last used, and writes many at a time. */
export class LastUse {
  private readonly notes: DeferredNotes<{ environmentId: number; at: number }>;

  constructor(statement: Statement) {
    this.notes = new DeferredNotes({
      statement,
      merge(earlier, { at }) {
        earlier.at = at;
      },
    });
  }

  /** Notes that this item is used now. */
  note(id: number, environmentId: number) {
    this.notes.note(id, { environmentId, at: performance.now() });
  }

  /** Writes the uses noted since the last time; on failure, they are kept for the next time. */
  record(): Promise<void> {
    return this.notes.record();
  }
}
