import type pg from "pg";
import { environmentsIn, type HistoryRow } from "@/lib/audit/entries";
import { readEntries, reading } from "@/lib/events/feed";
import { cursorGone, type Place, placeOfEntry, START } from "@/lib/events/place";

const MAX_ENTRIES = 500;

const AFTER = "(epoch, xid, id) > ($1, $2, $3) AND (epoch, xid) < ($4, $5) ORDER BY epoch, xid, id LIMIT $6";
// No index has all environments' entries in order, so the next entries of each environment are merged.
const FOLLOWING = `
  WITH RECURSIVE ${environmentsIn("audit_entry")}
  SELECT id, at FROM (
    SELECT own.* FROM known
    CROSS JOIN LATERAL (SELECT epoch, xid, id, at FROM audit_entry WHERE environment_id = known.environment_id
      AND ${AFTER}) AS own
    UNION ALL
    SELECT * FROM (SELECT epoch, xid, id, at FROM audit_entry WHERE environment_id IS NULL AND ${AFTER}) AS of_none
  ) AS following
  ORDER BY epoch, xid, id LIMIT $6`;

/** A part of the feed of all environments and of the instance itself. */
export interface WholeFeedPart {
  rows: HistoryRow[];
  /** of the last entry */
  place: Place;
  /** whether entries after the place it was read from have been dropped with their month */
  isCut: boolean;
}

/**
 * Reads the entries of all environments and of the instance after a place, in the order of the feed.
 * @throws {AppError} `cursor_gone` if a failover or a restored backup lost the entry at the place
 */
export function readWholeFeed(from: Place): Promise<WholeFeedPart> {
  return reading(async (client, settled) => {
    const isCut = await findDropped(client, from);
    const values = [from.epoch, from.xid, from.id, settled.epoch, settled.oldest, MAX_ENTRIES];
    const { rows: places } = await client.query<{ id: string; at: Date }>(FOLLOWING, values);
    const rows = await readEntries(client, places);
    const last = rows.at(-1);
    return { rows, place: last ? placeOfEntry(last) : from, isCut };
  });
}

/** Whether entries after a place have been dropped with their month. */
async function findDropped(client: pg.PoolClient, { epoch, xid, id, at }: Place): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean; is_dropped: boolean; is_cut: boolean }>(
    `SELECT EXISTS (SELECT FROM audit_entry WHERE (epoch, xid, id, at) = ($1, $2, $3, $4)) AS exists,
       EXISTS (SELECT FROM history_dropped WHERE (epoch, xid, id) >= ($1, $2, $3)) AS is_dropped,
       EXISTS (SELECT FROM history_dropped WHERE (epoch, xid, id) > ($1, $2, $3)) AS is_cut`,
    [epoch, xid, id, at],
  );
  const [found] = rows;
  // Compares the time too: after a failover that lost the entry, another can have its numbers.
  if (at !== START.at && !found?.exists && !found?.is_dropped) throw cursorGone();
  return found?.is_cut === true;
}
