import { z } from "zod";
import { openCursor, ROW_NUMBER, writeCursor } from "@/lib/crypto/cursor";
import { AppError } from "@/lib/errors";
import { NO_CURSOR } from "@/lib/events/schema";
import { anyJson } from "@/lib/json/any-json";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";

// Ids are not in the order of commits. Entries are ordered by (epoch, xid, id), and those below the oldest running
// transaction are settled: no other entry can still appear between them. The feed shows settled entries only.

/** One row: the epoch and transaction below which entries are settled, and whether the epoch is of this cluster. */
export const SETTLED = `
  SELECT epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
    system_identifier = (SELECT system_identifier::text FROM pg_control_system()) AS is_current
  FROM feed_epoch ORDER BY epoch DESC LIMIT 1`;

/**
 * SQL condition: entries of an environment follow a row's place in the columns epoch, xid and entry_id, or may follow
 * because the database has moved to another cluster. Each subquery reads one row of an index in order; for a join, the
 * planner might read the whole history.
 */
export const hasFurtherEntries = (row: string, environmentId: string) => `(
  NOT (SELECT is_current FROM (${SETTLED}) AS settled)
  OR (SELECT true FROM audit_entry a WHERE a.environment_id = ${row}.${environmentId}
    AND (a.epoch, a.xid, a.id) > (${row}.epoch, ${row}.xid, ${row}.entry_id)
    AND (a.epoch, a.xid) < ((SELECT epoch FROM (${SETTLED}) AS settled), (SELECT oldest FROM (${SETTLED}) AS settled))
    ORDER BY a.epoch, a.xid, a.id LIMIT 1))`;

const PLACE = z
  .tuple([z.int().min(0).max(LARGEST_NUMBER), ROW_NUMBER, ROW_NUMBER, z.iso.datetime().nullable()])
  .transform(([epoch, xid, id, at]): Place => ({ epoch, xid, id, at }));

/** An entry's place in the feed. */
export interface Place {
  epoch: number;
  xid: string;
  id: string;
  /** of the entry, by which its partition is found; null before the first */
  at: string | null;
}

/** The place before the first entry. */
export const START: Place = { epoch: 0, xid: "0", id: "0", at: null };

/** A row's place. */
export function placeOfEntry({ epoch, xid, id, at }: Pick<Place, "epoch" | "xid" | "id"> & { at: Date }): Place {
  return { epoch, xid, id, at: at.toISOString() };
}

/** Whether a place is before another. */
export function isBefore(one: Place, other: Pick<Place, "epoch" | "xid" | "id">): boolean {
  if (one.epoch !== other.epoch) return one.epoch < other.epoch;
  if (one.xid !== other.xid) return BigInt(one.xid) < BigInt(other.xid);
  return BigInt(one.id) < BigInt(other.id);
}

/** Whether two places are of the same entry. */
export function isSame(one: Place, other: Place): boolean {
  return one.at === other.at && !isBefore(one, other) && !isBefore(other, one);
}

/** Increases when these cursors change their meaning. */
const VERSION = 1;
const scopeOf = (environmentId: number) => `events ${VERSION} ${environmentId}`;

/** A place as stored in a file. */
export const writtenPlace = ({ epoch, xid, id, at }: Place) => [epoch, xid, id, at];

/** Parses a place from a file; undefined if malformed. */
export function parsePlace(text: string): Place | undefined {
  return PLACE.safeParse(anyJson(text)).data;
}

export function writePlace(environmentId: number, place: Place): string {
  return writeCursor(scopeOf(environmentId), writtenPlace(place));
}

/** @throws {AppError} `invalid_fields` for a cursor that was altered, or is not from this environment's feed */
export function readPlace(environmentId: number, cursor: string): Place {
  return openCursor(scopeOf(environmentId), PLACE, { cursor, refusal: NO_CURSOR, field: "after" });
}

/** The error for a place whose entry is no longer in the history. */
export function cursorGone(): AppError {
  return new AppError(
    "cursor_gone",
    "The event at this cursor is gone: a failover or a restored backup lost it, or old history was dropped. " +
      "Call with after=latest for a new cursor, then read all groups, and continue from that cursor.",
  );
}
