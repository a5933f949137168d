import { z } from "zod";
import { HISTORY_ACTIONS } from "@/lib/audit/actions";
import { entryFields, entryState } from "@/lib/audit/schema";
import { answered, nullableText, text } from "@/lib/json/answered";
import { pageSize, wholeNumber } from "@/lib/json/query-fields";

/** The most events on a page. */
const MAX_EVENTS = 500;
/** The longest wait for an event, in seconds. */
const MAX_WAIT = 30;

const TYPES: ReadonlySet<string> = new Set(HISTORY_ACTIONS.flatMap((action) => [action, `${action.split(".")[0]}.*`]));
/** An action of the history, or all actions with a prefix. */
export const eventType = z
  .string("must be a string")
  .refine(
    (value) => TYPES.has(value),
    "must be an action of the history, such as user_group.updated (/docs lists them), or user_group.*",
  );

/** Why a cursor is refused. */
export const NO_CURSOR = "is not a cursor of this feed: leave it out to start at the oldest event";

/** Query of the feed. */
export const eventsInput = z.strictObject({
  after: z
    .string()
    .max(255, NO_CURSOR)
    .optional()
    .meta({
      description:
        "`next_cursor` of the last answer. Without it the feed starts at the oldest event; `latest` answers a " +
        "cursor for the end.",
      examples: ["latest"],
    }),
  types: z
    .array(eventType)
    .max(20, "must be given at most 20 times")
    .optional()
    .meta({
      description:
        "Only these types, or all with a prefix, as in `user_group.*`; repeat the parameter. Types are the " +
        "actions of `GET /api/user-groups/history`.",
      examples: [["user_group.*"]],
    }),
  limit: pageSize("events", MAX_EVENTS),
  wait: wholeNumber(0, MAX_WAIT)
    .default(0)
    .meta({
      description: `How many seconds to wait for an event if there is none, up to ${MAX_WAIT}; 0 by default.`,
      examples: ["20"],
    }),
  include: z
    .enum(["states"], "must be states")
    .optional()
    .describe("`states`: what was changed, before and after. Needs the scope `groups:read`."),
});
export type EventsQuery = z.infer<typeof eventsInput>;

const { id, at, action, actor, request_id, team_id } = entryFields;
const state = entryState.optional().describe("Only with `include=states`.");

const event = z.strictObject({
  id,
  type: action,
  at: at.meta({ "x-example": "2026-11-26T08:00:00.000Z" }),
  actor,
  request_id,
  data: z.strictObject({
    team_id,
    provided_id: nullableText(undefined, "example_1"),
    name: nullableText(undefined, "Example 1"),
    changed: z.array(z.string()).meta({
      description: "What differs between before and after, such as `properties` or `token`.",
      examples: [["properties"]],
    }),
    before: state,
    after: state,
  }),
});

/** A page of the feed. */
export const eventsAnswer = answered({
  events: z.array(event),
  next_cursor: text("Where to continue: `after` of the next call.", "q7Zl3nQ8Wy…"),
  caught_up: z.boolean().describe("Whether there are no more events now. Before that, a page can be short, or empty."),
});
export type EventsAnswer = z.infer<typeof eventsAnswer>;
