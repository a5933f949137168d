import { Semaphore } from "@/lib/config/semaphore";
import { type Statement, write } from "@/lib/db/pool";

const LARGEST_BATCH = 1_000;
/** The most viewers of a count, and of a batch of several counts. */
const BATCH_VIEWERS = 1_000;
/**
 * With more items than a batch holds: how long a flush waits for further events, in milliseconds, and up to how many
 * items it waits.
 */
const BUSY_MS = 10_000;
const MAX_WAITING = 50_000;
const DAY_MS = 86_400_000;

/** Events of an item on a day. */
export interface Count {
  id: number;
  environmentId: number;
  /** of the first event, by performance.now() */
  at: number;
  /** by this machine's clock; a count never spans two days */
  day: number;
  count: number;
  /** the distinct viewers of these events, if any */
  viewers?: Set<string>;
}

/**
 * Counts as a statement's columns, each item at most once. Times are ages in milliseconds, as instances' clocks differ.
 */
type CountColumns = [ids: number[], environmentIds: number[], ages: number[], counts: number[]];

const countedWith = (array: string, column: string) => `
      SELECT id, environment_id, date_trunc('month', at)::date AS month, extract(day FROM at)::int AS day,
        count${column}
      FROM unnest($1::int[], $2::int[], $3::int[], $4::int[]${array}) AS q(id, environment_id, age, count${column}),
        LATERAL (SELECT (now() - age * interval '1 millisecond') AT TIME ZONE 'UTC' AS at) AS counted`;

/** The counts of {@link CountColumns} by UTC day, as SQL. */
export const COUNTED = countedWith("", "");
/** The same, with the hashes of each count's viewers from $5. */
export const COUNTED_WITH_VIEWERS = countedWith(", $5::bytea[]", ", viewers");

/** SQL that adds counts to a table of days per month and `key`; `counted` selects them as month, key, day and count. */
export const addingDays = (table: string, key: string, counted: string) => `
    WITH sums AS (
      SELECT month, ${key}, day, sum(count)::bigint AS count FROM (${counted}) AS q GROUP BY month, ${key}, day
    )
    INSERT INTO ${table} AS m (month, ${key}, days)
    SELECT month, ${key}, ARRAY (
      SELECT coalesce(max(s.count), 0) FROM generate_series(1, 31) AS n
      LEFT JOIN sums s ON s.month = sums.month AND s.${key} = sums.${key} AND s.day = n GROUP BY n ORDER BY n)
    FROM sums GROUP BY month, ${key} ORDER BY month, ${key}
    ON CONFLICT (month, ${key}) DO UPDATE SET days = ARRAY (
      SELECT stored + added FROM unnest(m.days, excluded.days) WITH ORDINALITY AS d(stored, added, n) ORDER BY n)`;

/** Counts events per item in this process, and adds them to the stored counts in batches. */
export class DeferredCounts {
  private readonly counting = new Map<number, Count>();
  /** counts that are complete, such as of the day before */
  private readonly complete: Count[] = [];
  private flushedAt = Number.NEGATIVE_INFINITY;
  private readonly turn = new Semaphore(1);

  /** `add` adds counts to the stored ones. */
  constructor(private readonly add: (columns: CountColumns, counts: Count[]) => Promise<unknown>) {}

  /** Counts one event of an item, and the viewer who caused it. */
  count(id: number, environmentId: number, viewer?: string) {
    const day = Math.floor(Date.now() / DAY_MS);
    let count = this.counting.get(id);
    if (count?.day === day && viewersOf(count) < BATCH_VIEWERS) count.count++;
    else {
      if (count) this.complete.push(count);
      count = { id, environmentId, at: performance.now(), day, count: 1 };
      this.counting.set(id, count);
    }
    if (viewer === undefined) return;
    count.viewers ??= new Set();
    count.viewers.add(viewer);
  }

  /**
   * Adds what was counted since the last time; on failure, that batch and those after it are lost: nothing is counted
   * twice, and an outage delays nothing. With many items it waits, unless it is `last`.
   */
  readonly record = (last = false) => this.turn.run(undefined, () => this.recordWaiting(last));

  private async recordWaiting(last: boolean) {
    const { size } = this.counting;
    const isBusy = size > LARGEST_BATCH && size < MAX_WAITING;
    if (!last && isBusy && performance.now() - this.flushedAt < BUSY_MS) return;
    this.flushedAt = performance.now();
    const waiting = [this.complete.splice(0), [...this.counting.values()]];
    this.counting.clear();
    for (const counts of waiting.flatMap(batchesOf)) await this.add(columnsOf(counts), counts);
  }
}

const viewersOf = ({ viewers }: Count) => viewers?.size ?? 0;

/** Batches in which each item occurs once, sorted so that instances lock rows in one order. */
export function batchesOf(counts: Count[]): Count[][] {
  const batches: Count[][] = [];
  let batch: Count[] = [];
  let viewers = 0;
  for (const count of counts.sort((one, other) => one.id - other.id)) {
    const isFull = batch.length === LARGEST_BATCH || viewers + viewersOf(count) > BATCH_VIEWERS;
    if ((isFull && batch.length > 0) || batch.at(-1)?.id === count.id) {
      batches.push(batch);
      batch = [];
      viewers = 0;
    }
    batch.push(count);
    viewers += viewersOf(count);
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

function columnsOf(counts: Count[]): CountColumns {
  const now = performance.now();
  return [
    counts.map(({ id }) => id),
    counts.map(({ environmentId }) => environmentId),
    counts.map(({ at }) => Math.round(now - at)),
    counts.map(({ count }) => count),
  ];
}

/** The most items with notes: notes on further ones are dropped, to bound memory. */
const MAX_NOTED = 50_000;

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

/** Collects one note per item in this process, and writes them in batches. */
export class DeferredNotes<Kept extends Note> {
  private readonly kept = new Map<number, Kept>();
  private readonly turn = new Semaphore(1);

  constructor(private readonly kind: Kind<Kept>) {}

  /** Adds a note on an item. */
  add(id: number, note: Kept) {
    const known = this.kept.get(id);
    if (known) this.kind.merge(known, note);
    else if (this.kept.size < MAX_NOTED) this.kept.set(id, note);
  }

  /** Writes what was noted since the last time; on failure, it is kept for the next time. */
  readonly record = () => this.turn.run(undefined, () => this.recordNotes());

  private async recordNotes() {
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
