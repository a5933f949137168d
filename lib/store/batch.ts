import { unavailable } from "@/lib/errors";

/**
 * Calls that share a statement. More would save the database little; and while the answers of so many look-ups are written
 * no connection is taken, one a turn of the loop.
 */
export const LARGEST_BATCH = 64;
/** Statements of a kind that may be under way before further calls wait to share the next one. */
const MOST_STATEMENTS = 2;
/** Calls that may wait, before the rest are turned away at once. */
const MAX_WAITING = 2_000;

interface Waiting<Call, Outcome> {
  call: Call;
  resolve(outcome: Outcome | Promise<Outcome>): void;
  reject(error: unknown): void;
}

/**
 * Has calls that come at once share statements. Two are under way at most, and each takes up to half of those who call: the process
 * answers the calls of one while the database has the other. `run` gives an outcome for each call; one that is an Error is thrown to
 * its caller alone, one that is a promise its caller alone waits for, and the next statement does not.
 */
export function batch<Call, Outcome>(
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
    while (waiting.length > 0 && statements < MOST_STATEMENTS) {
      const half = Math.ceil((waiting.length + underWay) / MOST_STATEMENTS);
      void send(waiting.splice(0, Math.min(half, largest)));
    }
  };
  /** What has arrived by the end of this turn goes along. */
  const schedule = () => {
    if (isDue || waiting.length === 0 || statements === MOST_STATEMENTS) return;
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
