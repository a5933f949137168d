import { z } from "zod";
import { VALUE_FINDING_KINDS } from "@/lib/definitions/schema";
import { answered, count, nullableText, nullableTime } from "@/lib/json/answered";

// The counted findings of all groups of an environment. Lists can filter by each.

/** Findings about a group as a whole. */
export const GROUP_FINDING_KINDS = ["unused", "same_name", "look_alike_id"] as const;
/** All findings: also those about properties and mapping, by the definitions. */
const FINDING_KINDS = [...VALUE_FINDING_KINDS, ...GROUP_FINDING_KINDS] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** A group is unused if it is at least this old, and has not been used for as long. */
export const UNUSED_DAYS = 90;

/** What a finding is about. Without a name, it is about the group as a whole, or about all undefined names. */
export interface FindingKey {
  kind: FindingKind;
  name: string | null;
}

/** The part of a group that a kind of finding is about; null for the group as a whole. */
export const MEMBERS: Record<FindingKind, "properties" | "mapping" | null> = {
  missing: "properties",
  wrong_type: "properties",
  not_in_enum: "properties",
  unknown_property: "properties",
  missing_schema: "mapping",
  unknown_schema: "mapping",
  unknown_data_source: "mapping",
  data_source_of_other_schema: "mapping",
  unused: null,
  same_name: null,
  look_alike_id: null,
};

/** Kinds about undefined names: there is a finding for each of the most frequent names, and one for all names. */
export const ANY_NAMES = ["unknown_property", "unknown_schema", "unknown_data_source"] as const satisfies FindingKind[];

/** Kinds that a list can filter by without a name. */
export const UNNAMED: readonly FindingKind[] = [...ANY_NAMES, ...GROUP_FINDING_KINDS];

/** A finding as a list's `filter`, such as `plan:missing`, or `unused`. */
export function filterOf({ kind, name }: FindingKey): string {
  if (name === null) return kind;
  return `${/^"|:|^$/.test(name) ? JSON.stringify(name) : name}:${kind}`;
}

const finding = z.strictObject({
  filter: z.string().meta({
    description: "The condition: lists and exports with this `filter` have exactly the groups with the finding.",
    examples: ["plan:missing"],
  }),
  kind: z
    .enum(FINDING_KINDS)
    .describe(
      `\`unused\`: not used for ${UNUSED_DAYS} days, and older than that. ` +
        "`same_name`: another group has the name, " +
        "in any letter case. `look_alike_id`: differs from another id only in letter case, Unicode's " +
        "compatible forms or characters without a glyph. The others are as in `POST /api/viewer`; " +
        "`unknown_property` is also a name that looks misspelled.",
    ),
  member: z
    .enum(["properties", "mapping"])
    .nullable()
    .meta({ description: "Null for findings about the group as a whole.", "x-example": "properties" }),
  name: nullableText("Of the property, or the id of the schema; null for any.", "plan"),
  message: z.string().meta({ examples: ["is required"] }),
  count: count("How many groups had it at `checked_at`.", 120, 1),
  like: nullableText("The defined or much more frequent name that this one resembles.", null),
});
export type HealthFinding = z.infer<typeof finding>;

/** The answer with an environment's findings. */
export const findingsAnswer = answered({
  checked_at: nullableTime(
    "When all groups were last checked; null before the first time.",
    "2026-11-20T08:00:00.000Z",
  ),
  is_current: z
    .boolean()
    .describe(
      "False while the groups are being checked, and until they have been checked against the current definitions.",
    ),
  groups: count("How many groups there were.", 1000),
  definitions_version: count("The version of the definitions that the groups were checked against.", 3).meta({
    "x-example": 1,
  }),
  findings: z.array(finding).describe("The most frequent first, at most 500."),
  days: z
    .array(z.strictObject({ day: z.iso.date().meta({ examples: ["2026-11-20"] }), groups: count(undefined, 120) }))
    .describe("How many groups had problems by the definitions, at the last check of each of the past 90 days."),
});
export type FindingsAnswer = z.infer<typeof findingsAnswer>;
