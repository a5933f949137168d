const HOLDER = Symbol.for("user-group-service");

/**
 * One value for the whole process, made when first asked for.
 * server.ts and Next's bundles each carry their own copy of a module; the pool and the keys must still be one.
 */
export function processWide<T>(name: string, make: () => T): T {
  const holder = globalThis as { [HOLDER]?: Map<string, unknown> };
  holder[HOLDER] ??= new Map();
  const values = holder[HOLDER];
  if (!values.has(name)) values.set(name, make());
  return values.get(name) as T;
}
