import { memberTexts } from "@/lib/json/exact-json";

/** A member that differs between two JSON objects; the text of a value is undefined where there is none. */
export interface Difference {
  path: string[];
  before: string | undefined;
  after: string | undefined;
}

/**
 * The members in which two JSON texts differ, at any depth of objects. Numbers are compared exactly, lists as a whole;
 * the order of members does not matter.
 */
export function differencesOf(before: string, after: string, path: string[] = []): Difference[] {
  if (before === after) return [];
  if (before[0] !== "{" || after[0] !== "{") return [{ path, before, after }];
  const [was, is] = [new Map(memberTexts(before)), new Map(memberTexts(after))];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [old, value] = [was.get(name), is.get(name)];
    const inside = [...path, name];
    if (old === undefined || value === undefined) return [{ path: inside, before: old, after: value }];
    return differencesOf(old, value, inside);
  });
}
