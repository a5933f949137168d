import { read, statement } from "@/lib/db/pool";
import type { Prisma } from "@/prisma/generated/client";

const NOW = statement("now")`SELECT clock_timestamp() AS now`;
/**
 * A reading's age in milliseconds at which it is renewed in the background, and at which a caller waits for a new one.
 */
const RENEW_MS = 5_000;
const STALE_MS = 600_000;
/** A drift in milliseconds between this machine's two clocks: beyond it, one was set or the machine slept. */
const JUMP_MS = 500;

interface Reading {
  database: number;
  own: number;
  /** by performance.now(), which is never set */
  steady: number;
}

let last: Reading | undefined;
let reading: Promise<Reading> | undefined;

/**
 * The time by the database's clock, which decides every expiry: instances' clocks differ, and a wrong one must not
 * shorten or prolong anything. Within a transaction, pass `tx`.
 * @throws {AppError} `unavailable`
 */
export async function databaseNow(tx?: Prisma.TransactionClient): Promise<Date> {
  if (tx) return (await tx.$queryRaw<[{ now: Date }]>`SELECT clock_timestamp() AS now`)[0].now;
  const { database, steady } = await freshReading();
  return new Date(database + performance.now() - steady);
}

async function freshReading(): Promise<Reading> {
  if (!last) return readClock();
  const age = performance.now() - last.steady;
  if (age > STALE_MS || Math.abs(Date.now() - last.own - age) > JUMP_MS) return readClock();
  // Not awaited: the caller may be in a transaction on the only connection.
  if (age > RENEW_MS) readClock().catch(() => undefined);
  return last;
}

function readClock(): Promise<Reading> {
  reading ??= (async () => {
    const [row] = await read<{ now: Date }>(NOW, []);
    last = { database: row?.now.getTime() ?? Date.now(), own: Date.now(), steady: performance.now() };
    return last;
  })().finally(() => {
    reading = undefined;
  });
  return reading;
}
