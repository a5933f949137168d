import { parseTree } from "jsonc-parser";
import { roleName } from "@/components/roles";
import type { ActivityState } from "@/lib/audit/queries";
import { stringIn } from "@/lib/json/exact-value";
import { excerpt } from "@/lib/json/excerpt";

/** The most characters of a value in words. */
const MAX_LENGTH = 24;

/** One difference. Values are as spelled, undefined if absent. */
export interface Change {
  /** undefined if the whole part changed */
  key: string | undefined;
  before: string | undefined;
  after: string | undefined;
}

/** The differences in one part, such as the mapping. */
export interface ChangedPart {
  label: string;
  changes: Change[];
  /** only the order of the keys differs */
  isOrderOnly: boolean;
}

/** The differences between two states, part by part; equal parts are left out. */
export function changedParts(before: ActivityState | null, after: ActivityState | null): ChangedPart[] {
  const parts =
    before?.kind === "other" || after?.kind === "other"
      ? [compare("Fields", fieldsOf(before), fieldsOf(after))]
      : groupParts(groupOf(before), groupOf(after));
  return parts.filter(({ changes, isOrderOnly }) => changes.length > 0 || isOrderOnly);
}

/** A text without its quotes, anything else as spelled; cut if it is long. */
export function inWords(literal: string): string {
  return cut(stringIn(literal) ?? literal);
}

export function cut(text: string): string {
  return text === "" ? '""' : excerpt(text, MAX_LENGTH);
}

/**
 * The sides of a change in words, or as spelled if only quotes distinguish them: "5" and 5. Truncate afterwards, as
 * long texts may begin alike.
 */
export function wordsOfSides(words: (literal: string) => string, ...sides: (string | undefined)[]) {
  const worded = sides.map((side) => (side === undefined ? undefined : words(side)));
  return new Set(worded).size < sides.length ? sides : worded;
}

/** A JSON string without its quotes where nothing is lost. */
export function plain(json: string): string {
  return /^"[^"\\]+"$/.test(json) ? json.slice(1, -1) : json;
}

type GroupState = Extract<ActivityState, { kind: "group" }>;

function groupParts(before: GroupState | undefined, after: GroupState | undefined): ChangedPart[] {
  const [had, has] = [before?.properties ?? undefined, after?.properties ?? undefined];
  const properties = compare("Properties", membersOf(had), membersOf(has));
  // null and {} have no differing keys, yet they differ.
  if (properties.changes.length === 0 && (had === undefined) !== (has === undefined)) {
    properties.changes.push({ key: undefined, before: had, after: has });
  }
  return [
    ...(before?.providedId && after?.providedId ? [whole("Id", before.providedId, after.providedId)] : []),
    whole("Name", before?.name, after?.name),
    compare("Mapping", membersOf(before?.mapping), membersOf(after?.mapping)),
    properties,
    whole("Access ends", before?.accessEndsAt, after?.accessEndsAt),
  ];
}

function whole(label: string, before: string | undefined, after: string | undefined): ChangedPart {
  return { label, changes: before === after ? [] : [{ key: undefined, before, after }], isOrderOnly: false };
}

export type Members = Map<string, string>;

/** Compares values by spelling: `1.0` and `1.00` differ. */
export function compare(label: string, was: Members, is: Members): ChangedPart {
  const changes = [...new Set([...was.keys(), ...is.keys()])]
    .map((key): Change => ({ key, before: was.get(key), after: is.get(key) }))
    .filter((change) => change.before !== change.after);
  const isOrderOnly = changes.length === 0 && JSON.stringify([...was.keys()]) !== JSON.stringify([...is.keys()]);
  return { label, changes, isOrderOnly };
}

/** A JSON object's values by key, as spelled. */
export function membersOf(text = "{}"): Members {
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

/** The non-null fields of any other subject, without quotes; members of `settings` as separate fields. */
function fieldsOf(state: ActivityState | null): Members {
  const { settings, ...others } = state?.kind === "other" ? state.fields : {};
  const fields = Object.entries({ ...others, ...(typeof settings === "object" && settings) });
  return new Map(
    fields
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [
        key.replaceAll("_", " "),
        (key === "role" && roleName(value)) || (typeof value === "string" ? value : JSON.stringify(value)),
      ]),
  );
}
