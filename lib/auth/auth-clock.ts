import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";

/** Smaller clock differences are ignored, so that a time that is read and compared again stays the same. */
const NOTICED_MS = 1_000;

let offset = 0;

/**
 * Prisma for better-auth, which compares times with this machine's clock. Stored times follow the database's clock;
 * this client translates them both ways.
 */
export function prismaByOwnClock() {
  return prisma().$extends({
    query: {
      async $allOperations({ args, query }) {
        const ahead = await databaseAhead();
        return ahead === 0 ? query(args) : shift(await query(shift(args, ahead)), -ahead);
      },
    },
  });
}

/** How far the database's clock is ahead of this machine's, in milliseconds. */
async function databaseAhead(): Promise<number> {
  const now = (await databaseNow()).getTime() - Date.now();
  if (Math.abs(now - offset) > NOTICED_MS) offset = Math.abs(now) > NOTICED_MS ? now : 0;
  return offset;
}

/** Returns a copy with every time shifted. */
function shift<T>(value: T, milliseconds: number): T {
  if (value instanceof Date) return new Date(value.getTime() + milliseconds) as T;
  if (Array.isArray(value)) return value.map((one) => shift(one, milliseconds)) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shift(one, milliseconds)])) as T;
}
