import { z } from "zod";
import { FINDING_KINDS } from "@/lib/definitions/schema";

// What is found in all groups of an environment, counted.

/** What can be found: what one group lacks, and what shows only among all of them. */
const HEALTH_KINDS = [...FINDING_KINDS, ...(["near_duplicate", "unused", "same_name"] as const)] as const;
export type HealthKind = (typeof HEALTH_KINDS)[number];

/** A group that nobody has used for so many days, and that is as old, is unused. */
export const UNUSED_DAYS = 90;

/** What a finding is about; member and name are empty for the group as a whole. */
export interface FindingKey {
  kind: HealthKind;
  member: "properties" | "mapping" | "";
  name: string;
}

const MEMBERS: Record<HealthKind, FindingKey["member"]> = {
  missing: "properties",
  wrong_type: "properties",
  not_in_enum: "properties",
  unknown_property: "properties",
  missing_schema: "mapping",
  unknown_schema: "mapping",
  unknown_data_source: "mapping",
  data_source_of_other_schema: "mapping",
  near_duplicate: "properties",
  unused: "",
  same_name: "",
};
/** Kinds of names that groups choose: without one, they are about all names beyond the first ones. */
export const ANY_NAMES: ReadonlySet<HealthKind> = new Set([
  ...(["unknown_property", "unknown_schema", "unknown_data_source", "near_duplicate"] as const),
]);

/** A finding's id: its kind, or `kind.member.name`. */
export function findingId({ kind, member, name }: FindingKey): string {
  return member === "" ? kind : `${kind}.${member}.${name}`;
}

/** What an id means; undefined for one that no finding can have. */
export function readFindingId(id: string): FindingKey | undefined {
  const [, kindText, member = "", name = ""] = /^([a-z_]+)(?:\.([a-z]+)\.(.*))?$/s.exec(id) ?? [];
  const kind = HEALTH_KINDS.find((one) => one === kindText);
  if (!kind) return undefined;
  if (member === "") return MEMBERS[kind] === "" || ANY_NAMES.has(kind) ? { kind, member, name } : undefined;
  return member === MEMBERS[kind] ? { kind, member: MEMBERS[kind], name } : undefined;
}

/** The id of a finding, in a query or a body. */
export const findingIdInput = z
  .string("must be a string")
  .max(1_000, "must have at most 1000 characters")
  .refine(
    (id) => readFindingId(id) !== undefined && !id.includes("\0") && id.isWellFormed(),
    "must be the id of a finding, such as unused or missing.properties.plan",
  );

const finding = z.strictObject({
  id: z.string().meta({
    description: "For the parameter `finding` of lists and exports.",
    examples: ["missing.properties.plan"],
  }),
  kind: z.enum(HEALTH_KINDS).meta({
    description: `\`near_duplicate\`: a property's name that differs from a defined or much more frequent one only by case, separators or one letter. \`unused\`: not used for ${UNUSED_DAYS} days, and older than that. \`same_name\`: as another group's, whatever its letter case. The others are as in the answer for a viewer.`,
  }),
  member: z
    .enum(["properties", "mapping"])
    .nullable()
    .meta({ description: "Null for findings of the group as a whole." }),
  name: z
    .string()
    .nullable()
    .meta({ description: "Of the property, or the id of the schema.", examples: ["plan"] }),
  message: z.string().meta({ examples: ["is required"] }),
  count: z
    .int()
    .min(1)
    .meta({ description: "How many groups have it.", examples: [120] }),
  like: z
    .string()
    .nullable()
    .meta({ description: "The name that a near duplicate resembles.", examples: [null] }),
});
export type HealthFinding = z.infer<typeof finding>;

/** The answer with an environment's findings. */
export const findingsAnswer = z.strictObject({
  success: z.literal(1),
  checked_at: z.iso
    .datetime()
    .nullable()
    .meta({
      description: "When groups were last checked; null before the first time.",
      examples: ["2026-11-20T08:00:00.000Z"],
    }),
  is_current: z
    .boolean()
    .meta({ description: "False while a change of groups or definitions is not in the findings yet." }),
  groups: z
    .int()
    .min(0)
    .meta({ description: "How many groups there are.", examples: [1000] }),
  definitions_version: z
    .int()
    .min(0)
    .meta({ description: "Of the definitions that the groups were checked against.", examples: [3] }),
  findings: z.array(finding).meta({ description: "The most frequent first, at most 500." }),
});
export type FindingsAnswer = z.infer<typeof findingsAnswer>;
