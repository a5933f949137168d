"use client";

import { useSyncExternalStore } from "react";

/** One of some values, which this browser keeps for all its pages; undefined until one is chosen. */
export function storedChoice<Value extends string>(key: string, values: readonly Value[]) {
  const listeners = new Set<() => void>();

  function subscribe(listener: () => void) {
    listeners.add(listener);
    window.addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("storage", listener);
    };
  }

  function read(): Value | undefined {
    const kept = localStorage.getItem(key);
    return values.find((value) => value === kept);
  }

  return {
    read,
    choose(value: Value) {
      localStorage.setItem(key, value);
      // Storage events reach only other pages.
      for (const listener of listeners) listener();
    },
    useChoice: () => useSyncExternalStore(subscribe, read, () => undefined),
  };
}
