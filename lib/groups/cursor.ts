import { z } from "zod";
import { invalidFields } from "@/lib/errors";
import type { GroupSort } from "@/lib/groups/schema";

/** The end of a page: the sort values of its last row, which may no longer exist. */
export interface Place {
  /** null when sorted by number only */
  key: string | null;
  teamId: number;
  /** whether it means the page before */
  backward: boolean;
}

const NUMBER = z.int().min(0).max(2_147_483_647);
const TIME = z.iso.datetime({ precision: 3 }).refine((text) => new Date(text).getUTCFullYear() >= 1);
const TEXT = z.string().refine((text) => text.isWellFormed() && !text.includes("\0"));

/** Encodes a place as a cursor, valid for one sort order. */
export function cursorOf(sort: GroupSort, { key, teamId, backward }: Place): string {
  return Buffer.from(JSON.stringify([sort, backward, key, teamId])).toString("base64url");
}

/**
 * Reads a cursor.
 * @throws {AppError} `invalid_fields` when it is invalid, or belongs to another order
 */
export function readCursor(cursor: string, sort: GroupSort): Place {
  const key = sort.endsWith("created") ? z.null() : sort.endsWith("updated") ? TIME : TEXT;
  const result = z.tuple([z.literal(sort), z.boolean(), key, NUMBER]).safeParse(decode(cursor));
  if (!result.success) {
    throw invalidFields([{ path: ["cursor"], message: "is not valid for this sort order: start at the first page" }]);
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
