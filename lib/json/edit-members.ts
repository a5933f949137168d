import { itemsOf } from "@/lib/json/exact-json";

// Changes members of a JSON object's text, without white space between tokens: the others keep their bytes and their
// order. An object is read once for all of them: both it and they can be thousands.

/** Removes the members with these names, if they are there. */
export function deleteMembers(object: string, names: ReadonlySet<string>): string {
  const kept = itemsOf(object).filter((member) => !names.has(member.name));
  return `{${kept.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}

/**
 * Renames members, one after the other, and leaves each in its place; `refuse` is called for a name that another
 * member has by then.
 */
export function renameMembers(
  object: string,
  renames: readonly (readonly [name: string, to: string])[],
  refuse: (name: string, to: string) => never,
): string {
  const members = itemsOf(object);
  const byName = new Map(members.map((member) => [member.name, member]));
  for (const [name, to] of renames) {
    const member = byName.get(name);
    if (!member) continue;
    if (byName.has(to)) refuse(name, to);
    byName.delete(name);
    byName.set(to, member);
    member.key = JSON.stringify(to);
  }
  return `{${members.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}
