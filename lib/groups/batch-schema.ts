import { z } from "zod";
import { ERRORS, type ErrorCode } from "@/lib/errors";
import { groupMerge, overlapSeconds } from "@/lib/groups/schema";
import { answered } from "@/lib/json/answered";

/** The most user groups of a batch. */
export const MAX_BATCH = 500;
/** The most bytes of a batch's body. */
export const MAX_BATCH_BYTES = 4_194_304;
/** The most batches of a caller that run at the same time in a process. */
export const BATCHES_AT_ONCE = 2;

const mode = z.enum(["create", "update", "merge", "upsert", "delete", "rotate"], {
  error: ({ input }) =>
    input === undefined ? "is required" : "must be one of create, update, merge, upsert, delete and rotate",
});
export type BatchMode = z.infer<typeof mode>;

const described = mode.meta({
  description:
    "What to do with each group. `create`: a group that exists is an error. " +
    "`update`: replaces the given fields, like PUT. `merge`: merges them, like PATCH. " +
    "`upsert`: merges them, and creates the group if there is none. `delete`: deletes it. " +
    "`rotate`: gives it a new token, which the answer does not contain. These two take `user_group_id` alone.",
  examples: ["upsert"],
});
const dry_run = z
  .boolean("must be true or false")
  .optional()
  .describe("If true, reports what would happen and changes nothing.");

const overlap = overlapSeconds.meta({
  description:
    "With `rotate`: how long the replaced tokens stay valid, in seconds: 0 (the default) to 604800, which is 7 days.",
  examples: [3600],
});

/** The members of a batch, without its list. */
export const batchFrame = z
  .strictObject({ mode: described, dry_run, overlap_seconds: overlap, user_groups: z.unknown().optional() })
  .refine(({ mode, overlap_seconds }) => mode === "rotate" || overlap_seconds === undefined, {
    path: ["overlap_seconds"],
    message: "is for the mode rotate",
  });

/** The whole body, as described to callers; the service parses it row by row. */
export const batchRequest = z.strictObject({
  mode: described,
  dry_run,
  overlap_seconds: overlap,
  user_groups: z
    .array(groupMerge)
    .min(1)
    .max(MAX_BATCH)
    .describe(
      "1 to 500 groups. Each is handled on its own; the same id twice is handled in order. " +
        "`access_ends_at` is for `merge` and `upsert`. A group may take up to 256 KiB and 32 levels of nesting.",
    ),
});

/** A group's outcome. */
const outcome = z.enum(["created", "changed", "same", "deleted", "rotated", "error"]);

const issues = z.array(z.strictObject({ path: z.array(z.union([z.string(), z.int()])), message: z.string() }));

const rowError = z.strictObject({
  code: z.enum(Object.keys(ERRORS) as ErrorCode[]).describe("A code from the table of errors."),
  message: z.string(),
  issues: issues.optional(),
});

const result = z.strictObject({
  user_group_id: z.string().nullable().describe("The id as sent; null if it is not a valid one."),
  outcome,
  team_id: z.int().min(1).optional().describe("Our number for the group, unless there is none yet."),
  etag: z
    .string()
    .optional()
    .describe("The version of the group, for `If-Match`; only if the group exists afterwards."),
  previous_token_valid_until: z.iso
    .datetime()
    .optional()
    .describe("Until when the replaced token is valid; only of a rotation with an overlap."),
  error: rowError.optional(),
  warnings: issues
    .optional()
    .describe("Only of a dry run: what the definitions report of a group that is created or changed."),
});
export type BatchResult = z.infer<typeof result>;

/** The answer of a batch: a result for each group, in the order of the request. */
export const batchAnswer = answered({ results: z.array(result) });
