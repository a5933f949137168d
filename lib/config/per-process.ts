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
