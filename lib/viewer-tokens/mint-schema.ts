import { z } from "zod";
import { groupRequest } from "@/lib/groups/schema";
import { answered, text } from "@/lib/json/answered";
import { checkFields } from "@/lib/json/fields";
import { instant } from "@/lib/json/instant";
import { nested } from "@/lib/json/nested";
import { RawJson } from "@/lib/json/raw-json";
import { shortText } from "@/lib/json/visible-text";
import { DEFAULT_LIFE, viewerMembers } from "@/lib/viewer-tokens/claims";
import { lifetime, templateName } from "@/lib/viewer-tokens/settings-schema";

const { user_group_id, name, mapping } = groupRequest.shape;

const MAX_VIEWER_BYTES = 4_096;
const MAX_CONTENT = 100;

const viewer_id = user_group_id.meta({
  description: "Your id of the person. 1 to 255 characters, as a group's id.",
  examples: ["user_42"],
});
const person = z.strictObject({ id: viewer_id, name, email: shortText.optional(), properties: mapping });

/** The person who views, as exact JSON: strings are checked here, and numbers stay as written. */
const viewerObject = z
  .custom<RawJson>((value) => value instanceof RawJson && value.kind === "object", { abort: true })
  .meta({
    type: "object",
    properties: {
      id: { type: "string" },
      name: { type: "string" },
      email: { type: "string" },
      properties: { type: "object", additionalProperties: true },
    },
    required: ["id"],
    additionalProperties: false,
  })
  .superRefine((viewer, ctx) => {
    const isLarge = new TextEncoder().encode(viewer.text).length > MAX_VIEWER_BYTES;
    const issues = checkFields(viewerMembers(viewer), person).issues ?? [];
    for (const issue of isLarge ? [{ path: [], message: "must have at most 4 KiB" }] : issues) {
      ctx.addIssue({ code: "custom", ...issue });
    }
  });

/** The body that mints a viewer token. */
export const mintRequest = z
  .strictObject({
    user_group_id: user_group_id.optional(),
    token: z
      .string("must be a string")
      .min(1, "must not be empty: send the user group's current token")
      .optional()
      .meta({ description: "The user group's current token, in place of its id.", examples: ["ugt_…"] }),
    viewer: z
      .union([viewer_id, viewerObject], "must be a string or an object")
      .optional()
      .meta({
        description:
          "Your id of the person who views, or an object with it and what a dashboard may show, at most 4 KiB. It is " +
          "a claim, stored only as a keyed hash; anyone with the page can read it.",
        examples: ["user_42", { id: "user_42", name: "Ada", email: "ada@example.com", properties: { role: "buyer" } }],
      }),
    content: nested(z.array(shortText, "must be a list of texts").max(MAX_CONTENT, "must have at most 100 texts"))
      .optional()
      .meta({
        description:
          "What the token may show, by your names, for the renderer to enforce: by default all, `[]` nothing.",
        examples: [["sales", "overview"]],
      }),
    expires_in: lifetime.optional().meta({
      description:
        "Seconds until it expires, 60 to 86400; at most until the group's access ends. By default the template's, " +
        "or else 900.",
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
          "Members to add to the claim `variables`. None may have the name of a property that the group has or the " +
          "environment's definitions list, unless they call it `overridable`.",
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
          "`POST /api/viewer` and our verifiers refuse such a token, so it ends when it expires, or when that " +
          "verifier polls revocations.",
        examples: ["JWT"],
      }),
  })
  .refine(({ template, typ }) => template === undefined || typ === undefined, {
    path: ["typ"],
    message: "must not be sent with template, which has its own",
  })
  .refine((input) => (input.user_group_id === undefined) !== (input.token === undefined), {
    path: ["user_group_id"],
    message: "must be sent, or token in its place, but not both",
  });
export type MintRequest = z.infer<typeof mintRequest>;

/** The answer with a viewer token. */
export const mintedAnswer = answered({
  viewer_token: text("A JWT, signed with ES256 or as its template says.", "eyJ…"),
  expires_at: z.iso.datetime(),
});

const team_id = z.int().meta({ description: "Our number for the group.", examples: [3] });
const gen = z
  .int()
  .meta({ description: "The generation: viewer tokens of the group with a lower `gen` are revoked.", examples: [2] });

/** The answer when all views were ended. */
export const viewsEndedAnswer = answered({ team_id, gen });

const viewer_key = z.string().meta({
  description: "Identifies the person within the group, as the claim `viewer_key` of their viewer tokens.",
  examples: ["u3Vc0y2hJ5mXqPzT8wKf1A"],
});
const before = z.iso.datetime().meta({
  description: "Revokes the person's tokens with an `iat` up to the second of this time.",
  examples: ["2026-11-29T08:00:00.123Z"],
});

/** The body that ends one person's views of a group. */
export const endViewerRequest = z.strictObject({
  user_group_id,
  viewer_id: viewer_id.describe("The person's id, as sent in `viewer` when their tokens were minted."),
  blocked_until: instant("must be null or an RFC 3339 time with its offset, as in 2027-01-31T23:00:00Z")
    .nullable()
    .default(null)
    .meta({
      description:
        "Until when minting for this person is refused, at most a year from now; null, the default, for no block. " +
        "It replaces that of an earlier call.",
      examples: ["2027-01-31T23:00:00Z", null],
    }),
});
export type EndViewerRequest = z.infer<typeof endViewerRequest>;

/** The answer when one person's views were ended. */
export const viewerEndedAnswer = answered({ team_id, viewer_key, before, blocked_until: z.iso.datetime().nullable() });

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
    .array(z.union([z.strictObject({ team_id, gen }), z.strictObject({ team_id, viewer_key, before })]))
    .describe(
      "Of a group, or of one person in it. Each is permanent and may be repeated; of several, the highest `gen` and " +
        "the latest `before` count.",
    ),
  next_since: z.string().meta({ description: "For the next call.", examples: ["q7Zl3nQ8eyJ…"] }),
  has_more: z.boolean().describe("Whether to call again immediately."),
});
