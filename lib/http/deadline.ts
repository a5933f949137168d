import { unavailable } from "@/lib/errors";

/** How long a request may work once it has been read, in milliseconds; clients are promised an answer within 2 s. */
const DEADLINE_MS = 1_700;
/** How often it is looked for those that are over. */
const SWEEP_MS = 100;

interface Pending {
  since: number;
  reject(error: unknown): void;
}

/**
 * Requests that work, each in a slot of its own, and the slots that are free. A timer for each costs more; and tables that
 * grow by what they hold, as those of a Set, keep finished requests alive for the collector.
 */
const pending: (Pending | undefined)[] = [];
const free: number[] = [];
let sweeping: NodeJS.Timeout | undefined;

/**
 * Does the work within the time that a request has.
 * @throws {AppError} `unavailable` when that is over
 */
export function within<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const slot = free.pop() ?? pending.length;
    pending[slot] = { since: performance.now(), reject };
    sweeping ??= setInterval(sweep, SWEEP_MS).unref();
    const leave = () => {
      pending[slot] = undefined;
      free.push(slot);
    };
    work().then(
      (value) => {
        leave();
        resolve(value);
      },
      (error: unknown) => {
        leave();
        reject(error);
      },
    );
  });
}

function sweep() {
  const oldest = performance.now() - DEADLINE_MS;
  for (const one of pending) {
    if (one && one.since < oldest) one.reject(unavailable("the deadline of the request passed"));
  }
  if (free.length < pending.length) return;
  clearInterval(sweeping);
  sweeping = undefined;
}
