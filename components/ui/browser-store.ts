import { useSyncExternalStore } from "react";

/**
 * A value kept in this browser's local storage for all pages. `parse` gets the stored text, or null if there is none.
 * If storage is blocked or full, nothing is kept.
 */
export function browserStore<Value>(key: string, parse: (text: string | null) => Value) {
  const listeners = new Set<() => void>();
  const none = parse(null);
  // React needs the same value for the same text.
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
      // Storage events reach other pages only.
      for (const listener of listeners) listener();
    },
    useKept: () => useSyncExternalStore(subscribe, read, () => none),
  };
}

/** Parser for {@link browserStore}: one of these values; undefined until one is chosen. */
export function oneOf<Value extends string>(values: readonly Value[]) {
  return (text: string | null) => values.find((value) => value === text);
}

/** Parser for {@link browserStore}: a list, without entries of another shape. */
export function listOf<Item>(isItem: (value: unknown) => value is Item) {
  return (text: string | null): Item[] => {
    const items: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(items) ? items.filter(isItem) : [];
  };
}
