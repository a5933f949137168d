import { z } from "zod";
import { invalidFields } from "@/lib/errors";
import type { GroupSort } from "@/lib/groups/schema";

/** Where a page ends: the values that its last row is sorted by, whether or not there is still such a row. */
export interface Place {
  /** null where groups sort by their number alone */
  key: string | null;
  teamId: number;
  /** whether the page before it is meant */
  backward: boolean;
}

const NUMBER = z.int().min(0).max(2_147_483_647);
const TIME = z.iso.datetime({ precision: 3 }).refine((text) => new Date(text).getUTCFullYear() >= 1);
const TEXT = z.string().refine((text) => text.isWellFormed() && !text.includes("\0"));

/** Writes a place as a cursor; it holds for one order. */
export function cursorOf(sort: GroupSort, { key, teamId, backward }: Place): string {
  return Buffer.from(JSON.stringify([sort, backward, key, teamId])).toString("base64url");
}

/**
 * Reads a cursor.
 * @throws {AppError} `invalid_fields` when it is none, or one of another order
 */
export function readCursor(cursor: string, sort: GroupSort): Place {
  const key = sort.endsWith("created") ? z.null() : sort.endsWith("updated") ? TIME : TEXT;
  const result = z.tuple([z.literal(sort), z.boolean(), key, NUMBER]).safeParse(decode(cursor));
  if (!result.success) {
    throw invalidFields([
      { path: ["cursor"], message: "is not a cursor of a list in this order: start at its beginning" },
    ]);
  }
  const [, backward, text, teamId] = result.data;
  return { key: text, teamId, backward };
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}
