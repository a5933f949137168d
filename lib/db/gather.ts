import DataLoader from "dataloader";
import { unavailable } from "@/lib/errors";

/** Statements of a kind that may be under way before further calls wait to share the next one. */
const IN_FLIGHT = 2;
/** Calls that may wait, before the rest are turned away at once. */
const MAX_WAITING = 2_000;

/**
 * Has concurrent calls share a statement: while two are under way, the next ones gather. A lone call does not wait.
 * `run` gives an outcome for each call; one that is an Error is thrown to its caller alone.
 */
export function gather<Call, Outcome>(
  largest: number,
  run: (calls: readonly Call[]) => Promise<(Outcome | Error)[]>,
): (call: Call) => Promise<Outcome> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  const loader = new DataLoader<Call, Outcome>(
    (calls) => {
      inFlight++;
      const outcomes = run(calls);
      const onEnd = () => {
        inFlight--;
        waiting.shift()?.();
      };
      outcomes.then(onEnd, onEnd);
      return outcomes;
    },
    {
      cache: false,
      maxBatchSize: largest,
      batchScheduleFn: (dispatch) => {
        // Beside another statement, what has arrived by the end of this turn goes along.
        if (inFlight === 0) process.nextTick(dispatch);
        else if (inFlight < IN_FLIGHT) setImmediate(dispatch);
        else waiting.push(dispatch);
      },
    },
  );
  return (call) => {
    if (waiting.length * largest > MAX_WAITING) throw unavailable("the queue for the database is full");
    return loader.load(call);
  };
}
