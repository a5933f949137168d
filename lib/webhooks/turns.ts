/** Returns a function that does work when fewer than `most` others of its are being done, in the order of the calls. */
export function waitInTurn(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The next takes over this one's place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
