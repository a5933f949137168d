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
  const [had, has] = [before?.properties ?? undefined, after?.properties ?? undefined];
  const properties = compare("Properties", membersOf(had), membersOf(has));
  // Between no properties and an empty object no member differs, and yet they do.
  if (properties.changes.length === 0 && (had === undefined) !== (has === undefined)) {
    properties.changes.push({ key: undefined, before: had, after: has });
  }
  return [
    { label: "Name", changes: name.before === name.after ? [] : [name], isOrderOnly: false },
    compare("Mapping", membersOf(before?.mapping), membersOf(after?.mapping)),
    properties,
  ];
}

type Members = Map<string, string>;

/** Compares member by member, by the text: `1.0` and `1.00` differ, as they are kept. */
function compare(label: string, was: Members, is: Members): ChangedPart {
  const changes = [...new Set([...was.keys(), ...is.keys()])]
    .map((key): Change => ({ key, before: was.get(key), after: is.get(key) }))
    .filter((change) => change.before !== change.after);
  const isOrderOnly = changes.length === 0 && JSON.stringify([...was.keys()]) !== JSON.stringify([...is.keys()]);
  return { label, changes, isOrderOnly };
}

/** The members of a JSON object by name, each value as it is spelled. */
function membersOf(text = "{}"): Members {
  const properties = parseTree(text)?.children ?? [];
  return new Map(
    properties.flatMap(({ children: [name, value] = [] }): [string, string][] =>
      name && value ? [[String(name.value), text.slice(value.offset, value.offset + value.length)]] : [],
    ),
  );
}

function groupOf(state: ActivityState | null): GroupState | undefined {
  return state?.kind === "group" ? state : undefined;
}

/** The fields of what is no group, those that say something, in words and without quotes. */
function fieldsOf(state: ActivityState | null): Members {
  const fields = state?.kind === "other" ? Object.entries(state.fields) : [];
  return new Map(
    fields
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key.replaceAll("_", " "), typeof value === "string" ? value : JSON.stringify(value)]),
  );
}
