import { z } from "zod";
import { author } from "@/lib/audit/schema";
import { teamId } from "@/lib/groups/deletion-schema";
import { groupRequest, overlapSeconds } from "@/lib/groups/schema";
import { answered } from "@/lib/json/answered";

// Calls by callers without the group's token: to show it, to replace it, or to find the group of a token.

const named = { team_id: teamId.optional(), user_group_id: groupRequest.shape.user_group_id.optional() };
const isNamed = (input: { team_id?: unknown; user_group_id?: unknown }) =>
  (input.team_id === undefined) !== (input.user_group_id === undefined);
const ONE_NAME = { path: ["user_group_id"], message: "must be sent, or team_id in its place, but not both" };

/** A group by its id or by its number. */
export type NamedGroup = z.infer<z.ZodObject<typeof named>>;

/** The body that replaces a token. */
export const tokenReplacement = z.strictObject({ ...named, overlap_seconds: overlapSeconds }).refine(isNamed, ONE_NAME);
export type TokenReplacement = z.infer<typeof tokenReplacement>;

/** The body that shows a token. */
export const tokenReveal = z
  .strictObject({
    ...named,
    purpose: z
      .enum(["reveal", "copy"], "must be reveal or copy")
      .default("reveal")
      .describe("The reason for the call, kept in the history."),
  })
  .refine(isNamed, ONE_NAME);
export type TokenReveal = z.infer<typeof tokenReveal>;

/** A text that contains a token. */
export const tokenSearch = z.strictObject({
  text: z
    .string("must be a string")
    .max(100_000, "must have at most 100000 characters")
    .meta({ description: "Any text that contains a token, such as a log line.", examples: ["token=ugt_…"] }),
});

const time = z.iso.datetime();
const environment = z.strictObject({ slug: z.string(), name: z.string() });
const owner = z.strictObject({ team_id: z.int(), provided_id: z.string(), name: z.string(), environment }).meta({
  "x-example": {
    team_id: 3,
    provided_id: "example_1",
    name: "Example 1",
    environment: { slug: "testing", name: "Testing" },
  },
});
/** A group that may be deleted; an erased group has no id and name. */
const formerOwner = z.strictObject({
  team_id: z.int(),
  provided_id: z.string().nullable(),
  name: z.string().nullable(),
  exists: z.boolean(),
  environment,
});

/** The owner of a token. */
export const foundTokenAnswer = z.discriminatedUnion("found", [
  answered({ found: z.literal("current"), user_group: owner }),
  answered({ found: z.literal("previous"), valid_until: time, user_group: owner }),
  answered({ found: z.literal("rotated"), at: time, by: author, user_group: formerOwner }),
  answered({ found: z.literal("deleted"), at: time, by: author, user_group: formerOwner }),
  answered({ found: z.literal("unknown") }),
]);
export type FoundToken = z.infer<typeof foundTokenAnswer>;
