import type pg from "pg";
import { type HistoryRow, selectEntries } from "@/lib/audit/entries";
import { ORDERED_READS, statement, transaction, write } from "@/lib/db/pool";
import { StartError, unavailable } from "@/lib/errors";
import {
  cursorGone,
  isBefore,
  isSame,
  type Place,
  placeOfEntry,
  readPlace,
  SETTLED,
  START,
  writePlace,
} from "@/lib/events/place";
import { ATTEMPTS, isBlocked, patiently } from "@/lib/migrations/patience";

/** The most entries that a page scans for its types. */
const MAX_SCANNED = 5_000;

/** A part of an environment's feed. */
export interface FeedPage {
  rows: HistoryRow[];
  /** after the last scanned entry */
  nextCursor: string;
  caughtUp: boolean;
}

interface Selection {
  /** actions, or `user_group.*` for all with this beginning; undefined for all */
  types?: readonly string[] | undefined;
  limit: number;
}

/** The entries after a place. */
interface FeedPart {
  rows: HistoryRow[];
  /** of the last scanned entry */
  place: Place;
  caughtUp: boolean;
}

/**
 * Reads an environment's entries after a cursor, or from the oldest, in the order of their transactions; `check` sees
 * the same snapshot.
 * @throws {AppError} `invalid_fields` for an invalid cursor, `cursor_gone` for one whose entry is gone
 */
export function readFeed(
  environmentId: number,
  after: string | undefined,
  { types, limit }: Selection,
  check?: (client: pg.PoolClient) => Promise<void>,
): Promise<FeedPage> {
  const cursor = after === undefined ? undefined : readPlace(environmentId, after);
  return reading(async (client, settled) => {
    await check?.(client);
    const from = await findStart(client, environmentId, cursor);
    const { rows, place, caughtUp } = await readPart(client, settled, { environmentId, from, types, limit });
    return { rows, nextCursor: writePlace(environmentId, place), caughtUp };
  });
}

/** Like {@link readFeed}, but over the given pool, and even if the entry at the place is gone. */
export function readFeedOn(
  pool: () => pg.Pool,
  environmentId: number,
  { from, ...selection }: Selection & { from: Place },
): Promise<FeedPart> {
  return reading((client, settled) => readPart(client, settled, { environmentId, from, ...selection }), pool);
}

async function readPart(
  client: pg.PoolClient,
  settled: Settled,
  { environmentId, from, types, limit }: Selection & { environmentId: number; from: Place },
): Promise<FeedPart> {
  const most = types ? MAX_SCANNED : limit;
  // Selects the matches, and the last scanned entry.
  const { rows: scanned } = await client.query<Scanned>(
    `SELECT * FROM (
       SELECT epoch, xid, id, at, (row_number() OVER (ORDER BY epoch, xid, id))::int AS n,
         (count(*) OVER ())::int AS total,
         (action = ANY ($7::text[]) OR split_part(action, '.', 1) || '.*' = ANY ($7)) IS NOT FALSE AS matches
       FROM (
         SELECT epoch, xid, id, at, action FROM audit_entry
         WHERE environment_id = $1 AND (epoch, xid, id) > ($2, $3, $4) AND (epoch, xid) < ($5, $6)
         ORDER BY epoch, xid, id LIMIT ${most + 1}
       ) AS following
     ) AS scanned
     WHERE n <= ${most} AND (matches OR n = least(total, ${most})) ORDER BY n LIMIT ${limit + 1}`,
    [environmentId, from.epoch, from.xid, from.id, settled.epoch, settled.oldest, types],
  );
  const matching = scanned.filter(({ matches }) => matches);
  const rows = await readEntries(client, matching.slice(0, limit));
  // The page ends at one of its limits, or with the last scanned entry.
  const isCut = rows.length < matching.length;
  const end = isCut ? matching[rows.length - 1] : scanned.at(-1);
  const caughtUp = !isCut && (end?.total ?? 0) <= most;
  return { rows, place: end ? placeOfEntry(end) : from, caughtUp };
}

/** The end of an environment's feed, without entries. */
export async function findEnd(environmentId: number): Promise<FeedPage> {
  return { rows: [], nextCursor: writePlace(environmentId, await findEndPlace(environmentId)), caughtUp: true };
}

/** The place of an environment's last entry. */
export function findEndPlace(environmentId: number): Promise<Place> {
  return reading(async (client, { epoch, oldest }) => {
    const { rows } = await client.query(
      `SELECT epoch, xid, id, at FROM audit_entry WHERE environment_id = $1 AND (epoch, xid) < ($2, $3)
       ORDER BY epoch DESC, xid DESC, id DESC LIMIT 1`,
      [environmentId, epoch, oldest],
    );
    const beginning = await findBeginning(client, environmentId);
    return rows[0] && !isBefore(rows[0], beginning) ? placeOfEntry(rows[0]) : beginning;
  });
}

/** The place before an environment's first entry at or after a time; undefined if there is none. */
export function findPlaceSince(environmentId: number, time: Date): Promise<Place | undefined> {
  return reading(async (client) => {
    // Times are transactions' starts, and almost in the feed's order: begin with an entry from a minute before.
    const { rows } = await client.query(
      `WITH earlier AS MATERIALIZED (
         SELECT epoch, xid, id FROM audit_entry WHERE at < $2::timestamptz - interval '1 minute' ORDER BY at DESC
           LIMIT 1
       )
       SELECT epoch, xid, id - 1 AS id FROM audit_entry
       WHERE environment_id = $1 AND at >= $2 AND (epoch, xid, id) > (
         coalesce((SELECT epoch FROM earlier), 0), coalesce((SELECT xid FROM earlier), 0),
           coalesce((SELECT id FROM earlier), 0))
       ORDER BY epoch, xid, id LIMIT 1`,
      [environmentId, time],
    );
    return rows[0] && { ...rows[0], at: null };
  });
}

interface Scanned {
  epoch: number;
  xid: string;
  id: string;
  at: Date;
  /** its number among the scanned entries, of which there are `total` */
  n: number;
  total: number;
  matches: boolean;
}

/** Where the settled entries end. */
interface Settled {
  epoch: number;
  oldest: string;
  is_current: boolean;
}

/** Reads in one snapshot; begins an epoch first if this service's database has moved to another cluster. */
export async function reading<T>(
  work: (client: pg.PoolClient, settled: Settled) => Promise<T>,
  pool?: () => pg.Pool,
): Promise<T> {
  const readOnce = () =>
    transaction(
      async (client) => {
        const [settled] = (await client.query<Settled>(SETTLED)).rows;
        return settled?.is_current ? { value: await work(client, settled) } : undefined;
      },
      ORDERED_READS,
      pool,
    );
  const done = (await readOnce()) ?? (await write(RAISE, []).then(readOnce));
  if (!done) throw unavailable("the feed's epoch is of another cluster");
  return done.value;
}

/** Where an environment's feed begins: after the last entry that was dropped with its month. */
async function findBeginning(client: pg.PoolClient, environmentId: number): Promise<Place> {
  const { rows } = await client.query("SELECT epoch, xid, id, at FROM history_dropped WHERE environment_id = $1", [
    environmentId,
  ]);
  return rows[0] ? placeOfEntry(rows[0]) : START;
}

/**
 * The place of a cursor, or the beginning without one.
 * @throws {AppError} `cursor_gone` for one whose entry, or an entry after it, is gone
 */
async function findStart(client: pg.PoolClient, environmentId: number, cursor: Place | undefined): Promise<Place> {
  const beginning = await findBeginning(client, environmentId);
  if (!cursor || isSame(cursor, beginning)) return beginning;
  if (isBefore(cursor, beginning)) throw cursorGone();
  const { epoch, xid, id, at } = cursor;
  // Compares the time too: after a failover that lost the entry, another can have both of its numbers.
  const { rowCount } = await client.query(
    "SELECT FROM audit_entry WHERE id = $1 AND at = $2 AND environment_id = $3 AND epoch = $4 AND xid = $5",
    [id, at, environmentId, epoch, xid],
  );
  if (rowCount === 0) throw cursorGone();
  return cursor;
}

/** The entries at these places, in their order, up to the limit of a page's states. */
export async function readEntries(
  client: pg.PoolClient,
  places: readonly { id: string; at: Date }[],
): Promise<HistoryRow[]> {
  if (places.length === 0) return [];
  const page = `
    SELECT entry.* FROM unnest($1::bigint[], $2::timestamptz[]) AS place(id, at)
    JOIN audit_entry entry ON entry.id = place.id AND entry.at = place.at`;
  const { rows } = await client.query<HistoryRow>(selectEntries(page, ["epoch", "xid", "id"]), [
    places.map(({ id }) => id),
    places.map(({ at }) => at),
  ]);
  return rows.filter(({ fits }) => fits);
}

// Another cluster starts its transaction numbers over: a dump restored there has higher numbers than the entries that
// follow. raise_feed_epoch() (in the migration) notices, and begins an epoch. Entries of earlier epochs come first, and
// all of them are settled.

const RAISE = statement("raise_feed_epoch")`SELECT raise_feed_epoch()`;

/**
 * Begins an epoch if the database has moved to another cluster. Runs at startup, before any entry is written.
 * @throws {StartError} when the history stays locked
 */
export async function startFeedEpoch(client: pg.ClientBase) {
  try {
    await patiently(client, () => client.query(RAISE.text));
  } catch (error) {
    if (!isBlocked(error)) throw error;
    throw new StartError(
      `This database was restored into another cluster, and its history stayed locked through ${ATTEMPTS} ` +
        "attempts to record that. End long transactions (see pg_stat_activity), then start again.",
      { cause: error },
    );
  }
}
