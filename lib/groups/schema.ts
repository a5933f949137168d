import { z } from "zod";
import { instant } from "@/lib/json/instant";
import { JsonError, parseValue } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";
import { BLANK, isSafe, isVisible, UNSAFE } from "@/lib/json/visible-text";

/** The most characters (code points) of an id or a name. */
export const MAX_CHARACTERS = 255;
/** The most UTF-8 bytes of `mapping` and of `properties`, not counting white space between tokens. */
export const MAX_OBJECT_BYTES = 65_536;

const INVISIBLE = "[\\p{White_Space}\\u180E\\u200B-\\u200D\\u2060\\uFEFF]";
const INVISIBLE_AT_AN_END = new RegExp(`^${INVISIBLE}|${INVISIBLE}$`, "u");

const text = z
  .string({ error: ({ input }) => wrongType(input, "a string") })
  .min(1, "must not be empty")
  .refine(fitsLength, `must have at most ${MAX_CHARACTERS} characters`)
  .refine(isSafe, UNSAFE);

// `meta` goes into the OpenAPI description (lib/openapi), which cannot look into a `refine`.
const id = text
  .refine((value) => !INVISIBLE_AT_AN_END.test(value), "must not begin or end with white space")
  .meta({
    description:
      "Your id for the group, compared byte for byte. 1 to 255 characters, no control or bidirectional-control " +
      "characters, no white space at either end.",
    maxLength: MAX_CHARACTERS,
    examples: ["example_1"],
  });
const name = text.refine(isVisible, BLANK).meta({
  description:
    "The display name. 1 to 255 characters, at least one of them visible, no control or bidirectional-control " +
    "characters.",
  maxLength: MAX_CHARACTERS,
  examples: ["Example 1"],
});

const jsonObject = (wanted: string) =>
  z
    .custom<RawJson>((value) => value instanceof RawJson && value.kind === "object", {
      error: ({ input }) => wrongType(input, wanted),
      abort: true,
    })
    .meta({ type: "object", additionalProperties: true })
    .refine(({ text }) => new TextEncoder().encode(text).length <= MAX_OBJECT_BYTES, "must have at most 64 KiB");

/**
 * The body of get-or-create and update. Get-or-create uses the fields other than the id only to create; an update
 * leaves omitted fields unchanged, replaces `mapping` and `properties` whole, and clears properties on null.
 */
export const groupRequest = z.strictObject({
  user_group_id: id,
  name: name.optional(),
  mapping: jsonObject("a JSON object")
    .optional()
    .meta({
      description:
        "Which data source each schema reads from: schema ids to data source ids. At most 64 KiB, stored " +
        "exactly as sent, and not part of these answers.",
      examples: [{ 40: "213", 134: "386" }],
    }),
  properties: jsonObject("a JSON object or null")
    .nullish()
    .meta({
      description: "Values that dashboards and the SQL editor can use. At most 64 KiB, stored exactly as sent.",
      examples: [{ filterValue: "value" }, null],
    }),
});
export type GroupRequest = z.infer<typeof groupRequest>;
/** An example of all fields of a group but the id. */
export const GROUP_EXAMPLE = {
  name: "Example 1",
  mapping: { 40: "213", 134: "386" },
  properties: { filterValue: "value" },
};

/** The body of a suspension; the reason is for the history. */
export const groupSuspension = z.strictObject({
  user_group_id: id,
  reason: text.optional().meta({
    description: "The reason, kept in the history. 1 to 255 characters.",
    examples: ["Invoice 4711 is overdue"],
  }),
});
/** An input that names a group, and nothing else. */
export const groupById = z.strictObject({ user_group_id: id });
export type GroupById = z.infer<typeof groupById>;

/** The longest overlap of a rotation, in seconds: 7 days. */
const MAX_OVERLAP = 604_800;

/** How long a replaced token stays valid. */
export const overlapSeconds = z
  .int("must be a whole number of seconds")
  .min(0, "must not be negative")
  .max(MAX_OVERLAP, `must be at most ${MAX_OVERLAP}, which is 7 days`)
  .optional()
  .meta({
    description:
      "How long the replaced token stays valid, in seconds: 0 (the default) to 604800, which is 7 days. It " +
      "never outlasts the group's `access_ends_at`.",
    examples: [3600],
  });

/** The body of a rotation. */
export const tokenRotation = z.strictObject({
  current_token: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? "is required: POST rotates a token. To get or create a group, send GET with a body, or POST " +
            "/api/user/get-or-create (some HTTP clients turn a GET with a body into a POST)"
          : wrongType(input, "a string"),
    })
    .min(1, "must not be empty: send the user group's current token")
    .meta({ description: "The user group's current token.", examples: ["ugt_…"] }),
  overlap_seconds: overlapSeconds,
});
export type TokenRotation = z.infer<typeof tokenRotation>;

/** A renderer's question: the token that a viewer presented, which may be any text. */
export const viewerQuestion = z.strictObject({
  token: z
    .string({ error: ({ input }) => wrongType(input, "a string") })
    .meta({ description: "The token that the viewer presented; any text.", examples: ["ugt_…"] }),
  strict: z
    .boolean("must be true or false")
    .default(false)
    .meta({
      description: "Whether a group with problems by the environment's definitions is `active: false`, `incomplete`.",
      examples: [true],
    }),
});

const jsonText = (text: string, ctx: z.RefinementCtx) => {
  try {
    return parseValue(text);
  } catch (error) {
    ctx.addIssue({ code: "custom", message: error instanceof JsonError ? error.message : "is not JSON" });
    return z.NEVER;
  }
};

/** The dashboard's form, with mapping and properties as text; its output is the API's input. */
export const groupForm = z.object({
  user_group_id: id,
  name,
  mapping: z.string().transform(jsonText).pipe(jsonObject("a JSON object")),
  properties: z.string().transform(jsonText).pipe(jsonObject("a JSON object or null").nullable()),
});
export type GroupForm = z.input<typeof groupForm>;
const reference = z.strictObject({ teamId: z.int(), providedId: z.string(), name: z.string() });
export type GroupReference = z.infer<typeof reference>;

function fitsLength(value: string): boolean {
  return value.length <= MAX_CHARACTERS || (value.length <= 2 * MAX_CHARACTERS && [...value].length <= MAX_CHARACTERS);
}

function wrongType(input: unknown, wanted: string): string {
  if (input === undefined) return "is required";
  if (typeof input === "number" && wanted === "a string") return `must be a string: send "${input}" in quotes`;
  return `must be ${wanted}`;
}

/** When a group's access ends, at most to the millisecond; null for never. A time in the past ends it now. */
const accessEndsAt = instant("must be null or an RFC 3339 time with its offset, as in 2027-01-31T23:00:00Z")
  .transform((date) => date.toISOString())
  .nullable()
  .meta({
    description:
      "When the group's access ends, with an offset; null for never, and a past time ends it now. " +
      "From then on `POST /api/viewer` answers `active: false` with the reason `ended`; " +
      "only minting viewer tokens is refused.",
    examples: ["2027-01-31T23:00:00Z", null],
  });

/** The body of a merge and of an upsert. */
export const groupMerge = z.strictObject({ ...groupRequest.shape, access_ends_at: accessEndsAt.optional() });
export type GroupMerge = z.infer<typeof groupMerge>;

/** The body of PATCH, which can also give the group another id. */
export const groupPatch = groupMerge.extend({
  new_user_group_id: id.optional().meta({
    description:
      "Another id for the group, which keeps its number, token and history. Until `DELETED_GROUPS_KEPT` has passed, " +
      "calls with the old id are 409 `renamed`, and only this group can have it again.",
    examples: ["example_2"],
  }),
});
export type GroupPatch = z.infer<typeof groupPatch>;
