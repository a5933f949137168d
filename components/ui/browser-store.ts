import { useSyncExternalStore } from "react";

/**
 * A value that this browser keeps under a key, for all its pages, read from its text; null where there is none. Where
 * storage is refused or full, nothing is kept.
 */
export function browserStore<Value>(key: string, parse: (text: string | null) => Value) {
  const listeners = new Set<() => void>();
  const none = parse(null);
  // The same text has to be the same value.
  let known: { text: string | null; value: Value } = { text: null, value: none };
  function read(): Value {
    try {
      const text = localStorage.getItem(key);
      if (text !== known.text) known = { text, value: parse(text) };
      return known.value;
    } catch {
      return none;
    }
  }
  function subscribe(listener: () => void) {
    listeners.add(listener);
    window.addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("storage", listener);
    };
  }
  return {
    read,
    subscribe,
    keep(value: NonNullable<Value>) {
      try {
        localStorage.setItem(key, typeof value === "string" ? value : JSON.stringify(value));
      } catch {
        return;
      }
      // Storage events reach only other pages.
      for (const listener of listeners) listener();
    },
    useKept: () => useSyncExternalStore(subscribe, read, () => none),
  };
}

/** For {@link browserStore}: one of some values; undefined until one is chosen. */
export function oneOf<Value extends string>(values: readonly Value[]) {
  return (text: string | null) => values.find((value) => value === text);
}

/** For {@link browserStore}: a list; entries of another shape are left out. */
export function listOf<Item>(isItem: (value: unknown) => value is Item) {
  return (text: string | null): Item[] => {
    const items: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(items) ? items.filter(isItem) : [];
  };
}
