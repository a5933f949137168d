import { z } from "zod";
import { author } from "@/lib/audit/schema";
import { environmentTag } from "@/lib/environments/schema";
import { groupState } from "@/lib/groups/answer-schema";
import { groupRequest } from "@/lib/groups/schema";
import { answered } from "@/lib/json/answered";
import { LARGEST_NUMBER, pageCursor, pageSize } from "@/lib/json/query-fields";

const id = groupRequest.shape.user_group_id;

/** A group's number in a body. */
export const teamId = z
  .int("must be a whole number: the team_id of an answer")
  .min(1, "must be at least 1")
  .max(LARGEST_NUMBER, `must be at most ${LARGEST_NUMBER}`)
  .meta({ description: "Our number for the group; it is never used again.", examples: [3] });

/** The body of a deletion. */
export const groupDeletion = z
  .strictObject({
    user_group_id: id.optional(),
    current_token: z
      .string("must be a string")
      .min(1, "must not be empty: send the user group's current token")
      .optional()
      .meta({ description: "The user group's current token: in a body only, never in a query.", examples: ["ugt_…"] }),
  })
  .refine((input) => input.user_group_id !== undefined || input.current_token !== undefined, {
    path: ["user_group_id"],
    message: "is required, unless you send current_token",
  });
export type GroupDeletion = z.infer<typeof groupDeletion>;

/** The body of a restoration. */
export const groupRestoration = z.strictObject({
  user_group_id: id,
  team_id: teamId.optional().describe("Which of several deleted groups; by default the most recently deleted."),
  replace: z
    .boolean("must be true or false")
    .optional()
    .describe("Whether to delete the group that has the id now; otherwise the call is a conflict."),
});
export type GroupRestoration = z.infer<typeof groupRestoration>;

/** The body that erases a deleted group. */
export const groupErasure = z.strictObject({ team_id: teamId });

/** The query of the deleted groups. */
export const deletedQuery = z.strictObject({
  user_group_id: id.optional(),
  limit: pageSize("groups", 500),
  cursor: pageCursor(1_024, "is not valid: start at the first page").describe(
    "The `next_cursor` of the previous page; omit it for the first page.",
  ),
});
export type DeletedQuery = z.infer<typeof deletedQuery>;

const time = z.iso.datetime();
const reference = {
  team_id: z.int().meta({ examples: [3] }),
  provided_id: z.string().meta({ examples: ["example_1"] }),
  name: z.string().meta({ examples: ["Example 1"] }),
};

/** The answer of a deletion, and of erasing a group. */
export const doneAnswer = answered({});

const deletedGroup = z.strictObject({
  ...reference,
  state: groupState,
  access_ends_at: time.nullable(),
  api_environment_tag: environmentTag,
  created_at: time.meta({ "x-example": "2026-11-01T08:00:00.000Z" }),
  deleted_at: time,
  deleted_by: author.nullable().meta({
    description: "Who deleted it, from the history.",
    "x-example": { type: "api_token", id: "1", name: "backend" },
  }),
  kept_until: time.meta({ description: "Until when it can be restored.", "x-example": "2026-11-27T08:00:00.000Z" }),
  is_id_taken: z.boolean().meta({ description: "Whether another group has its id now.", "x-example": false }),
});
export type DeletedGroup = z.infer<typeof deletedGroup>;

/** A page of deleted groups, the last deleted first. */
export const deletedListAnswer = answered({ user_groups: z.array(deletedGroup), next_cursor: z.string().nullable() });
export type DeletedList = z.infer<typeof deletedListAnswer>;
