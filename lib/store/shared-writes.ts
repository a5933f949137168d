import pg from "pg";
import type { Author } from "@/lib/authority/authority";
import { READ_ONLY } from "@/lib/db/session";
import { LARGEST_BATCH, sharingStatements } from "@/lib/db/share-statements";
import { AppError, unavailable } from "@/lib/errors";

/** A change of this many characters is written alone: others must not wait for it. */
const LARGE = 16_384;
/** How long a change waits for earlier ones, in milliseconds: most of the time in which its caller must be answered. */
const MAX_LATE_MS = 1_500;

/** A change and its author. */
export interface Authored<Change> {
  change: Change;
  author: Author;
}

interface Late<Change> {
  one: Authored<Change>;
  /** time after which it is no longer started */
  until: number;
}

interface Sharing<Change, Outcome> {
  /** a key that must be unique within a statement; without it, all changes can share one */
  keyOf?(change: Change): string;
  /** its number of characters */
  size(change: Change): number;
  alone(change: Authored<Change>): Promise<Outcome>;
  /** the outcomes of the changes that could be made without waiting for locks */
  together(changes: Authored<Change>[]): Promise<Map<Authored<Change>, Outcome>>;
}

/**
 * Makes concurrent changes share a statement. Changes that it skips, or all if PostgreSQL refuses it, are made one by
 * one afterwards, and only their callers wait: one per key and two in total at a time, as each may wait for a lock and
 * look-ups need connections too.
 */
export function shareWrites<Change, Outcome>({ keyOf, size, alone, together }: Sharing<Change, Outcome>) {
  const later = sharingStatements<Late<Change>, Outcome>(1, async ([late]) => {
    if (!late || performance.now() > late.until) {
      throw unavailable("queue of changes", "Earlier changes did not finish in time.");
    }
    return [await alone(late.one)];
  });
  const lastOf = new Map<unknown, Promise<unknown>>();
  const afterEarlier = (one: Authored<Change>): Promise<Outcome> => {
    const key = keyOf?.(one.change) ?? one;
    const until = performance.now() + MAX_LATE_MS;
    const outcome = Promise.resolve(lastOf.get(key)).then(() => later({ one, until }));
    const end = outcome.catch(() => undefined);
    lastOf.set(key, end);
    void end.then(() => {
      if (lastOf.get(key) === end) lastOf.delete(key);
    });
    return outcome;
  };
  return sharingStatements<Authored<Change>, Outcome>(LARGEST_BATCH, async (changes) => {
    const small = changes.filter(({ change }) => size(change) < LARGE);
    // Changes with the same key are concurrent, so any of them can come first.
    const shared = keyOf ? [...new Map(small.map((one) => [keyOf(one.change), one])).values()] : small;
    if (shared.length === 0) return changes.map(afterEarlier);
    const outcomes = await together(shared).catch((error: unknown) => {
      if (!isRolledBack(error)) throw error;
      return new Map<Authored<Change>, Outcome>();
    });
    return changes.map((one) => (outcomes.has(one) ? (outcomes.get(one) as Outcome) : afterEarlier(one)));
  });
}

/**
 * Whether PostgreSQL refused a statement, which then had no effect, and may accept a part of it. After a broken
 * connection this is unknown.
 */
function isRolledBack(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.severity === "ERROR" && cause.code !== READ_ONLY;
}
