import { z } from "zod";

// Fields that the queries of several lists have.

const WANTED_TIME = "must be a time, as in 2026-11-20T08:00:00Z";

/** A time with its offset; the output is in UTC. */
export const queryTime = z.iso
  .datetime({ offset: true, error: WANTED_TIME })
  .transform((text) => new Date(text))
  // Stays within PostgreSQL's range.
  .refine((date) => date.getUTCFullYear() >= 1, WANTED_TIME)
  .transform((date) => date.toISOString());

/** The most rows on a page, within a limit. */
export const pageLimit = (most: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((count) => count >= 1 && count <= most, `must be from 1 to ${most}`);

/** The most groups that a query can name. */
export const MAX_IDS = 100;

const teamNumber = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, "must be a whole number")
  .transform(Number)
  .refine((value) => value < 2 ** 31, "must be below 2147483648");

/** A parameter that names groups, and is repeated for several. */
export const idList = <Item extends z.ZodType>(item: Item) =>
  z.array(item).max(MAX_IDS, `must be given at most ${MAX_IDS} times`).optional();

/** Groups' numbers. */
export const teamNumbers = idList(teamNumber);
