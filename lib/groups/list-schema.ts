import { z } from "zod";
import { groupState, listedFields, previousToken } from "@/lib/groups/answer-schema";
import { FilterFault, readFilter } from "@/lib/groups/filter";
import { groupRequest } from "@/lib/groups/schema";
import { answered, cursorOfPage, nullableTime } from "@/lib/json/answered";
import { idList, MAX_IDS, pageCursor, pageSize, queryTime, teamNumbers } from "@/lib/json/query-fields";

// The list of user groups: its query, its answer, and its export.

const MAX_FILTERS = 10;
const CONTROL = /[\p{Cc}\p{Bidi_Control}]/u;

const filter = z
  .string()
  .max(1_000, "must have at most 1000 characters")
  .transform((text, ctx) => {
    try {
      return readFilter(text);
    } catch (error) {
      if (!(error instanceof FilterFault)) throw error;
      ctx.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });

/** Sort orders; a minus sign reverses the order. */
const groupSort = z.enum(
  ["team_id", "-team_id", "name", "-name", "user_group_id", "-user_group_id", "updated_at", "-updated_at"],
  "must be team_id, name, user_group_id or updated_at, with a minus sign to reverse it",
);
export type GroupSort = z.infer<typeof groupSort>;

/** The conditions of a list or an export. */
const selection = {
  search: z
    .string()
    .trim()
    .max(255, "must have at most 255 characters")
    .refine((value) => !CONTROL.test(value), "must not contain control characters")
    .default("")
    .meta({
      description:
        "A part of the name or of the id, in any letter case. One or two ASCII characters match the beginning only.",
      examples: ["acme"],
    }),
  filter: z
    .array(filter)
    .max(MAX_FILTERS, `must be given at most ${MAX_FILTERS} times`)
    .default([])
    .meta({
      description:
        "A condition on a top-level property, `property:op:JSON value`; repeat the parameter for more, all of " +
        "which must hold. `is` equals the value, `not` means different or missing, `contains` finds part of a text " +
        "(case-sensitive), and `gt` and `lt` compare numbers, or texts byte by byte. Each finding of " +
        "`GET /api/definitions/findings` is a condition too: `plan:missing` (absent or null), " +
        "`seats:wrong_type`, `40:unknown_data_source`, `unused`. The property ends before the first " +
        "`:op:`; one that contains this, or begins with a double quote, is written as a JSON string, as in " +
        '`"a:is:b":is:1`.',
      examples: [['plan:is:"pro"', "seats:gt:10"]],
    }),
  state: z
    .enum(["active", "suspended", "ended"], "must be active, suspended or ended")
    .optional()
    .meta({ description: "Only groups in this state.", examples: ["suspended"] }),
  used: z
    .string()
    .regex(
      /^(?:(?:(?:not-)?within|idle)-[1-9]\d{0,3}d|never|)$/,
      "must be within-30d, not-within-30d, idle-30d (any number of days) or never",
    )
    .default("")
    .meta({
      description:
        "When the group was last used: `within-30d` for the last 30 days (any number up to 9999), " +
        "`not-within-30d`, `never`, or `idle-30d` for neither: used, but not within 30 days.",
      examples: ["not-within-90d"],
    }),
  updated_since: queryTime.optional().meta({
    description: "Only groups with `updated_at` at this time (RFC 3339) or later.",
    examples: ["2026-11-20T08:00:00Z"],
  }),
};

/** The query of a list. */
export const groupListInput = z
  .strictObject({
    user_group_id: idList(groupRequest.shape.user_group_id).meta({
      description:
        `Exactly the groups with these ids, at most ${MAX_IDS}; repeat the parameter. An unknown id is not in ` +
        "the answer.",
      examples: [["example_1", "example_2"]],
    }),
    team_id: teamNumbers.meta({
      description: `Exactly the groups with these numbers, at most ${MAX_IDS}; repeat the parameter.`,
      examples: [["3"]],
    }),
    ...selection,
    sort: groupSort.default("team_id").meta({
      description:
        "The order; a minus sign reverses it. With `team_id` a walk through all pages shows each group that " +
        "exists the whole time exactly once; other orders can repeat or skip groups that change during the " +
        "walk.",
      examples: ["team_id"],
    }),
    limit: pageSize("groups", 500),
    cursor: pageCursor(4_096).describe("`next_cursor` or `previous_cursor` of an earlier answer in the same order."),
  })
  .superRefine(({ user_group_id, team_id, sort, ...asked }, ctx) => {
    const named = user_group_id ? "user_group_id" : team_id ? "team_id" : undefined;
    if (!named) return;
    const others = [
      ...(user_group_id && team_id ? ["team_id"] : []),
      ...(sort === "team_id" ? [] : ["sort"]),
      ...(["search", "filter", "state", "used", "updated_since"] as const).filter((name) => asked[name]?.length),
    ];
    for (const name of others)
      ctx.addIssue({ code: "custom", path: [name], message: `cannot be combined with ${named}` });
  });
/** The conditions of a list, an export or a change of many groups. */
export const groupSelection = z.strictObject(selection);
export type GroupListQuery = z.infer<typeof groupListInput>;
export type GroupSelection = Pick<GroupListQuery, keyof typeof selection>;

/** The query of an export. */
export const groupExport = z.strictObject({
  format: z
    .enum(["csv", "jsonl"], "must be csv or jsonl")
    .meta({ description: "`jsonl` for programs, `csv` for spreadsheets. An import reads both.", examples: ["jsonl"] }),
  ...selection,
});
export type GroupExport = z.infer<typeof groupExport>;

const at = (description: string) => z.iso.datetime().meta({ description, examples: ["2026-11-20T08:00:00.000Z"] });

const listedGroup = z.strictObject({
  ...listedFields,
  state: groupState,
  created_at: at("When the group was created."),
  updated_at: at("When the group's fields or state last changed, or it was restored. A rotation leaves it."),
  rotated_at: at("When the token was last replaced; first when the group was created."),
  token_last_used_at: nullableTime("When its token or a viewer token was last used, to the minute; null if never."),
  token_first_used_at: nullableTime(
    "When a renderer first asked about the current token; null if never since it was issued.",
  ),
  previous_token: previousToken,
  etag: z.string().meta({ description: "For `If-Match`.", examples: ['"3-1"'] }),
});

/** A page of groups. */
export const groupListAnswer = answered({
  user_groups: z.array(listedGroup),
  next_cursor: cursorOfPage(
    "The cursor of the next page; null on the last one. A page can be short, or empty, although there is a next one: " +
      "4 MiB of mappings and properties end it, and so does looking through many groups that do not match.",
  ),
  previous_cursor: cursorOfPage("The cursor of the previous page."),
  total: z.int().meta({ description: "How many groups match.", examples: [1] }),
  total_is_exact: z.boolean().describe("False when `total` is an estimate."),
});
export type GroupListAnswer = z.infer<typeof groupListAnswer>;
