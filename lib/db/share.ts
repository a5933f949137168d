import pg from "pg";
import { gather } from "@/lib/db/gather";
import type { Author } from "@/lib/db/statements";
import { AppError } from "@/lib/errors";

const LARGEST_BATCH = 64;
/** Characters of a change that is carried out on its own: others should not wait for it. */
const LARGE = 16_384;

/** A change, and who makes it. */
export interface Authored<Change> {
  change: Change;
  author: Author;
}

interface Sharing<Change, Outcome> {
  /** what no two changes of one statement may have in common */
  keyOf(change: Change): string;
  /** how many characters it has */
  size(change: Change): number;
  alone(change: Authored<Change>): Promise<Outcome>;
  /** the outcomes of those that were carried out */
  together(changes: Authored<Change>[]): Promise<Map<Authored<Change>, Outcome>>;
}

/** Has changes that come at once share a statement. Those that it passes over, or all if it fails, are carried out one by one, and only they wait for it. */
export function share<Change, Outcome>({ keyOf, size, alone, together }: Sharing<Change, Outcome>) {
  return gather<Authored<Change>, Outcome>(LARGEST_BATCH, async (changes) => {
    const small = changes.filter(({ change }) => size(change) < LARGE);
    const shared = [...new Map(small.map((one) => [keyOf(one.change), one])).values()];
    if (shared.length < 2) return changes.map(alone);
    const outcomes = await together(shared).catch((error: unknown) => {
      if (!isRolledBack(error)) throw error;
      return new Map<Authored<Change>, Outcome>();
    });
    return changes.map((one) => (outcomes.has(one) ? (outcomes.get(one) as Outcome) : alone(one)));
  });
}

/** Whether PostgreSQL refused a statement: then it has done nothing. Of one whose connection broke that is not known. */
function isRolledBack(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.severity === "ERROR";
}
