import { itemsOf, memberTexts } from "@/lib/json/exact-json";

/**
 * Applies a JSON merge patch (RFC 7396) to the text of a JSON document. Members that the patch does not name keep their
 * bytes and their order, new ones are appended, and nulls remove. Both texts are valid JSON without white space between
 * tokens. A `shallow` patch replaces the values of its members whole.
 */
export function mergePatch(target: string, patch: string, { shallow = false } = {}): string {
  if (patch[0] !== "{") return patch;
  const changes = new Map(itemsOf(patch).map((change) => [change.name, change]));
  const merged: string[] = [];
  for (const { key, name, text } of target[0] === "{" ? itemsOf(target) : []) {
    const change = changes.get(name);
    changes.delete(name);
    if (!change) merged.push(`${key}:${text}`);
    else if (change.text !== "null") merged.push(`${key}:${shallow ? change.text : mergePatch(text, change.text)}`);
  }
  for (const { key, text } of changes.values()) {
    if (text !== "null") merged.push(`${key}:${shallow ? text : mergePatch("{}", text)}`);
  }
  return `{${merged.join(",")}}`;
}

/**
 * The merge patch that turns one object's text into exactly the other; undefined if there is none, such as for null
 * values or another order.
 */
export function patchBetween(was: string, wanted: string): string | undefined {
  const before = new Map(memberTexts(was));
  const after = itemsOf(wanted);
  const kept = new Set(after.map(({ name }) => name));
  const changed = after.filter(({ name, text }) => before.get(name) !== text).map(({ key, text }) => `${key}:${text}`);
  const removed = [...before.keys()].filter((name) => !kept.has(name)).map((name) => `${JSON.stringify(name)}:null`);
  const patch = `{${[...changed, ...removed].join(",")}}`;
  return mergePatch(was, patch) === wanted ? patch : undefined;
}
