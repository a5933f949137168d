const held = new Set<number>();

/**
 * Has Node keep its list of the timers of this length, in milliseconds. It drops a list with its last timer and makes it anew for
 * the next: where each request has the only one, that costs time, and what hangs on such timers outlives small collections (Node 20).
 */
export function holdTimersOf(length: number) {
  if (held.has(length)) return;
  held.add(length);
  setInterval(() => undefined, length).unref();
}
