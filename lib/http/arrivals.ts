import type { Server } from "node:http";

/**
 * The longest that requests wait for connections, and the pause before they wait again, in milliseconds: connections
 * may never stop coming.
 */
const MAX_MS = 25;

/**
 * Delays requests while connections come in: Node accepts one connection per turn of its event loop (libuv since 1.45),
 * and a turn lasts as long as the work in it. Returns a function that takes a request's work, and runs it in its turn.
 */
export function behindArrivals(server: Server, mostMs = MAX_MS): (work: () => void) => void {
  /** undefined while no connections come in */
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
