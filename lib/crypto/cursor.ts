import { createHash } from "node:crypto";
import { z } from "zod";
import { invalidFields } from "@/lib/errors";
import { anyJson } from "@/lib/json/any-json";

/** Bytes of the checksum that begins a cursor. */
const CHECKED = 6;

/** A row's number in a cursor. */
export const ROW_NUMBER = z.string().regex(/^\d{1,18}$/);

/** Encodes a place in a list as an opaque cursor: a checksum for this scope, and the place as JSON. */
export function writeCursor(scope: string, place: unknown): string {
  const json = Buffer.from(JSON.stringify(place));
  return Buffer.concat([checksum(scope, json), json]).toString("base64url");
}

/** A cursor as received, and the message if it is not a cursor of its scope. */
interface ReceivedCursor {
  cursor: string;
  refusal: string;
  /** the name of its field, unless it is `cursor` */
  field?: string;
}

/**
 * The place of a cursor.
 * @throws {AppError} `invalid_fields` when it was cut, altered, or made for another scope
 */
export function openCursor<Place>(
  scope: string,
  place: z.ZodType<Place>,
  { cursor, refusal, field = "cursor" }: ReceivedCursor,
): Place {
  const bytes = Buffer.from(cursor, "base64url");
  const json = bytes.subarray(CHECKED);
  const isWhole = bytes.toString("base64url") === cursor && bytes.subarray(0, CHECKED).equals(checksum(scope, json));
  const { success, data } = place.safeParse(isWhole ? anyJson(json.toString()) : undefined);
  if (success) return data;
  throw invalidFields([{ path: [field], message: refusal }]);
}

/** A page of rows, given up to one row more than it shows, and the cursor of the next page. */
export function pageOf<Row>(read: Row[], limit: number, cursorAfter: (last: Row) => string) {
  const rows = read.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: read.length > limit && last ? cursorAfter(last) : null };
}

/** Detects accidents, not forgery: a forged cursor only leads to another place in the same list. */
function checksum(scope: string, json: Buffer): Buffer {
  return createHash("sha256").update(`${scope} `).update(json).digest().subarray(0, CHECKED);
}
