import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work may hold the event loop before other requests get a turn. */
const TURN_MS = 1;

/** Returns a function that yields to the event loop at most once per millisecond. */
export function turns(): () => Promise<void> | undefined {
  let until = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < until) return undefined;
    return nextTurn().then(() => {
      until = performance.now() + TURN_MS;
    });
  };
}
