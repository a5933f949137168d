import { itemsOf } from "@/lib/json/exact-json";

// Changes members of a JSON object's text, which has no white space between tokens. The others keep their bytes and
// order. The object is parsed once for all changes: it can have thousands of members, and there can be as many changes.

/** Removes the members with these names, if present. */
export function deleteMembers(object: string, names: ReadonlySet<string>): string {
  const kept = itemsOf(object).filter((member) => !names.has(member.name));
  return `{${kept.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}

/**
 * Renames members at the same time, leaving each in its place: JSON.parse loses the order of integer names. Calls
 * `refuse` for a name that another member keeps or gets.
 */
export function renameMembers(
  object: string,
  renames: readonly (readonly [name: string, to: string])[],
  refuse: (name: string, to: string) => never,
): string {
  const members = itemsOf(object);
  const wanted = new Map(renames);
  const taken = new Set(members.map(({ name }) => name).filter((name) => !wanted.has(name)));
  for (const member of members) {
    const to = wanted.get(member.name);
    if (to === undefined) continue;
    if (taken.has(to)) refuse(member.name, to);
    taken.add(to);
    member.key = JSON.stringify(to);
  }
  return `{${members.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}
