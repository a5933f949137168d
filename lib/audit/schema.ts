import { z } from "zod";

const WANTED_TIME = "must be a time, as in 2026-11-20T08:00:00Z";
const time = z.iso
  .datetime({ offset: true, error: WANTED_TIME })
  .transform((text) => new Date(text))
  // Stays within PostgreSQL's range.
  .refine((date) => date.getUTCFullYear() >= 1, WANTED_TIME)
  .transform((date) => date.toISOString());
const number = (what: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be the number of ${what}`)
    .transform(Number);

/** Query of the history, newest first; `cursor` comes from an earlier answer. */
export const activityQuery = z
  .strictObject({
    /** this environment's entries and those without one, such as members'; or all entries */
    scope: z.enum(["environment", "all"]).default("environment"),
    /** id of the acting member */
    member: z.string().max(255).optional(),
    /** id of the API token */
    apiToken: number("an API token").optional(),
    action: z.string().max(100).optional(),
    teamId: number("a user group").optional(),
    from: time.optional(),
    to: time.optional(),
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, "is not a history cursor")
      .optional(),
    limit: z.coerce
      .number("must be a number")
      .int("must be a whole number")
      .min(1, "must be at least 1")
      .max(100, "must be at most 100")
      .default(50),
  })
  .refine(({ member, apiToken }) => member === undefined || apiToken === undefined, {
    path: ["apiToken"],
    message: "cannot be combined with member",
  });
export type ActivityQuery = z.infer<typeof activityQuery>;

/** A state before or after: a group with mapping and properties as JSON text, or any other object's few fields. */
const state = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("group"),
    /** null for an import row without one */
    providedId: z.string().nullable(),
    name: z.string(),
    mapping: z.string(),
    properties: z.string().nullable(),
    accessEndsAt: z.string().nullish(),
  }),
  z.strictObject({ kind: z.literal("other"), fields: z.record(z.string(), z.unknown()) }),
]);
export type ActivityState = z.infer<typeof state>;

const activityEntry = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  action: z.string(),
  actorType: z.enum(["api_token", "member", "operator", "visitor"]),
  /** a member's or an API token's; null for the operator, and for a visitor, named by address */
  actorId: z.string().nullable(),
  actorName: z.string(),
  requestId: z.string().nullable(),
  teamId: z.int().nullable(),
  /** the current group, or its last known state once deleted */
  group: z.strictObject({ providedId: z.string().nullable(), name: z.string(), exists: z.boolean() }).nullable(),
  /** slug; null for entries without one, or after its deletion */
  environment: z.string().nullable(),
  before: state.nullable(),
  after: state.nullable(),
  /** whether the group's token has changed since */
  tokenChanged: z.boolean(),
});
export type ActivityEntry = z.infer<typeof activityEntry>;

export const activity = z.strictObject({
  success: z.literal(1),
  entries: z.array(activityEntry),
  nextCursor: z.string().nullable(),
});
export type Activity = z.infer<typeof activity>;

/** The filter options of the history. */
export const activityActors = z.strictObject({
  success: z.literal(1),
  members: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  apiTokens: z.array(z.strictObject({ id: z.int(), name: z.string(), environment: z.string() })),
  actions: z.array(z.string()),
});
export type ActivityActors = z.infer<typeof activityActors>;
