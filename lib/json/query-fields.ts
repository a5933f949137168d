import { z } from "zod";
import { instant } from "@/lib/json/instant";

// Query fields shared by several lists.

/** A time with its offset; the output is in UTC. */
export const queryTime = instant("must be a time, as in 2026-11-20T08:00:00Z").transform((date) => date.toISOString());

/** The largest number of a row. */
export const LARGEST_NUMBER = 2_147_483_647;

/** A number that the service assigns, such as a user group's. */
export const rowNumber = z
  .string("must be a whole number")
  .regex(/^[1-9]\d{0,9}$/, "must be a whole number")
  .transform(Number)
  .refine((value) => value <= LARGEST_NUMBER, "must be below 2147483648");

/** A whole number within limits. */
export const wholeNumber = (least: number, most: number, about = {}) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .meta(about)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);

/** The most rows on a page, within a limit. */
export const pageLimit = (most: number) => wholeNumber(1, most);

/** As {@link pageLimit}, with a description of the rows and a default. */
export const pageSize = (what: string, most: number, usual = 100) =>
  pageLimit(most)
    .default(usual)
    .meta({
      description: `The maximum number of ${what} per page: 1 to ${most}, ${usual} by default.`,
      examples: [String(usual)],
    });

/** The cursor of a page, from an earlier answer. */
export const pageCursor = (most = 255, refusal = "is not a cursor of this list: start at the first page") =>
  z.string().max(most, refusal).optional();

/** The most groups that a query can name. */
export const MAX_IDS = 100;

/** A parameter that names groups, and is repeated for several. */
export const idList = <Item extends z.ZodType>(item: Item) =>
  z.array(item).max(MAX_IDS, `must be given at most ${MAX_IDS} times`).optional();

/** Groups' numbers. */
export const teamNumbers = idList(rowNumber);
