import type { Server } from "node:http";

/** How long requests wait for connections at most, and then for none, in milliseconds: somebody may open them without end. */
const MOST_MS = 25;

/**
 * Has requests wait while connections come in, as Node takes one of those that came at once in each turn of its loop (libuv since
 * 1.45), and a turn lasts as long as what is answered in it. Gives what takes a request's work, and does it when its time has come.
 */
export function behindArrivals(server: Server, mostMs = MOST_MS): (work: () => void) => void {
  /** undefined while no connection comes */
  let waiting: (() => void)[] | undefined;
  let hasOneCome = false;
  let since = 0;
  let restsUntil = 0;
  const endTurn = () => {
    const now = performance.now();
    if (hasOneCome && now - since < mostMs) {
      hasOneCome = false;
      setImmediate(endTurn);
      return;
    }
    if (hasOneCome) restsUntil = now + mostMs;
    const due = waiting ?? [];
    waiting = undefined;
    for (const work of due) work();
  };
  server.on("connection", () => {
    hasOneCome = true;
    if (waiting) return;
    const now = performance.now();
    if (now < restsUntil) return;
    since = now;
    waiting = [];
    setImmediate(endTurn);
  });
  return (work) => {
    if (waiting) waiting.push(work);
    else work();
  };
}
