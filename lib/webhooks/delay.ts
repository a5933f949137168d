const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays after each failed attempt of a delivery, in milliseconds; the last one repeats. */
const DELAYS = [
  ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR],
];
const JITTER = 0.2;

/** How long after the first attempt of a delivery the last one may be, as an interval. */
export const RETRIED_FOR = "3 days";

/** The delay after this many failed attempts, with jitter. */
export function delayAfter(tries: number): number {
  const delay = DELAYS[Math.min(tries, DELAYS.length) - 1] ?? 0;
  return Math.round(delay * (1 - JITTER + 2 * JITTER * Math.random()));
}
