import { z } from "zod";
import { nested } from "@/lib/json/nested";
import { pageLimit } from "@/lib/json/query-fields";

// What two environments have in common: "here" is the caller's, "there" the one that is named.

/** The settings that are compared and copied, each as a whole; webhooks are parts of their own. */
export const SETTING_PARTS = [
  "definitions",
  "embed_template",
  "allowed_origins",
  "claim_templates",
  "viewer_tokens",
] as const;
export type SettingPart = (typeof SETTING_PARTS)[number];

/** An invalid one becomes a slug that no environment has. */
const slug = z
  .string("must be a slug")
  .regex(/^[a-z][a-z0-9-]*$/)
  .catch("-");

/** The query of a comparison. */
export const comparisonInput = z.strictObject({ with: slug });

const part = z.strictObject({
  /** a setting, or `webhook:` with the id of the webhook here, or of one that is only there */
  name: z.string().regex(/^(?:[a-z_]+|webhook:[1-9]\d{0,9})$/, "must be the name of a compared part"),
  /** of what was compared */
  tag: z.string("must be the tag of a compared part"),
});

/** The body that copies parts from here. */
export const copyInput = z.strictObject({
  to: slug,
  parts: nested(
    z
      .array(part, "must be a list of compared parts")
      .min(1, "must have at least one part")
      .max(50, "must have at most 50 parts"),
  ),
});
export type CopyInput = z.infer<typeof copyInput>;

/** The answer to a copy: webhooks that are new there, with their secrets, which are shown only once. */
export const copyAnswer = z.strictObject({
  success: z.literal(1),
  webhooks: z.array(z.strictObject({ id: z.int(), url: z.string(), secret: z.string() })),
});
export type CopyAnswer = z.infer<typeof copyAnswer>;

/** How a group differs between two environments. */
const GROUP_KINDS = ["only_here", "only_there", "differing"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** Members of groups that are compared. */
const GROUP_MEMBERS = ["name", "mapping", "properties", "state"] as const;
export type GroupMember = (typeof GROUP_MEMBERS)[number];

const cursor = z.string().max(2_048, "is not a cursor of this comparison: start at the beginning").optional();

/** The query of a page of differing groups. */
export const groupComparisonInput = comparisonInput.extend({
  show: z.enum(["all", ...GROUP_KINDS], `must be all, ${GROUP_KINDS.join(", ")}`).default("all"),
  limit: pageLimit(100).default(50),
  cursor,
});
export type GroupComparisonInput = z.infer<typeof groupComparisonInput>;

/** The query of a part of the counts. */
export const groupCountsInput = comparisonInput.extend({ cursor });

/** The numbers of groups up to a place; they add up over the parts. */
export const groupCounts = z.strictObject({
  success: z.literal(1),
  same: z.int(),
  only_here: z.int(),
  only_there: z.int(),
  differing: z.int(),
  /** null at the end */
  next_cursor: z.string().nullable(),
});
export type GroupCounts = z.infer<typeof groupCounts>;
