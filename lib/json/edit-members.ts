import { itemsOf } from "@/lib/json/exact-json";

// Changes members of a JSON object's text, which has no white space between tokens. The others keep their bytes and
// order. The object is parsed once for all changes: it can have thousands of members, and there can be as many changes.

/** Removes the members with these names, if present. */
export function deleteMembers(object: string, names: ReadonlySet<string>): string {
  const kept = itemsOf(object).filter((member) => !names.has(member.name));
  return `{${kept.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}

/**
 * Renames members, one after the other, leaving each in its place; calls `refuse` for a name that another member has
 * by then.
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
