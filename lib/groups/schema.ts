import { z } from "zod";
import { MAX_SELECTED } from "@/lib/groups/selection-limit";
import { JsonError, parseValue } from "@/lib/json/json";
import { nested } from "@/lib/json/nested";
import { RawJson } from "@/lib/json/raw-json";
import { BLANK, isVisible } from "@/lib/json/visible-text";

/** The most characters (code points) an id or a name may have. */
export const MAX_CHARACTERS = 255;
/** The most bytes of UTF-8 `mapping` and `properties` may have each, white space between tokens not counted. */
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

// What is said by `meta` goes into the API's description (lib/openapi), which cannot see into a `refine`.
const id = text
  .refine((value) => !INVISIBLE_AT_AN_END.test(value), "must not begin or end with white space")
  .meta({
    description:
      "Your id of the group, compared byte for byte. 1 to 255 characters, no control or bidirectional-control characters, no white space at either end.",
    maxLength: MAX_CHARACTERS,
    examples: ["example_1"],
  });
const name = text.refine(isVisible, BLANK).meta({
  description:
    "What people call the group. 1 to 255 characters, at least one of them visible, no control or bidirectional-control characters.",
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
 * What get-or-create and update take. Get-or-create uses the fields beside the id only to create; an update leaves an
 * omitted field as it is, replaces `mapping` and `properties` whole, and clears properties by null.
 */
export const groupRequest = z.strictObject({
  user_group_id: id,
  name: name.optional(),
  mapping: jsonObject("a JSON object")
    .optional()
    .meta({
      description:
        "Which data source stands for which schema: ids of schemas to ids of data sources. At most 64 KiB, kept to the letter, and in none of the answers here.",
      examples: [{ 40: "213", 134: "386" }],
    }),
  properties: jsonObject("a JSON object or null")
    .nullish()
    .meta({
      description: "Variables for dashboards and the SQL editor. At most 64 KiB, kept to the letter.",
      examples: [{ filterValue: "value" }, null],
    }),
});
export type GroupRequest = z.infer<typeof groupRequest>;

/** What a rotation takes: the token the group has now. */
export const tokenRotation = z.strictObject({
  current_token: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? "is required: POST rotates a token. To get or create a group send GET with a body, or POST /api/user/get-or-create (some HTTP clients turn a GET with a body into a POST)"
          : wrongType(input, "a string"),
    })
    .min(1, "must not be empty: it is the token the user group has now")
    .meta({ description: "The token that the user group has now.", examples: ["ugt_…"] }),
});
export type TokenRotation = z.infer<typeof tokenRotation>;

/** What the renderer of a dashboard asks: whose token a viewer has shown. Any text will do, as it is the viewer's. */
export const viewerQuestion = z.strictObject({
  token: z
    .string({ error: ({ input }) => wrongType(input, "a string") })
    .meta({ description: "What the viewer has shown: any text.", examples: ["ugt_…"] }),
});

const jsonText = (text: string, ctx: z.RefinementCtx) => {
  try {
    return parseValue(text);
  } catch (error) {
    ctx.addIssue({ code: "custom", message: error instanceof JsonError ? error.message : "is no JSON" });
    return z.NEVER;
  }
};

/** What the dashboard's form holds, mapping and properties as text; it gives what the API takes. */
export const groupForm = z.object({
  user_group_id: id,
  name,
  mapping: z.string().transform(jsonText).pipe(jsonObject("a JSON object")),
  properties: z.string().transform(jsonText).pipe(jsonObject("a JSON object or null").nullable()),
});
export type GroupForm = z.input<typeof groupForm>;
/** The number of a group in the path of a route. */
const teamId = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, "must be a whole number")
  .transform(Number)
  .refine((value) => value < 2 ** 31, "must be below 2147483648");
export const groupPath = z.strictObject({ teamId });

/** How lists of groups sort; a minus sign turns the order round. */
const groupSort = z.enum([
  ...(["name", "-name", "id", "-id"] as const),
  ...(["created", "-created", "updated", "-updated"] as const),
]);
export type GroupSort = z.infer<typeof groupSort>;

/**
 * What a list takes. `search` is a part of the name or the id (of one or two ASCII characters: their beginning), `filter`
 * what lib/groups/filter reads, `cursor` one of the cursors of an earlier answer of the same sort.
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

/** Which groups a file is to hold, as a list is asked for them, and how. */
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

/** Who did something; `id` is a member's or an API token's, null for the operator. */
const actor = z.strictObject({
  type: z.enum(["api_token", "member", "operator"]),
  id: z.string().nullable(),
  name: z.string(),
});

/** A group in a list; of the properties the first few, each value as JSON text that may be cut short. */
const groupSummary = z.strictObject({
  ...reference.shape,
  properties: z.strictObject({ members: z.array(z.tuple([z.string(), z.string()])), count: z.int() }).nullable(),
  createdAt: time,
  updatedAt: time,
  rotatedAt: time,
});
export type GroupSummary = z.infer<typeof groupSummary>;

/** A page of groups; of very many the total is an estimate. */
export const groupList = z.strictObject({
  success: z.literal(1),
  groups: z.array(groupSummary),
  previousCursor: z.string().nullable(),
  nextCursor: z.string().nullable(),
  total: z.strictObject({ count: z.int(), exact: z.boolean() }),
});
export type GroupList = z.infer<typeof groupList>;

/** A group with all there is but its token; mapping and properties are JSON text, so that nothing on the way changes them. */
export const groupDetail = z.strictObject({
  success: z.literal(1),
  group: z.strictObject({
    ...reference.shape,
    mapping: z.string(),
    properties: z.string().nullable(),
    /** its last characters for those who may see the token */
    tokenMasked: z.string(),
    version: z.int(),
    /** for If-Match */
    etag: z.string(),
    createdAt: time,
    updatedAt: time,
    rotatedAt: time,
    /** when its token was last used, the one it has or one before; null where none has been */
    lastUsedAt: time.nullable(),
    /** the last change of any kind, the token included */
    lastChange: z.strictObject({ action: z.string(), actor, at: time }).nullable(),
    /** who gave it the token that it has */
    rotatedBy: actor.nullable(),
  }),
});
export type GroupDetail = z.infer<typeof groupDetail>;

/** What a token is asked for: the history tells the two apart. */
export const tokenReveal = z.strictObject({ teamId, purpose: z.enum(["reveal", "copy"]) });
export const revealedToken = z.strictObject({ success: z.literal(1), token: z.string() });
/** A rotation by somebody who need not hold the token: of the group as it was read. */
export const tokenReplacement = z.strictObject({ teamId, etag: z.string().max(64, "must be the etag of the group") });
export type TokenReplacement = z.infer<typeof tokenReplacement>;
export type TokenReveal = z.infer<typeof tokenReveal>;

const teamIds = nested(
  z
    .array(z.int().min(1).max(2_147_483_647), "must be a list of team ids")
    .min(1, "must name a group")
    .max(MAX_SELECTED, `must name at most ${MAX_SELECTED} groups`),
);
export const groupSelection = z.strictObject({ teamIds });

export const deletedGroups = z.strictObject({
  success: z.literal(1),
  deleted: z.array(reference),
  /** until when it can be undone */
  undoUntil: time,
});
export type DeletedGroups = z.infer<typeof deletedGroups>;

/** What came back; what did not, as its id has been given to another group meanwhile. */
export const restoredGroups = z.strictObject({
  success: z.literal(1),
  restored: z.array(reference),
  conflicts: z.array(reference),
});
export type RestoredGroups = z.infer<typeof restoredGroups>;

/** A text that has a token somewhere in it. */
export const tokenSearch = z.strictObject({
  text: z.string("must be a string").max(100_000, "must have at most 100000 characters"),
});

const place = z.strictObject({ slug: z.string(), name: z.string() });
const success = { success: z.literal(1) };
/** Whose token it is. `past` groups may be gone: then `teamId` leads nowhere, and an old history may lack the id. */
const past = z.strictObject({
  teamId: z.int(),
  providedId: z.string().nullable(),
  name: z.string(),
  exists: z.boolean(),
  environment: place.nullable(),
});
export const foundToken = z.discriminatedUnion("found", [
  z.strictObject({
    ...success,
    /** `id`: the text is no token, but the id of this group */
    found: z.enum(["current", "id"]),
    group: z.strictObject({ ...reference.shape, environment: place }),
  }),
  z.strictObject({ ...success, found: z.literal("rotated"), at: time, by: actor, group: past }),
  z.strictObject({ ...success, found: z.literal("deleted"), at: time, by: actor, group: past }),
  z.strictObject({
    ...success,
    found: z.literal("api_token"),
    name: z.string(),
    state: z.enum(["valid", "expired", "revoked"]),
    environment: place,
  }),
  z.strictObject({ ...success, found: z.enum(["unknown", "mistyped", "not_a_token"]) }),
]);
export type FoundToken = z.infer<typeof foundToken>;

function fitsLength(value: string): boolean {
  return value.length <= MAX_CHARACTERS || (value.length <= 2 * MAX_CHARACTERS && [...value].length <= MAX_CHARACTERS);
}

function wrongType(input: unknown, wanted: string): string {
  if (input === undefined) return "is required";
  if (typeof input === "number" && wanted === "a string") return `must be a string: send "${input}" in quotes`;
  return `must be ${wanted}`;
}
