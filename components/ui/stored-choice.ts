import { useSyncExternalStore } from "react";
import { storedText } from "@/components/ui/stored-text";

/** One of some values, which this browser keeps for all its pages; undefined until one is chosen. */
export function storedChoice<Value extends string>(key: string, values: readonly Value[]) {
  const stored = storedText(key);

  function read(): Value | undefined {
    const kept = stored.read();
    return values.find((value) => value === kept);
  }

  return {
    read,
    subscribe: stored.subscribe,
    choose: (value: Value) => stored.keep(value),
    useChoice: () => useSyncExternalStore(stored.subscribe, read, () => undefined),
  };
}
