"use client";

import { useSyncExternalStore } from "react";

/** A list that this browser keeps, on all its pages; entries of another shape are left out. */
export function storedList<Item>(key: string, isItem: (value: unknown) => value is Item) {
  const none: Item[] = [];
  const listeners = new Set<() => void>();
  // The same text has to be the same list.
  let known: { text: string | null; items: Item[] } = { text: null, items: none };

  function subscribe(listener: () => void) {
    listeners.add(listener);
    window.addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("storage", listener);
    };
  }

  function read(): Item[] {
    const text = localStorage.getItem(key);
    if (text !== known.text) known = { text, items: parse(text) };
    return known.items;
  }

  function parse(text: string | null): Item[] {
    try {
      const items: unknown = JSON.parse(text ?? "[]");
      return Array.isArray(items) ? items.filter(isItem) : none;
    } catch {
      return none;
    }
  }

  return {
    read,
    keep(items: Item[]) {
      localStorage.setItem(key, JSON.stringify(items));
      // Storage events reach only other pages.
      for (const listener of listeners) listener();
    },
    useItems: () => useSyncExternalStore(subscribe, read, () => none),
  };
}
