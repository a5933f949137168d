import { z } from "zod";
import { HISTORY_ACTIONS } from "@/lib/audit/actions";
import { answered, cursorOfPage, nullableCount, nullableText, nullableTime } from "@/lib/json/answered";
import { pageCursor, pageSize, queryTime, rowNumber } from "@/lib/json/query-fields";

/** The most entries on a page. */
const MAX_ENTRIES = 200;

/** The filters of the history. */
const selection = {
  user_group_id: z
    .string()
    .max(1_024, "is not an id")
    .optional()
    .meta({
      description:
        "Only entries of the group that has this id or had it recently, or of the last restorable deleted group " +
        "with it. Empty if there is none.",
      examples: ["example_1"],
    }),
  team_id: rowNumber
    .optional()
    .meta({ description: "Only entries of the group with this number, deleted or not.", examples: ["3"] }),
  member: z.string().max(255).optional().describe("Only changes by the member with this id."),
  api_token: rowNumber
    .optional()
    .meta({ description: "Only changes by the API token with this number.", examples: ["1"] }),
  action: z
    .array(z.enum(HISTORY_ACTIONS, "must be an action of the history, such as user_group.updated: /docs lists them"))
    .max(20, "must be given at most 20 times")
    .optional()
    .meta({
      description: "Only these actions; repeat the parameter.",
      examples: [["user_group.created", "user_group.token_rotated"]],
    }),
  from: queryTime.optional().describe("Only entries from this time on (RFC 3339)."),
  to: queryTime.optional().describe("Only entries up to this time (RFC 3339)."),
  scope: z
    .enum(["environment", "all"], "must be environment or all")
    .default("environment")
    .meta({
      description:
        "`environment`: this environment's entries. For members, in the dashboard, those without an " +
        "environment too, and all environments' with `all`.",
      examples: ["environment"],
    }),
};

/** Query of the history, newest first. */
export const historyInput = z
  .strictObject({
    ...selection,
    cursor: pageCursor(255, "is not a cursor of this history: start at the first page").describe(
      "`next_cursor` of an earlier answer.",
    ),
    limit: pageSize("entries", MAX_ENTRIES, 50),
  })
  .superRefine(chooseOnce);
export type HistoryQuery = z.infer<typeof historyInput>;

/** Query of the counts of the history. */
export const historyCountsInput = z.strictObject(selection).superRefine(chooseOnce);
export type HistorySelection = z.infer<typeof historyCountsInput>;

/** Query of the history's export. */
export const historyExportInput = z
  .strictObject({
    format: z
      .enum(["csv", "jsonl"], "must be csv or jsonl")
      .meta({ description: "`jsonl` for programs, `csv` for spreadsheets.", examples: ["jsonl"] }),
    ...selection,
  })
  .superRefine(chooseOnce);
export type HistoryExport = z.infer<typeof historyExportInput>;

/** Refuses a query that names the actor, or the group, in two ways. */
function chooseOnce(input: { [name: string]: unknown }, context: z.core.$RefinementCtx) {
  for (const [name, other] of [
    ["api_token", "member"],
    ["team_id", "user_group_id"],
  ] as const) {
    if (input[name] === undefined || input[other] === undefined) continue;
    context.addIssue({ code: "custom", path: [name], message: `cannot be combined with ${other}` });
  }
}

/**
 * Any object's fields as the history stores them; a user group's are `provided_id`, `name`, `mapping` and `properties`.
 */
export const entryState = z
  .custom<object>((value) => typeof value === "object" && value !== null)
  .meta({ type: "object", additionalProperties: true })
  .nullable();

/** The author of an action that a visitor cannot take. */
export const author = z.strictObject({
  type: z.enum(["api_token", "member", "operator"]),
  id: z.string().nullable(),
  name: z.string(),
});

/** The fields of an entry that the history and the feed share. */
export const entryFields = {
  id: z.string().meta({ examples: ["4711"] }),
  at: z.iso.datetime().meta({ examples: ["2026-11-20T08:00:00.000Z"] }),
  action: z.string().meta({ description: "What was done.", examples: ["user_group.updated"] }),
  actor: z
    .strictObject({
      type: z.enum(["api_token", "member", "operator", "visitor"]),
      id: z
        .string()
        .nullable()
        .describe("A member's or an API token's; null for the operator, and for a visitor, named by address."),
      name: z.string(),
    })
    .meta({ description: "Who did it.", examples: [{ type: "api_token", id: "1", name: "backend" }] }),
  request_id: nullableText(undefined, "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55"),
  team_id: nullableCount("The group's number, if it is about a group.", 3),
};

const historyEntry = z.strictObject({
  ...entryFields,
  action: entryFields.action.meta({ "x-example": "user_group.created" }),
  user_group: z
    .strictObject({ provided_id: z.string().nullable(), name: z.string(), exists: z.boolean() })
    .nullable()
    .meta({
      description: "The group as it is now, or as it last was if it is deleted.",
      examples: [{ provided_id: "example_1", name: "Example 1", exists: true }],
    }),
  environment: nullableText("The environment's slug.", "testing"),
  before: entryState.meta({ description: "What it was before; null if there was nothing.", examples: [null] }),
  after: entryState.meta({
    description: "What it was after; null if there was nothing.",
    examples: [null],
    "x-example": { provided_id: "example_1", name: "Example 1", mapping: {}, properties: null },
  }),
  token_changed: z.boolean().meta({ description: "Whether it replaced the group's token.", "x-example": false }),
});

/** A page of the history. */
export const historyAnswer = answered({
  entries: z.array(historyEntry),
  next_cursor: cursorOfPage("The cursor of the next page; null on the last one. A page ends early at 4 MiB of states."),
});
export type HistoryAnswer = z.infer<typeof historyAnswer>;

/** Entries per hour. */
export const historyCounts = answered({
  since: nullableTime(
    "All entries from this time on are counted; null if all that match are. Only the newest 50,000 are counted.",
  ),
  hours: z.array(z.strictObject({ at: z.iso.datetime(), entries: z.int().min(1) })).meta({
    description: "The hours in UTC that have entries, the newest first.",
    examples: [[{ at: "2026-11-20T08:00:00.000Z", entries: 12 }]],
  }),
});
export type HistoryCounts = z.infer<typeof historyCounts>;

/** The filter options of the history. */
export const activityActors = answered({
  members: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  apiTokens: z.array(z.strictObject({ id: z.int(), name: z.string(), environment: z.string() })),
  actions: z.array(z.string()),
});
export type ActivityActors = z.infer<typeof activityActors>;
