"use client";

import { useSyncExternalStore } from "react";

/**
 * A list that this browser keeps, on all its pages; entries of another shape are left out. Where storage is refused or
 * full, nothing is kept.
 */
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
    const text = storedText();
    if (text !== known.text) known = { text, items: parse(text) };
    return known.items;
  }

  function storedText(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
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
      try {
        localStorage.setItem(key, JSON.stringify(items));
      } catch {
        return;
      }
      // Storage events reach only other pages.
      for (const listener of listeners) listener();
    },
    useItems: () => useSyncExternalStore(subscribe, read, () => none),
  };
}
