import { unavailable } from "@/lib/errors";

/**
 * Calls per statement. Larger batches save the database little, and delay new connections: Node accepts one per turn.
 */
export const LARGEST_BATCH = 64;
/** Concurrent statements of a kind; further calls wait to share the next one. */
const MAX_STATEMENTS = 2;
/** Calls that may wait; further ones are refused immediately. */
const MAX_WAITING = 2_000;

interface Waiting<Call, Outcome> {
  call: Call;
  resolve(outcome: Outcome | Promise<Outcome>): void;
  reject(error: unknown): void;
}

/**
 * Makes concurrent calls share statements. At most two run, each with up to half of the callers: the process answers
 * the calls of one while the database runs the other. `run` returns an outcome for each call: an Error is thrown to its
 * caller only, and a promise delays only its caller, not the next statement.
 */
export function sharingStatements<Call, Outcome>(
  largest: number,
  run: (calls: readonly Call[]) => Promise<(Outcome | Error | Promise<Outcome>)[]>,
): (call: Call) => Promise<Outcome> {
  const waiting: Waiting<Call, Outcome>[] = [];
  let statements = 0;
  let underWay = 0;
  let isDue = false;

  const send = async (shared: Waiting<Call, Outcome>[]) => {
    statements++;
    underWay += shared.length;
    try {
      const outcomes = await run(shared.map(({ call }) => call));
      for (const [index, { resolve, reject }] of shared.entries()) {
        const outcome = outcomes[index] as Outcome | Error | Promise<Outcome>;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      for (const { reject } of shared) reject(error);
    }
    statements--;
    underWay -= shared.length;
    schedule();
  };
  const sendWaiting = () => {
    isDue = false;
    while (waiting.length > 0 && statements < MAX_STATEMENTS) {
      const half = Math.ceil((waiting.length + underWay) / MAX_STATEMENTS);
      void send(waiting.splice(0, Math.min(half, largest)));
    }
  };
  /** Includes all calls that arrive in this turn. */
  const schedule = () => {
    if (isDue || waiting.length === 0 || statements === MAX_STATEMENTS) return;
    isDue = true;
    setImmediate(sendWaiting);
  };
  return (call) => {
    if (waiting.length >= MAX_WAITING) throw unavailable("the queue for the database is full");
    return new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      schedule();
    });
  };
}
