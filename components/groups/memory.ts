import { useSyncExternalStore } from "react";

/** A state per environment, shared by all pages until a reload. */
export function memory<Value>() {
  const values = new Map<string, Value>();
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    read: (slug: string) => values.get(slug),
    keep(slug: string, value: Value) {
      values.set(slug, value);
      for (const listener of listeners) listener();
    },
    /** @param initial the value until one is kept */
    useValue(slug: string, initial: Value): Value {
      const read = () => (values.has(slug) ? (values.get(slug) as Value) : initial);
      return useSyncExternalStore(subscribe, read, () => initial);
    },
  };
}
