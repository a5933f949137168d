import { z } from "zod";
import { VALUE_FINDING_KINDS } from "@/lib/definitions/schema";
import { environmentTag } from "@/lib/environments/schema";
import { answered, count, nullableTime } from "@/lib/json/answered";
import { RawJson } from "@/lib/json/raw-json";

const named = {
  team_id: count("Our number for the group.", 3, 1),
  provided_id: z.string().meta({ description: "The `user_group_id` you sent.", examples: ["example_1"] }),
  name: z.string().meta({ examples: ["Example 1"] }),
};
const group = {
  team_id: named.team_id,
  token: z
    .string()
    .regex(/^ugt_/)
    .meta({
      description: "The user group token: `ugt_` and 49 letters and digits. Anyone who has it can view as the group.",
      examples: ["ugt_…"],
    }),
  name: named.name,
  provided_id: named.provided_id,
};
const object = z
  .custom<RawJson>((value) => value instanceof RawJson)
  .meta({ type: "object", additionalProperties: true });
const properties = object
  .nullable()
  .meta({ description: "The properties exactly as given, or null.", examples: [{ filterValue: "value" }, null] });
const mapping = object.meta({ description: "The mapping exactly as given.", examples: [{ 40: "213", 134: "386" }] });
const api_environment_tag = environmentTag.describe("The tag of the API token's environment.");

/** The answer of get-or-create. */
export const foundAnswer = answered({
  new_user_group: z.boolean().describe("Whether this call created the group."),
  user_group: z.strictObject({ ...group, properties }),
});
export type FoundAnswer = z.infer<typeof foundAnswer>;

/** The answer of an upsert. */
export const upsertedAnswer = answered({
  new_user_group: z.boolean().describe("Whether this call created the group."),
  changed: z.boolean().describe("Whether this call created or changed the group."),
  user_group: z.strictObject({ ...group, properties }),
});

/** The answer of an update. */
export const updatedAnswer = answered({ user_group: z.strictObject({ ...group, properties, api_environment_tag }) });
export type UpdatedAnswer = z.infer<typeof updatedAnswer>;

const valid_until = z.iso.datetime().meta({
  description: "When the token stops being valid.",
  examples: ["2026-11-20T09:00:00.000Z"],
});

/** The answer of a rotation. */
export const rotatedAnswer = answered({
  user_group: z.strictObject({ ...group, api_environment_tag }),
  previous_token_valid_until: valid_until
    .optional()
    .describe("Until when the replaced token is valid; only with an overlap."),
});
export type RotatedAnswer = z.infer<typeof rotatedAnswer>;

/** The answer to the end of an overlap. */
export const overlapEndedAnswer = answered({
  overlap_ended: z.boolean().describe("Whether this call ended an overlap; false if none was running."),
  user_group: z.strictObject({ ...named, api_environment_tag }),
});
export type OverlapEndedAnswer = z.infer<typeof overlapEndedAnswer>;

/** The token before the current one, in a list; never the token itself. */
export const previousToken = z
  .strictObject({
    valid_until,
    last_used_at: nullableTime(
      "When it was last used; until the rotation, uses of viewer tokens count too. Null if never.",
    ),
  })
  .nullable()
  .meta({
    description: "The token before the current one, while the overlap of their rotation is running; else null.",
    examples: [null],
  });

/** A group's state in every answer that has one. */
export const groupState = z
  .enum(["active", "suspended", "ended"])
  .describe("`suspended` until it is resumed; otherwise `ended` from `access_ends_at` on.");
const access_ends_at = nullableTime("When the group's access ends; null for never.");

/** The fields of a group in a list: everything stored except its token. */
export const listedFields = { ...named, mapping, properties, access_ends_at, api_environment_tag };

/** The answer of suspending or resuming a group. */
export const stateAnswer = answered({
  user_group: z.strictObject({ ...named, state: groupState, access_ends_at, api_environment_tag }),
});

/** A group's problems in an answer. */
const issues = z
  .array(z.strictObject({ path: z.array(z.string()), kind: z.enum(VALUE_FINDING_KINDS), message: z.string() }))
  .optional()
  .describe("The group's problems by the definitions; absent where these are off.");

/** The answer of a restoration; problems never prevent one. */
export const restoredGroupAnswer = stateAnswer.extend({ issues });
export type RestoredGroupAnswer = z.infer<typeof restoredGroupAnswer>;

/** Why a token of ours must not be served. */
export const INACTIVE_REASONS = ["suspended", "ended", "expired", "revoked", "incomplete"] as const;

/** The answer to a renderer: the group with this token, or only that the token is inactive (as in RFC 7662). */
export const viewerAnswer = z.discriminatedUnion("active", [
  answered({
    active: z
      .literal(true)
      .describe("The token is valid: a group's current token in this environment, or its previous one in an overlap."),
    token_state: z
      .literal("previous")
      .optional()
      .describe("The token was replaced, and is valid for the rest of an overlap; absent for a current one."),
    valid_until: valid_until
      .optional()
      .describe("When the previous token stops being valid; absent for a current one."),
    user_group: z.strictObject({ ...named, mapping, properties, api_environment_tag }),
    allowed_origins: z
      .array(z.string())
      .optional()
      .describe("Where the dashboard may be embedded, to enforce; absent for anywhere."),
    variables: object.optional().meta({
      description: "The properties, with the defaults of the environment's definitions; absent where these are off.",
      examples: [{ plan: "pro" }],
    }),
    issues,
    viewer_token: z
      .strictObject({
        viewer: z
          .union([z.string(), object])
          .nullable()
          .meta({
            description: "The claim `viewer`, if it has one: an id, or an object with it.",
            examples: ["user_42", null],
          }),
        content: z
          .custom<RawJson>((value) => value instanceof RawJson)
          .meta({ type: "array", items: { type: "string" } })
          .optional()
          .meta({
            description: "The claim `content`: what may be shown, to enforce; absent for everything.",
            examples: [["sales"]],
          }),
        variables: object.meta({ description: "The claim `variables`.", examples: [{ plan: "pro" }] }),
        preview: z.boolean().describe("Whether one of your members views as the group."),
        expires_at: z.iso.datetime(),
      })
      .optional()
      .describe("Only for a viewer token: what it says."),
  }),
  answered({
    active: z.literal(false).describe("The token must not be served, for any reason."),
    reason: z
      .enum(INACTIVE_REASONS)
      .optional()
      .describe(
        "Why a group's token, or a viewer token that we signed, must not be served; absent for any other token. " +
          "`expired` and `revoked` are for viewer tokens, `incomplete` for `strict` questions.",
      ),
  }),
]);
export type ViewerAnswer = z.infer<typeof viewerAnswer>;
