import { z } from "zod";
import { groupRequest } from "@/lib/groups/schema";
import { answered } from "@/lib/json/answered";
import { DEFAULT_LIFE } from "@/lib/viewer-tokens/claims";
import { templateName } from "@/lib/viewer-tokens/settings-schema";

const { user_group_id, mapping } = groupRequest.shape;

/** The longest life of a viewer token, in seconds. */
export const MAX_LIFE = 86_400;
const LIFE = "must be a whole number of seconds, 60 to 86400";

/** The body that mints a viewer token. */
export const mintRequest = z
  .strictObject({
    user_group_id: user_group_id.optional(),
    token: z
      .string("must be a string")
      .min(1, "must not be empty: send the user group's current token")
      .optional()
      .meta({ description: "The user group's current token, in place of its id.", examples: ["ugt_…"] }),
    viewer: user_group_id.optional().meta({
      description: "Your name for the person who views, such as a user id: anyone with the page can read it.",
      examples: ["user_42"],
    }),
    expires_in: z
      .int(LIFE)
      .min(60, LIFE)
      .max(MAX_LIFE, LIFE)
      .default(DEFAULT_LIFE)
      .meta({
        description: "Seconds until it expires, 60 to 86400; at most until the group's access ends.",
        examples: [DEFAULT_LIFE],
      }),
    audience: user_group_id.optional().meta({
      description: "The claim `aud`. By default the template's, the environment's, or else the issuer.",
      examples: ["https://dashboards.example.com"],
    }),
    variables: mapping
      .unwrap()
      .optional()
      .meta({
        description:
          "Members to add to the claim `variables`. They must not have the name of a property, of the group or " +
          "defined, unless the environment's definitions call it `overridable`.",
        examples: [{ page: "overview" }],
      }),
    template: templateName.optional().meta({
      description: "A claim template of the environment: adds its claims, and signs with its key.",
      examples: ["cube"],
    }),
    typ: z
      .enum(["viewer+jwt", "JWT"], "must be viewer+jwt or JWT")
      .optional()
      .meta({
        description:
          "The header `typ`, `viewer+jwt` by default. `JWT` is for a verifier that accepts no other; " +
          "`POST /api/viewer` and our verifiers refuse such a token, so it ends when it expires, or where that " +
          "verifier polls revocations.",
        examples: ["JWT"],
      }),
  })
  .refine(({ template, typ }) => template === undefined || typ === undefined, {
    path: ["typ"],
    message: "must not be sent with template, whose tokens have typ JWT",
  })
  .refine((input) => (input.user_group_id === undefined) !== (input.token === undefined), {
    path: ["user_group_id"],
    message: "must be sent, or token in its place, but not both",
  });
export type MintRequest = z.infer<typeof mintRequest>;

/** The answer with a viewer token. */
export const mintedAnswer = answered({
  viewer_token: z.string().meta({ description: "A JWT, signed with ES256.", examples: ["eyJ…"] }),
  expires_at: z.iso.datetime(),
});

/** The body of "View as". */
export const viewAsRequest = z.strictObject({ user_group_id });

/** The body that ends all views of a group. */
export const endViewsRequest = z.strictObject({ user_group_id });

const team_id = z.int().meta({ description: "Our number for the group.", examples: [3] });
const gen = z
  .int()
  .meta({ description: "The generation: viewer tokens of the group with a lower `gen` are revoked.", examples: [2] });

/** The answer when all views were ended. */
export const viewsEndedAnswer = answered({ team_id, gen });

/** The query of the revocations. */
export const revocationsQuery = z.strictObject({
  since: z
    .string()
    .max(255, "is not a next_since of this list: leave it out")
    .optional()
    .describe("`next_since` of the previous answer; without it, all revocations that still matter."),
});

/** A part of the revocations. */
export const revocationsAnswer = answered({
  revocations: z
    .array(z.strictObject({ team_id, gen }))
    .describe("Each is permanent and may be repeated. A group can have several: the highest counts."),
  next_since: z.string().meta({ description: "For the next call.", examples: ["q7Zl3nQ8eyJ…"] }),
  has_more: z.boolean().describe("Whether to call again immediately."),
});
