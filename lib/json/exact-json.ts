// Reads valid JSON, such as our answers in the browser: JSON.parse would reorder keys and respell numbers.

import { canonicalScalar, stringIn } from "@/lib/json/exact-value";
import { endOfString, endOfValue, skipSpace } from "@/lib/json/scan";

/** A member's place in a JSON object; a list's items have neither key nor name. */
interface Item {
  /** as it is spelt, in quotes */
  key: string;
  /** parsed */
  name: string;
  text: string;
}

/** The items of a JSON object or list, as spelt. */
export function itemsOf(text: string): Item[] {
  const items: Item[] = [];
  const open = skipSpace(text, 0);
  const isObject = text[open] === "{";
  if (!isObject && text[open] !== "[") return items;
  for (let at = skipSpace(text, open + 1); text[at] !== "}" && text[at] !== "]"; at = skipSpace(text, at + 1)) {
    let [key, name] = ["", ""];
    if (isObject) {
      const end = endOfString(text, at);
      key = text.slice(at, end);
      name = stringIn(key) ?? "";
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = endOfValue(text, at, true);
    items.push({ key, name, text: text.slice(at, end).trimEnd() });
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

/** Whether two JSON texts have equal values, regardless of spelling and of the order of members. */
export function isSameValue(one: string, other: string): boolean {
  if (one === other) return true;
  if (one[0] !== other[0] || (one[0] !== "[" && one[0] !== "{")) return canonicalScalar(one) === canonicalScalar(other);
  const [items, others] = [placed(one), new Map(placed(other))];
  return (
    items.length === others.size &&
    items.every(([place, text]) => {
      const found = others.get(place);
      return found !== undefined && isSameValue(text, found);
    })
  );
}

/** The items of an object by name, or of a list by index. */
function placed(objectOrList: string): [place: string | number, text: string][] {
  const isObject = objectOrList[0] === "{";
  return itemsOf(objectOrList).map(({ name, text }, n) => [isObject ? name : n, text]);
}

/** Parses a JSON object, but keeps the members of these names as text. */
export function parseKeeping(object: string, names: string[]): Record<string, unknown> {
  return Object.fromEntries(
    memberTexts(object).map(([name, value]) => [name, names.includes(name) ? value : JSON.parse(value)]),
  );
}
