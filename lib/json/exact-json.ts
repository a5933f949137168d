// Reads our answers in the browser: JSON.parse would reorder keys and respell numbers of mapping and properties.

/** A string, or one character of JSON's structure. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** The items of a JSON object or list, as their texts; `name` is a member's, parsed. */
function itemsOf(text: string): { name: string; text: string }[] {
  const items: { name: string; text: string }[] = [];
  let depth = 0;
  let start = 0;
  let name = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === ":" && depth === 1) {
      name = JSON.parse(text.slice(start, index));
      start = index + 1;
    } else if (depth === 1 && (token === "," || token === "}" || token === "]")) {
      const item = text.slice(start, index).trim();
      if (item !== "") items.push({ name, text: item });
      start = index + 1;
    }
    if (token === "{" || token === "[") {
      if (depth === 0) start = index + 1;
      depth++;
    } else if (token === "}" || token === "]") depth--;
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
