import type { ActivityState } from "@/lib/audit/queries";
import type { Group } from "@/lib/groups/queries";
import { isCollision, memberVersions, mergeMembers } from "@/lib/json/merge-members";
import { type RawJson, rawJson } from "@/lib/json/raw-json";

export type GroupEntryState = Extract<ActivityState, { kind: "group" }>;
type Now = Pick<Group, "name" | "mapping" | "properties">;

/** What an undo sends, and what it leaves alone because it has changed since. */
interface FormerFields {
  fields: { name?: string; mapping?: RawJson; properties?: RawJson };
  changedSince: string[];
}

/**
 * The fields that undo a group's change. A part that has not changed since gets its exact former text; in any other,
 * only the members that the change touched are reset.
 */
export function formerFields(before: GroupEntryState, after: GroupEntryState, now: Now): FormerFields {
  const fields: FormerFields["fields"] = {};
  const changedSince: string[] = [];
  // What already has its former value needs nothing.
  if (before.name !== after.name && now.name !== before.name) {
    if (now.name === after.name) fields.name = before.name;
    else changedSince.push("name");
  }
  for (const part of ["mapping", "properties"] as const) {
    if (before[part] === after[part] || now[part] === before[part]) continue;
    const textOf = (state: Now) => state[part] ?? "null";
    const versions = { base: textOf(after), mine: textOf(before), theirs: textOf(now) };
    const changed = memberVersions(versions).filter(isCollision);
    if (changed.length > 0) changedSince.push(...changed.map(({ name }) => name));
    else {
      const merged = mergeMembers(versions);
      if (merged !== versions.theirs) fields[part] = rawJson(merged);
    }
  }
  return { fields, changedSince };
}
