import { performance } from "node:perf_hooks";
import DataLoader from "dataloader";
import { unavailable } from "@/lib/errors";

/** Statements of a kind that may be under way before further calls wait to share the next one. */
const IN_FLIGHT = 2;
/** The share of a statement's time that a busy process was idle at most. */
const HARDLY_IDLE = 0.2;
/** Where so few call, two statements side by side are worth more than one that is shared by all. */
const FEW = 12;
/** How long calls wait for a first statement that takes its time, behind somebody's lock say, in milliseconds. */
const PATIENCE_MS = 5;
/** Calls that may wait, before the rest are turned away at once. */
const MAX_WAITING = 2_000;

/**
 * Has concurrent calls share a statement: while two are under way, the next ones gather. Where many call a busy process sends
 * the second only once it is full: it is work of its own that keeps them, and fewer statements are less of it.
 * A lone call does not wait.
 * `run` gives an outcome for each call; one that is an Error is thrown to its caller alone.
 */
export function gather<Call, Outcome>(
  largest: number,
  run: (calls: readonly Call[]) => Promise<(Outcome | Error)[]>,
): (call: Call) => Promise<Outcome> {
  let inFlight = 0;
  let [waiting, underWay] = [0, 0];
  let isBusy = false;
  const dispatches: (() => void)[] = [];
  const isSecondDue = () => waiting >= largest || waiting + underWay <= FEW || !isBusy;
  const maySend = () => inFlight === 0 || (inFlight < IN_FLIGHT && isSecondDue());
  const sendWaiting = () => {
    while (dispatches.length > 0 && maySend()) dispatches.shift()?.();
  };
  const loader = new DataLoader<Call, Outcome>(
    (calls) => {
      inFlight++;
      waiting -= calls.length;
      underWay += calls.length;
      const [start, idle] = [performance.now(), performance.nodeTiming.idleTime];
      const outcomes = run(calls);
      const onEnd = () => {
        inFlight--;
        underWay -= calls.length;
        isBusy = performance.nodeTiming.idleTime - idle < HARDLY_IDLE * (performance.now() - start);
        sendWaiting();
      };
      outcomes.then(onEnd, onEnd);
      return outcomes;
    },
    {
      cache: false,
      maxBatchSize: largest,
      batchScheduleFn: (dispatch) => {
        if (inFlight === 0) return process.nextTick(dispatch);
        dispatches.push(dispatch);
        setTimeout(() => {
          if (!dispatches.includes(dispatch)) return;
          isBusy = false;
          sendWaiting();
        }, PATIENCE_MS);
      },
    },
  );
  return (call) => {
    if (waiting > MAX_WAITING) throw unavailable("the queue for the database is full");
    const outcome = loader.load(call);
    waiting++;
    // What has arrived by the end of this turn goes along.
    if (inFlight > 0 && (waiting === 1 || waiting === largest) && maySend()) setImmediate(sendWaiting);
    return outcome;
  };
}
