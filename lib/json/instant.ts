import { z } from "zod";

/** The last instant that RFC 3339 can write in UTC. */
const LAST = "9999-12-31T23:59:59.999Z";

/**
 * An RFC 3339 time, `t` and `z` included, from the year 1 to the year 9999 in UTC: what PostgreSQL and Date can hold
 * too.
 */
export const instant = (message: string) =>
  z
    .string(message)
    .toUpperCase()
    .check(z.iso.datetime({ offset: true, error: message }))
    .transform((text) => new Date(text))
    .refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9_999, message);

/**
 * A stored expiry; the last instant for one after the year 9999, which earlier versions took and Prisma reads as an
 * invalid date.
 */
export function readExpiry(date: Date): Date {
  const isLater = Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999;
  return isLater ? new Date(LAST) : date;
}
