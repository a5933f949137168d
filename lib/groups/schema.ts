import { z } from "zod";
import { JsonError, parseValue, RawJson } from "@/lib/json";

/** The most characters (code points) an id or a name may have. */
const MAX_CHARACTERS = 255;
/** The most bytes of UTF-8 `mapping` and `properties` may have each, white space between tokens not counted. */
const MAX_OBJECT_BYTES = 65_536;

const CONTROL = /[\p{Cc}\p{Bidi_Control}]/u;
const INVISIBLE = "[\\p{White_Space}\\u180E\\u200B-\\u200D\\u2060\\uFEFF]";
const INVISIBLE_AT_AN_END = new RegExp(`^${INVISIBLE}|${INVISIBLE}$`, "u");
const ONLY_INVISIBLE = new RegExp(`^${INVISIBLE}*$`, "u");

const text = z
  .string({ error: ({ input }) => wrongType(input, "a string") })
  .min(1, "must not be empty")
  .refine(fitsLength, `must have at most ${MAX_CHARACTERS} characters`)
  .refine((value) => !CONTROL.test(value), "must not contain control characters, bidirectional ones included");

const id = text.refine((value) => !INVISIBLE_AT_AN_END.test(value), "must not begin or end with white space");
const name = text.refine((value) => !ONLY_INVISIBLE.test(value), "must not be blank");

const jsonObject = (wanted: string) =>
  z
    .custom<RawJson>((value) => value instanceof RawJson && value.kind === "object", {
      error: ({ input }) => wrongType(input, wanted),
      abort: true,
    })
    .refine(({ text }) => new TextEncoder().encode(text).length <= MAX_OBJECT_BYTES, "must have at most 64 KiB");

/**
 * What get-or-create and update take. Get-or-create uses the fields beside the id only to create; an update leaves an
 * omitted field as it is, replaces `mapping` and `properties` whole, and clears properties by null.
 */
export const groupRequest = z.strictObject({
  user_group_id: id,
  name: name.optional(),
  mapping: jsonObject("a JSON object").optional(),
  properties: jsonObject("a JSON object or null").nullish(),
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
    .min(1, "must not be empty: it is the token the user group has now"),
});
export type TokenRotation = z.infer<typeof tokenRotation>;

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

function fitsLength(value: string): boolean {
  return value.length <= MAX_CHARACTERS || (value.length <= 2 * MAX_CHARACTERS && [...value].length <= MAX_CHARACTERS);
}

function wrongType(input: unknown, wanted: string): string {
  if (input === undefined) return "is required";
  if (typeof input === "number" && wanted === "a string") return `must be a string: send "${input}" in quotes`;
  return `must be ${wanted}`;
}

/** A group in a list. */
export interface GroupSummary {
  teamId: number;
  providedId: string;
  name: string;
  /** the first properties, each value as JSON text cut to a glance */
  properties: { shown: [string, string][]; count: number };
  createdAt: string;
  updatedAt: string;
  rotatedAt: string;
}

/** What GET /api/admin/groups answers. */
export interface GroupListAnswer {
  groups: GroupSummary[];
  previousCursor: string | null;
  nextCursor: string | null;
  total: { count: number; exact: boolean };
}

/** What GET /api/admin/groups/[teamId] answers. */
export interface GroupAnswer {
  group: GroupDetail;
}

/** A group whole, but for its token; `mapping` and `properties` are JSON text, which nothing on the way changes. */
export interface GroupDetail {
  teamId: number;
  providedId: string;
  name: string;
  mapping: string;
  properties: string | null;
  tokenMasked: string;
  createdAt: string;
  updatedAt: string;
  rotatedAt: string;
  /** for If-Match */
  etag: string;
  lastChange: { action: string; actorName: string; actorType: ActorType; at: string } | null;
  /** who rotated the token last, or created the group */
  rotatedBy: { actorName: string; actorType: ActorType; at: string } | null;
}

export type ActorType = "api_token" | "member" | "operator";

/** Whose token a text holds. */
export type FoundByToken =
  | { found: "current"; group: FoundGroupName }
  | { found: "rotated"; at: string; by: string; group: FoundGroupName | null }
  | { found: "deleted"; at: string; by: string; providedId: string; name: string }
  | { found: "api_token"; name: string; state: string }
  | { found: "unknown" | "not_a_token" };

interface FoundGroupName {
  teamId: number;
  providedId: string;
  name: string;
  environment: string;
}
