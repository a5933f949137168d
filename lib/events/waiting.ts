import { setTimeout as sleep } from "node:timers/promises";
import { read, statement } from "@/lib/db/pool";
import { lanes } from "@/lib/endpoint/lanes";
import { isBefore, type Place, readPlace, SETTLED } from "@/lib/events/place";

// A waiting call costs no statement of its own: while calls wait, the process asks every 250 ms where the feeds of
// their environments end, and only calls that are behind read.

const POLL_MS = 250;
const MAX_OF_CALLER = 8;
/** Each occupies a connection and, if it has a session, another one between two of our processes. */
const MAX_OF_ALL = 64;

/**
 * Counts a call that will wait; returns a function to call when the wait has ended.
 * @throws {AppError} `rate_limited`
 */
export const enterWait = lanes(MAX_OF_CALLER, "calls that wait for events", MAX_OF_ALL);

const ENDS = statement("feed_ends")`
  WITH settled AS MATERIALIZED (${SETTLED})
  SELECT asked.id AS environment_id, settled.is_current, last.epoch, last.xid, last.id
  FROM settled CROSS JOIN unnest($1::int[]) AS asked(id)
  LEFT JOIN LATERAL (
    SELECT a.epoch, a.xid, a.id FROM audit_entry a
    WHERE a.environment_id = asked.id AND (a.epoch, a.xid) < (settled.epoch, settled.oldest)
    ORDER BY a.epoch DESC, a.xid DESC, a.id DESC LIMIT 1
  ) AS last ON true`;

interface End {
  environment_id: number;
  /** whether the newest epoch is of this cluster; a read begins another */
  is_current: boolean;
  /** null without entries */
  epoch: number | null;
  xid: string;
  id: string;
}

interface Waiter {
  environmentId: number;
  place: Place;
  end(isBehind: boolean): void;
  fail(error: unknown): void;
}

const waiters = new Set<Waiter>();
let isPolling = false;
let isStopped = false;

/**
 * Resolves with true once a feed may have events after a cursor, and with false when the signal aborts or the service
 * stops.
 */
export function untilBeyond(environmentId: number, cursor: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (isStopped || signal.aborted) return resolve(false);
    const leave = () => {
      waiters.delete(waiter);
      signal.removeEventListener("abort", stop);
    };
    const waiter: Waiter = {
      environmentId,
      place: readPlace(environmentId, cursor),
      end(isBehind) {
        leave();
        resolve(isBehind);
      },
      fail(error) {
        leave();
        reject(error);
      },
    };
    const stop = () => waiter.end(false);
    signal.addEventListener("abort", stop);
    waiters.add(waiter);
    void poll();
  });
}

/** Ends all waits, and allows no more. */
export function stopWaiting() {
  isStopped = true;
  for (const waiter of waiters) waiter.end(false);
}

async function poll() {
  if (isPolling) return;
  isPolling = true;
  for (await sleep(POLL_MS); waiters.size > 0; await sleep(POLL_MS)) {
    const asked = [...waiters];
    try {
      const environments = [...new Set(asked.map(({ environmentId }) => environmentId))];
      const ends = new Map((await read<End>(ENDS, [environments])).map((end) => [end.environment_id, end]));
      for (const waiter of asked) if (isBehind(waiter, ends.get(waiter.environmentId))) waiter.end(true);
    } catch (error) {
      for (const waiter of asked) waiter.fail(error);
    }
  }
  isPolling = false;
}

function isBehind({ place }: Waiter, end: End | undefined): boolean {
  if (!end) return false;
  const { is_current, epoch, xid, id } = end;
  return !is_current || (epoch !== null && isBefore(place, { epoch, xid, id }));
}
