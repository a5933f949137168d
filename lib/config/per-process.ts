/** Makes a value on first use, and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * A value that all copies of a module in this process share. Under Next alone there are several: it bundles routes and
 * instrumentation.ts separately.
 */
export function perProcess<T>(name: string, make: () => T): T {
  const here = globalThis as Record<symbol, unknown>;
  const key = Symbol.for(`user-group-service ${name}`);
  here[key] ??= make();
  return here[key] as T;
}

/** Reads a value by its key once for all concurrent callers in this process. */
export function sharing<T>(name: string, read: (key: number) => Promise<T>): (key: number) => Promise<T> {
  const reading = perProcess(name, () => new Map<number, Promise<T>>());
  return (key) => {
    const shared = reading.get(key) ?? read(key).finally(() => reading.delete(key));
    reading.set(key, shared);
    return shared;
  };
}
