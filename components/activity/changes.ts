import { parseTree } from "jsonc-parser";
import type { ActivityState } from "@/lib/audit/schema";

/** One thing that differs: what it was and what it is, as it was spelled; undefined where there was or is none. */
export interface Change {
  /** undefined for the whole of what it is part of */
  key: string | undefined;
  before: string | undefined;
  after: string | undefined;
}

/** What differs of one part of a user group, or of anything else. */
export interface ChangedPart {
  label: string;
  changes: Change[];
  /** nothing but the order of the members differs */
  isOrderOnly: boolean;
}

/** What differs between two states of the same thing, part by part; parts that are alike are left out. */
export function changedParts(before: ActivityState | null, after: ActivityState | null): ChangedPart[] {
  const parts =
    before?.kind === "other" || after?.kind === "other"
      ? [compare("Fields", fieldsOf(before), fieldsOf(after))]
      : groupParts(groupOf(before), groupOf(after));
  return parts.filter(({ changes, isOrderOnly }) => changes.length > 0 || isOrderOnly);
}

type GroupState = Extract<ActivityState, { kind: "group" }>;

function groupParts(before: GroupState | undefined, after: GroupState | undefined): ChangedPart[] {
  const name: Change = { key: undefined, before: before?.name, after: after?.name };
  return [
    { label: "Name", changes: name.before === name.after ? [] : [name], isOrderOnly: false },
    compare("Mapping", before?.mapping, after?.mapping),
    compare("Properties", before?.properties ?? undefined, after?.properties ?? undefined),
  ];
}

/** Compares two JSON objects member by member, by their text: `1.0` and `1.00` differ, as they are kept. */
function compare(label: string, before: string | undefined, after: string | undefined): ChangedPart {
  const [was, is] = [membersOf(before), membersOf(after)];
  const keys = new Set([...was.keys(), ...is.keys()]);
  const changes = [...keys]
    .map((key): Change => ({ key, before: was.get(key), after: is.get(key) }))
    .filter((change) => change.before !== change.after);
  const isEmptied = keys.size === 0 && before !== after;
  // Created or deleted with an empty object: nothing to tell. Between none and an empty one there is.
  if (isEmptied && label === "Properties") changes.push({ key: undefined, before, after });
  const isOrderOnly = changes.length === 0 && [...was.keys()].join() !== [...is.keys()].join();
  return { label, changes, isOrderOnly };
}

/** The members of an object by name, each value as it is spelled. */
function membersOf(text: string | undefined): Map<string, string> {
  const members = (text === undefined ? undefined : parseTree(text)?.children) ?? [];
  return new Map(
    members.flatMap(({ children: [name, value] = [] }): [string, string][] =>
      name && value && text !== undefined
        ? [[String(name.value), text.slice(value.offset, value.offset + value.length)]]
        : [],
    ),
  );
}

function groupOf(state: ActivityState | null): GroupState | undefined {
  return state?.kind === "group" ? state : undefined;
}

function fieldsOf(state: ActivityState | null): string | undefined {
  return state?.kind === "other" ? JSON.stringify(state.fields) : undefined;
}
