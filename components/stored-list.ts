import { useSyncExternalStore } from "react";
import { storedText } from "@/components/ui/stored-text";

/** A list that this browser keeps, on all its pages; entries of another shape are left out. */
export function storedList<Item>(key: string, isItem: (value: unknown) => value is Item) {
  const none: Item[] = [];
  const stored = storedText(key);
  // The same text has to be the same list.
  let known: { text: string | null; items: Item[] } = { text: null, items: none };

  function read(): Item[] {
    const text = stored.read();
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
    keep: (items: Item[]) => stored.keep(JSON.stringify(items)),
    useItems: () => useSyncExternalStore(stored.subscribe, read, () => none),
  };
}
