import { z } from "zod";
import { JsonError, parseValue } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";
import { BLANK, isVisible } from "@/lib/json/visible-text";

/** The most characters (code points) of an id or a name. */
export const MAX_CHARACTERS = 255;
/** The most UTF-8 bytes of `mapping` and of `properties`, not counting white space between tokens. */
export const MAX_OBJECT_BYTES = 65_536;

const CONTROL = /[\p{Cc}\p{Bidi_Control}]/u;
const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u;
const INVISIBLE = "[\\p{White_Space}\\u180E\\u200B-\\u200D\\u2060\\uFEFF]";
const INVISIBLE_AT_AN_END = new RegExp(`^${INVISIBLE}|${INVISIBLE}$`, "u");

const text = z
  .string({ error: ({ input }) => wrongType(input, "a string") })
  .min(1, "must not be empty")
  .refine(fitsLength, `must have at most ${MAX_CHARACTERS} characters`)
  .refine(
    (value) => !FORBIDDEN.test(value),
    "must not contain control characters, bidirectional ones included, or noncharacters",
  );

// `meta` goes into the OpenAPI description (lib/openapi), which cannot look into a `refine`.
const id = text
  .refine((value) => !INVISIBLE_AT_AN_END.test(value), "must not begin or end with white space")
  .meta({
    description:
      "Your id for the group, compared byte for byte. 1 to 255 characters, no control or bidirectional-control characters, no white space at either end.",
    maxLength: MAX_CHARACTERS,
    examples: ["example_1"],
  });
const name = text.refine(isVisible, BLANK).meta({
  description:
    "The display name. 1 to 255 characters, at least one of them visible, no control or bidirectional-control characters.",
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
 * The body of get-or-create and update. Get-or-create uses the fields other than the id only to create; an update leaves
 * omitted fields unchanged, replaces `mapping` and `properties` whole, and clears properties on null.
 */
export const groupRequest = z.strictObject({
  user_group_id: id,
  name: name.optional(),
  mapping: jsonObject("a JSON object")
    .optional()
    .meta({
      description:
        "Which data source each schema reads from: schema ids to data source ids. At most 64 KiB, stored exactly as sent, and not part of these answers.",
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

/** The body of a suspension; the reason is for the history. */
export const groupSuspension = z.strictObject({
  user_group_id: id,
  reason: text
    .optional()
    .meta({ description: "Why, for the history. 1 to 255 characters.", examples: ["Invoice 4711 is overdue"] }),
});
/** The body that ends a suspension. */
export const groupResumption = z.strictObject({ user_group_id: id });

/** The body of a rotation. */
export const tokenRotation = z.strictObject({
  current_token: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? "is required: POST rotates a token. To get or create a group, send GET with a body, or POST /api/user/get-or-create (some HTTP clients turn a GET with a body into a POST)"
          : wrongType(input, "a string"),
    })
    .min(1, "must not be empty: send the user group's current token")
    .meta({ description: "The user group's current token.", examples: ["ugt_…"] }),
});
export type TokenRotation = z.infer<typeof tokenRotation>;

/** A renderer's question: the token that a viewer presented, which may be any text. */
export const viewerQuestion = z.strictObject({
  token: z
    .string({ error: ({ input }) => wrongType(input, "a string") })
    .meta({ description: "The token that the viewer presented; any text.", examples: ["ugt_…"] }),
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
/** A group's number in a path. */
const teamId = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, "must be a whole number")
  .transform(Number)
  .refine((value) => value < 2 ** 31, "must be below 2147483648");
export const groupPath = z.strictObject({ teamId });

/** Sort orders of group lists; a minus sign reverses the order. */
const groupSort = z.enum([
  ...(["name", "-name", "id", "-id"] as const),
  ...(["created", "-created", "updated", "-updated"] as const),
]);
export type GroupSort = z.infer<typeof groupSort>;

/**
 * The query of a list. `search` is a part of the name or the id (with one or two ASCII characters: a prefix), `filter`
 * as parsed by lib/groups/filter, `cursor` one from an earlier answer with the same sort.
 */
export const groupListInput = z.strictObject({
  search: z
    .string()
    .trim()
    .max(255, "must have at most 255 characters")
    .refine((value) => !CONTROL.test(value), "must not contain control characters")
    .default(""),
  filter: z.string().max(1_000, "must have at most 1000 characters").default(""),
  /** when the token was last used: "within-30d", "not-within-30d" (never included) or "never" */
  used: z
    .string()
    .regex(/^(?:(?:not-)?within-[1-9]\d{0,3}d|never|)$/, "must be within-30d, not-within-30d (for any days) or never")
    .default(""),
  sort: groupSort.default("-updated"),
  cursor: z.string().max(4_096, "is not a cursor of a list").optional(),
  limit: z.coerce
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(500, "must be at most 500")
    .default(50),
});
export type GroupListQuery = z.infer<typeof groupListInput>;

/** The selection and format of an export. */
export const groupExport = z.strictObject({
  search: groupListInput.shape.search,
  filter: groupListInput.shape.filter,
  used: groupListInput.shape.used,
  format: z.enum(["csv", "jsonl"], "must be csv or jsonl"),
});
export type GroupExport = z.infer<typeof groupExport>;

const time = z.iso.datetime();
const reference = z.strictObject({ teamId: z.int(), providedId: z.string(), name: z.string() });
export type GroupReference = z.infer<typeof reference>;

/** The author of a change; `id` is a member's or an API token's, null for the operator. */
const actor = z.strictObject({
  type: z.enum(["api_token", "member", "operator"]),
  id: z.string().nullable(),
  name: z.string(),
});

/** A group in a list, with its first few properties, each as JSON text that may be truncated. */
const groupSummary = z.strictObject({
  ...reference.shape,
  properties: z.strictObject({ members: z.array(z.tuple([z.string(), z.string()])), count: z.int() }).nullable(),
  createdAt: time,
  updatedAt: time,
  rotatedAt: time,
});
export type GroupSummary = z.infer<typeof groupSummary>;

/** A page of groups; a very large total is an estimate. */
export const groupList = z.strictObject({
  success: z.literal(1),
  groups: z.array(groupSummary),
  previousCursor: z.string().nullable(),
  nextCursor: z.string().nullable(),
  total: z.strictObject({ count: z.int(), exact: z.boolean() }),
});
export type GroupList = z.infer<typeof groupList>;

/** A complete group without its token; mapping and properties are JSON text, so that nothing in between changes them. */
export const groupDetail = z.strictObject({
  success: z.literal(1),
  group: z.strictObject({
    ...reference.shape,
    mapping: z.string(),
    properties: z.string().nullable(),
    /** with its last characters for members who can see tokens */
    tokenMasked: z.string(),
    state: z.enum(["active", "suspended"]),
    accessEndsAt: time.nullable(),
    version: z.int(),
    /** for If-Match */
    etag: z.string(),
    createdAt: time,
    updatedAt: time,
    rotatedAt: time,
    /** last use of the current token or an earlier one; null if never used */
    lastUsedAt: time.nullable(),
    /** the last change of any kind, the token included */
    lastChange: z.strictObject({ action: z.string(), actor, at: time }).nullable(),
    /** the author of the current token */
    rotatedBy: actor.nullable(),
  }),
});
export type GroupDetail = z.infer<typeof groupDetail>;

function fitsLength(value: string): boolean {
  return value.length <= MAX_CHARACTERS || (value.length <= 2 * MAX_CHARACTERS && [...value].length <= MAX_CHARACTERS);
}

function wrongType(input: unknown, wanted: string): string {
  if (input === undefined) return "is required";
  if (typeof input === "number" && wanted === "a string") return `must be a string: send "${input}" in quotes`;
  return `must be ${wanted}`;
}
