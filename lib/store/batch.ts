import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { setImmediate as endOfTurn } from "node:timers/promises";
import DataLoader from "dataloader";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/once";
import { unavailable } from "@/lib/errors";

/**
 * Calls that share a statement. More would save the database little; and while the answers of so many look-ups are written
 * no connection is taken, one a turn of the loop.
 */
export const LARGEST_BATCH = 64;
/** Statements of a kind that may be under way before further calls wait to share the next one. */
const MOST_STATEMENTS = 2;
/** The share of a statement's time that a busy process was idle at most. */
const HARDLY_IDLE = 0.2;
/** Where so few call, two statements side by side are worth more than one that is shared by all. */
const FEW = 12;
/** How long calls wait beside a statement that takes its time, behind somebody's lock say, in milliseconds. */
const PATIENCE_MS = 5;
/** How long the process stays awake for a lone call, in milliseconds: a database on the same machine has answered by then. */
const AWAKE_MS = 0.3;
/** Whether the database has a core left while each process of ours is awake. */
const isCoreLeft = once(() => env().WORKERS < availableParallelism());
/** Calls that may wait, before the rest are turned away at once. */
const MAX_WAITING = 2_000;

/**
 * Batches concurrent calls into statements: beside one that is in flight they gather, beside two they wait. A lone call, where
 * calls were lone before it, does neither. A batch holds at most a quarter, a half or all of `largest`, whichever is the least of
 * which two hold as many as called lately: the process answers those of one statement while the database has the other.
 * `run` gives an outcome for each call; one that is an Error is thrown to its caller alone, one that is a promise its caller alone
 * waits for, and the next statement does not.
 */
export function batch<Call, Outcome>(
  largest: number,
  run: (calls: readonly Call[]) => Promise<(Outcome | Error | Promise<Outcome>)[]>,
): (call: Call) => Promise<Outcome> {
  /** The calls of each statement under way, in the order in which they were sent. */
  const statements = new Set<readonly Call[]>();
  let underWay = 0;
  let waiting = 0;
  /** The most who called at once, with each statement one fewer. */
  let callers = 0;
  let wasShared = false;
  let isLoneDue = false;
  let isBusy = false;
  let lastLoneTook = 0;
  let timer: NodeJS.Timeout | undefined;
  const batches: (() => void)[] = [];

  // A process that was busy all through a statement gains by fewer of them: then the second one goes when it is full.
  const isSecondDue = () => waiting >= loader.size || callers <= FEW || !isBusy;
  const maySend = () => statements.size === 0 || (statements.size < MOST_STATEMENTS && isSecondDue());
  const sendWaiting = () => {
    while (batches.length > 0 && maySend()) batches.shift()?.();
    watch();
  };
  /** Sees to it that nobody waits long while there is room for another statement. */
  const watch = () => {
    if (batches.length === 0 || statements.size === MOST_STATEMENTS) {
      clearTimeout(timer);
      timer = undefined;
    } else {
      timer ??= setTimeout(() => {
        timer = undefined;
        batches.shift()?.();
        watch();
      }, PATIENCE_MS);
    }
  };

  /** Busy polling: keeps the event loop from sleeping while lone calls alone are in flight, as to be woken takes as long as such a call the database. */
  const stayAwake = (until: number) => {
    if (statements.size > 0 && statements.size === underWay && performance.now() < until)
      setImmediate(stayAwake, until);
  };

  const send = (calls: readonly Call[]) => {
    waiting -= calls.length;
    const isShared = calls.length > 1;
    wasShared = isShared;
    const start = performance.now();
    // To ask costs more than it tells of a lone call: it comes where there is time, and a full process soon shares again.
    const idle = isShared ? performance.nodeTiming.idleTime : 0;
    const outcomes = run(calls);
    statements.add(calls);
    underWay += calls.length;
    if (!isShared && lastLoneTook < AWAKE_MS && isCoreLeft()) setImmediate(stayAwake, start + AWAKE_MS);
    /** whether it ended before one that was sent before it */
    let isEarly = false;
    const onEnd = () => {
      isEarly = statements.values().next().value !== calls;
      callers = Math.max(waiting + underWay, callers - 1);
      loader = smaller.find(({ size }) => callers <= MOST_STATEMENTS * size) ?? whole;
      statements.delete(calls);
      underWay -= calls.length;
      const took = performance.now() - start;
      if (!isShared) lastLoneTook = took;
      isBusy = isShared && performance.nodeTiming.idleTime - idle < HARDLY_IDLE * took;
      sendWaiting();
    };
    outcomes.then(onEnd, onEnd);
    // A busy process finds the rows of both at once, in either order: who asked first is answered first, so that all wait for as long.
    return isShared ? outcomes.then((all) => (isEarly ? endOfTurn(all) : all)) : outcomes;
  };

  const isLone = () => statements.size === 0 && !wasShared;
  const loaderOf = (size: number) => {
    const loader = new DataLoader<Call, Outcome | Promise<Outcome>>(send, {
      cache: false,
      maxBatchSize: size,
      batchScheduleFn: (dispatch) => {
        if (isLone() && !isLoneDue) {
          isLoneDue = true;
          return process.nextTick(() => {
            isLoneDue = false;
            dispatch();
          });
        }
        batches.push(dispatch);
        watch();
      },
    });
    // A promise of a promise comes to the same.
    return { size, load: (call: Call) => loader.load(call) as Promise<Outcome> };
  };
  const whole = loaderOf(largest);
  const smaller = [largest / 4, largest / 2].map((size) => loaderOf(Math.ceil(size)));
  let loader = smaller[0] ?? whole;
  return (call) => {
    if (waiting > MAX_WAITING) throw unavailable("the queue for the database is full");
    const outcome = loader.load(call);
    waiting++;
    // What has arrived by the end of this turn goes along.
    if (!isLone() && (waiting === 1 || waiting === loader.size) && maySend()) setImmediate(sendWaiting);
    return outcome;
  };
}
