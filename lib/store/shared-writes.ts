import pg from "pg";
import type { Author } from "@/lib/db/authority";
import { AppError, unavailable } from "@/lib/errors";
import { batch, LARGEST_BATCH } from "@/lib/store/batch";

/** Characters of a change that is carried out on its own: others should not wait for it. */
const LARGE = 16_384;
/** How long a change waits for those before it that wait for locks, in milliseconds: begun later, it would end after its caller has given up. */
const MOST_LATE_MS = 1_000;

/** A change, and who makes it. */
export interface Authored<Change> {
  change: Change;
  author: Author;
}

interface Late<Change> {
  one: Authored<Change>;
  /** when it is not worth beginning any more */
  until: number;
}

interface Sharing<Change, Outcome> {
  /** what no two changes of one statement may have in common; they may have anything where there is none */
  keyOf?(change: Change): string;
  /** how many characters it has */
  size(change: Change): number;
  alone(change: Authored<Change>): Promise<Outcome>;
  /** the outcomes of those that were carried out, without a wait for anybody's lock */
  together(changes: Authored<Change>[]): Promise<Map<Authored<Change>, Outcome>>;
}

/**
 * Has changes that come at once share a statement. Those that it passes over, or all if PostgreSQL refuses it, are carried out one
 * by one afterwards, and only they wait for that: as each may wait for a lock and look-ups need connections too, one of a key and
 * two of all at a time.
 */
export function shareWrites<Change, Outcome>({ keyOf, size, alone, together }: Sharing<Change, Outcome>) {
  const later = batch<Late<Change>, Outcome>(1, async ([late]) => {
    if (!late || performance.now() > late.until) {
      throw unavailable("queue of changes", "Changes that came before did not end in time.");
    }
    return [await alone(late.one)];
  });
  const lastOf = new Map<unknown, Promise<unknown>>();
  const inTurn = (one: Authored<Change>): Promise<Outcome> => {
    const key = keyOf?.(one.change) ?? one;
    const until = performance.now() + MOST_LATE_MS;
    const outcome = Promise.resolve(lastOf.get(key)).then(() => later({ one, until }));
    const end = outcome.catch(() => undefined);
    lastOf.set(key, end);
    void end.then(() => {
      if (lastOf.get(key) === end) lastOf.delete(key);
    });
    return outcome;
  };
  return batch<Authored<Change>, Outcome>(LARGEST_BATCH, async (changes) => {
    const small = changes.filter(({ change }) => size(change) < LARGE);
    const shared = keyOf ? [...new Map(small.map((one) => [keyOf(one.change), one])).values()] : small;
    if (shared.length === 0) return changes.map(inTurn);
    const outcomes = await together(shared).catch((error: unknown) => {
      if (!isRolledBack(error)) throw error;
      return new Map<Authored<Change>, Outcome>();
    });
    return changes.map((one) => (outcomes.has(one) ? (outcomes.get(one) as Outcome) : inTurn(one)));
  });
}

/** Whether PostgreSQL refused a statement: then it has done nothing. Of one whose connection broke that is not known. */
function isRolledBack(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.severity === "ERROR";
}
