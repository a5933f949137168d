import { z } from "zod";
import { openCursor, writeCursor } from "@/lib/crypto/cursor";
import type { GroupSort } from "@/lib/groups/list-schema";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";

/** The end of a page: the sort values of its last row, which may no longer exist. */
export interface Position {
  /** null when sorted by number only */
  key: string | null;
  teamId: number;
  /** whether it leads to the page before */
  backward: boolean;
  /** whether its row belongs to that page */
  isIncluded?: boolean | undefined;
}

/** What a cursor is valid for: another list's cursor would silently skip groups. */
interface CursorScope {
  environmentId: number;
  sort: GroupSort;
}

/** Increases when cursors change their meaning. */
const VERSION = 1;
const NUMBER = z.int().min(0).max(LARGEST_NUMBER);
/** A time as cursors hold it, within PostgreSQL's range. */
export const cursorTime = z.iso.datetime({ precision: 3 }).refine((text) => new Date(text).getUTCFullYear() >= 1);
const TEXT = z.string().refine((text) => text.isWellFormed() && !text.includes("\0"));

/** Encodes a position as a cursor. */
export function cursorOf(scope: CursorScope, { key, teamId, backward, isIncluded }: Position): string {
  return writeCursor(textOf(scope), [backward, key, teamId, ...(isIncluded ? [true] : [])]);
}

/**
 * Reads a cursor.
 * @throws {AppError} `invalid_fields` when it was altered, or belongs to another order, environment or version
 */
export function readCursor(cursor: string, scope: CursorScope): Position {
  const { sort } = scope;
  const key = sort.endsWith("team_id") ? z.null() : sort.endsWith("updated_at") ? cursorTime : TEXT;
  const place = z.tuple([z.boolean(), key, NUMBER, z.literal(true).optional()]);
  const refusal = "is not a cursor of this list in this order: start at the first page";
  const [backward, text, teamId, isIncluded] = openCursor(textOf(scope), place, { cursor, refusal });
  return { key: text, teamId, backward, isIncluded };
}

function textOf({ environmentId, sort }: CursorScope): string {
  return `groups ${VERSION} ${environmentId} ${sort}`;
}
