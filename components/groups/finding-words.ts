import { plainText } from "@/components/groups/condition";
import type { FindingKind, HealthFinding } from "@/lib/definitions/findings-schema";
import { FIXES, type FixVerb } from "@/lib/definitions/fixes";

interface Kind {
  /** follows the name of a property or schema, or stands alone */
  words: string;
  /** for all names together */
  any?: string;
  /** why it matters, where the section does not say */
  hint?: string;
}

const KINDS: Record<FindingKind, Kind> = {
  missing: { words: "is missing" },
  missing_schema: { words: "is missing" },
  wrong_type: { words: "has the wrong type" },
  not_in_enum: { words: "has a value that is not allowed" },
  unknown_data_source: { words: "reads from an unknown data source", any: "Schemas with an unknown data source" },
  data_source_of_other_schema: { words: "reads from a data source of another schema" },
  unknown_property: { words: "is not defined", any: "Properties that are not defined" },
  unknown_schema: { words: "is not defined", any: "Schemas that are not defined" },
  same_name: { words: "Same name as another group", hint: "Ignoring case." },
  look_alike_id: {
    words: "Id looks like another group's",
    hint: "They differ only in letter case, in forms of the same letters, or in invisible characters.",
  },
  unused: { words: "Not used for 90 days", hint: "Created before that, and no renderer has asked since." },
};

const SCHEMA_KINDS = ["missing_schema", "unknown_schema", "unknown_data_source", "data_source_of_other_schema"];

/** The ways to fix a finding. The service has none without a name, or for an empty one. */
export const fixesOf = ({ kind, name }: HealthFinding): readonly FixVerb[] => (name && FIXES[kind]) || [];

/** Why a kind of finding matters, if its section does not say. */
export const hintOf = (kind: FindingKind) => KINDS[kind].hint;

/** What is wrong, to follow the name of the property or schema; a full phrase without one. */
export function wordsOfFinding({ kind, like, message, name }: HealthFinding): string {
  const { words, any = words } = KINDS[kind];
  if (name === null) return any;
  if (like !== null) return `looks like ${like}`;
  // These messages name the type or the values; others say the same as our words.
  return kind === "wrong_type" || kind === "not_in_enum" ? message : words;
}

/**
 * A list condition on a finding, such as `plan:wrong_type`, in words: the member, and what is wrong with it. Undefined
 * for other conditions.
 */
export function wordsOfFilter(filter: string): string[] | undefined {
  const [, written, kind = ""] = /^(?:(.*):)?([a-z_]+)$/s.exec(filter) ?? [];
  if (!Object.hasOwn(KINDS, kind)) return undefined;
  const { words, any = words } = KINDS[kind as FindingKind];
  if (written === undefined) return [any];
  const shown = plainText(written) || '""';
  return [SCHEMA_KINDS.includes(kind) ? `Schema ${shown}` : shown, words];
}
