import type { HealthFinding, HealthKind } from "@/lib/definitions/findings-schema";
import { FIXES, type FixVerb } from "@/lib/definitions/fixes";

interface Kind {
  /** after the name of a property or schema, else alone */
  words: string;
  /** of the names beyond the most frequent, taken together */
  others?: string;
  /** why it matters, where the section does not say */
  hint?: string;
}

export type FixKind = "set" | "rename" | "remove";
/** In the order in which they are offered. */
const VERBS: readonly [FixKind, FixVerb][] = [
  ["set", "set"],
  ["rename", "rename_to"],
  ["remove", "remove"],
];

const KINDS: Record<HealthKind, Kind> = {
  missing: { words: "is missing" },
  missing_schema: { words: "is missing" },
  wrong_type: { words: "has another type" },
  not_in_enum: { words: "has a value that is not allowed" },
  unknown_data_source: {
    words: "has an unknown data source",
    others: "Other schemas with an unknown data source",
  },
  data_source_of_other_schema: { words: "has a data source of another schema" },
  unknown_property: {
    words: "is not defined",
    others: "Other properties that are not defined",
  },
  unknown_schema: {
    words: "is not defined",
    others: "Other schemas that are not defined",
  },
  near_duplicate: {
    words: "looks misspelled",
    others: "Other properties that look misspelled",
  },
  same_name: { words: "Same name as another group", hint: "Letter case apart." },
  unused: { words: "Not used for 90 days", hint: "Created before that, and no renderer has asked since." },
};

/** The parts of the page, in order. */
export const SECTIONS: { title: string; hint: string; kinds: HealthKind[] }[] = [
  {
    title: "Missing",
    hint: "Required by the definitions. Dashboards and SQL get nothing in its place.",
    kinds: ["missing", "missing_schema"],
  },
  {
    title: "Not allowed",
    hint: "There is a value, but none that the definitions allow.",
    kinds: ["wrong_type", "not_in_enum", "unknown_data_source", "data_source_of_other_schema"],
  },
  {
    title: "Not defined or misspelled",
    hint: "Dashboards look for another name, and find nothing under it.",
    kinds: ["near_duplicate", "unknown_property", "unknown_schema"],
  },
  {
    title: "Worth a look",
    hint: "Nothing is wrong with these groups themselves.",
    kinds: ["same_name", "unused"],
  },
];

/** The ways to mend a finding. */
export function fixesOf({ kind, name }: HealthFinding): FixKind[] {
  // The service has none for a property without a name.
  const allowed = (name && FIXES[kind]) || [];
  return VERBS.flatMap(([fix, verb]) => (allowed.includes(verb) ? [fix] : []));
}

/** Why a kind of finding matters, where its section does not say. */
export const hintOf = (kind: HealthKind) => KINDS[kind].hint;

/** What is wrong, after the name of the property or schema; without one, alone. */
export function wordsOfFinding({ kind, like, message, name }: HealthFinding): string {
  const { words, others = words } = KINDS[kind];
  if (name === null) return others;
  if (kind === "near_duplicate") return like === null ? words : `looks like ${like}`;
  return kind === "missing" || kind === "missing_schema" ? words : message;
}

/** A finding's id, such as `missing.properties.plan`, in words: of what, and what it is. */
export function wordsOfId(id: string): string[] {
  const [, kind = "", member, name = ""] = /^(\w+)(?:\.(properties|mapping)\.(.*))?$/s.exec(id) ?? [];
  if (!Object.hasOwn(KINDS, kind)) return ["Finding", id];
  const { words, others = words } = KINDS[kind as HealthKind];
  if (member === undefined) return [others];
  const shown = name === "" ? '""' : name;
  return [member === "mapping" ? `Schema ${shown}` : shown, words];
}
