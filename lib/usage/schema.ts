import { z } from "zod";
import { answered, count, cursorOfPage } from "@/lib/json/answered";
import { MAX_IDS, pageCursor, pageLimit, teamNumbers } from "@/lib/json/query-fields";

/** The most days of one answer: 13 months. */
export const MAX_DAYS = 396;
const MAX_PAGE = 100;

const day = z.iso.date("must be a day, as in 2026-11-20").refine((text) => text >= "2000-01-01", "must be after 1999");

/** The query of the use; without days, it covers the last 30. */
export const usageInput = z
  .strictObject({
    from: day.optional().meta({
      description: "The first day, in UTC. By default 29 days before `to`.",
      examples: ["2026-11-01"],
    }),
    to: day.optional().meta({
      description: `The last day, in UTC, at most ${MAX_DAYS} days in all. By default today.`,
      examples: ["2026-11-30"],
    }),
    by: z
      .enum(["day", "user_group"], "must be day or user_group")
      .default("day")
      .meta({
        description:
          "`day`: totals of each day. `user_group`: the groups that were used, most checks first. At most 60,000 are " +
          "compared for one month, 20,000 for three, 4,600 for thirteen; others are left out.",
        examples: ["user_group"],
      }),
    team_id: teamNumbers.meta({
      description:
        `Only the groups with these numbers, at most ${MAX_IDS}; repeat the parameter. ` +
        "With `by=user_group` they come in the order given, including those that were not used; an unknown number " +
        "is not in the answer.",
      examples: [["3"]],
    }),
    limit: pageLimit(MAX_PAGE)
      .optional()
      .describe(`With \`by=user_group\`: the maximum number of groups per page, 1 to ${MAX_PAGE} (the default).`),
    cursor: pageCursor().describe("With `by=user_group`: `next_cursor` of an earlier answer for the same days."),
  })
  .superRefine(({ by, team_id, ...page }, ctx) => {
    for (const name of ["limit", "cursor"] as const) {
      if (page[name] === undefined || (by === "user_group" && !team_id)) continue;
      const message = `cannot be combined with ${team_id ? "team_id" : "by=day"}`;
      ctx.addIssue({ code: "custom", path: [name], message });
    }
  });
export type UsageQuery = z.infer<typeof usageInput>;

const dates = {
  from: z.iso.date().meta({ examples: ["2026-11-01"] }),
  to: z.iso.date().meta({ examples: ["2026-11-30"] }),
};
const checks = count("Minted viewer tokens, and answers with `active: true` or the reason `incomplete`.", 42);

/** The use by day. */
export const usageByDayAnswer = answered({
  ...dates,
  checks,
  days: z
    .array(z.strictObject({ day: z.iso.date().meta({ examples: ["2026-11-01"] }), checks }))
    .describe("Each day from `from` to `to`."),
});
export type UsageByDay = z.infer<typeof usageByDayAnswer>;

/** The use by group. */
export const usageByGroupAnswer = answered({
  ...dates,
  user_groups: z.array(
    z.strictObject({
      team_id: count(undefined, 3, 1),
      provided_id: z.string().meta({ examples: ["example_1"] }),
      name: z.string().meta({ examples: ["Example 1"] }),
      checks,
      days: z.array(checks).describe("The checks of each day from `from` to `to`."),
      active_viewers: z.array(z.int().min(0)).meta({
        description:
          "Distinct viewers named in minted or checked viewer tokens, for each month (UTC) from `from` to `to`, " +
          "without previews.",
        examples: [[12]],
      }),
    }),
  ),
  next_cursor: cursorOfPage(),
});
export type UsageByGroup = z.infer<typeof usageByGroupAnswer>;
