// Reads valid JSON, such as our answers in the browser: JSON.parse would reorder keys and respell numbers.

import { stringIn } from "@/lib/json/exact-value";
import { endOfString, endOfValue, skipSpace } from "@/lib/json/scan";

/** The items of a JSON object or list, as their texts; `name` is a member's, parsed. */
function itemsOf(text: string): { name: string; text: string }[] {
  const items: { name: string; text: string }[] = [];
  const open = skipSpace(text, 0);
  const isObject = text[open] === "{";
  if (!isObject && text[open] !== "[") return items;
  for (let at = skipSpace(text, open + 1); text[at] !== "}" && text[at] !== "]"; at = skipSpace(text, at + 1)) {
    let name = "";
    if (isObject) {
      const end = endOfString(text, at);
      name = stringIn(text.slice(at, end)) ?? "";
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = endOfValue(text, at, true);
    items.push({ name, text: text.slice(at, end).trimEnd() });
    at = end;
    if (text[at] !== ",") break;
  }
  return items;
}

/** The members of a JSON object, each value as its text. */
export function memberTexts(object: string): [name: string, value: string][] {
  return itemsOf(object).map(({ name, text }) => [name, text]);
}

/** The elements of a JSON list, as their texts. */
export function elementTexts(list: string): string[] {
  return itemsOf(list).map(({ text }) => text);
}

/** Parses a JSON object, but keeps the members of these names as text. */
export function parseKeeping(object: string, names: string[]): Record<string, unknown> {
  return Object.fromEntries(
    memberTexts(object).map(([name, value]) => [name, names.includes(name) ? value : JSON.parse(value)]),
  );
}
