import { z } from "zod";
import { environmentTag } from "@/lib/environments/schema";
import { RawJson } from "@/lib/json/raw-json";

const success = z.literal(1);
const group = {
  team_id: z
    .int()
    .min(1)
    .meta({ description: "Our number of the group.", examples: [3] }),
  token: z
    .string()
    .regex(/^ugt_/)
    .meta({
      description: "The user group token: `ugt_` and 49 letters and digits. Whoever has it views as the group.",
      examples: ["ugt_…"],
    }),
  name: z.string().meta({ examples: ["Example 1"] }),
  provided_id: z.string().meta({ description: "The `user_group_id` that was sent.", examples: ["example_1"] }),
};
const object = z
  .custom<RawJson>((value) => value instanceof RawJson)
  .meta({ type: "object", additionalProperties: true });
const properties = object
  .nullable()
  .meta({ description: "As they were given; null where none were.", examples: [{ filterValue: "value" }, null] });
const api_environment_tag = environmentTag.meta({ description: "The tag of the API token's environment." });

/** The answer of get-or-create. */
export const foundAnswer = z.strictObject({
  success,
  new_user_group: z.boolean().meta({ description: "Whether this call created the group." }),
  user_group: z.strictObject({ ...group, properties }),
});
export type FoundAnswer = z.infer<typeof foundAnswer>;

/** The answer of an update. */
export const updatedAnswer = z.strictObject({
  success,
  user_group: z.strictObject({ ...group, properties, api_environment_tag }),
});
export type UpdatedAnswer = z.infer<typeof updatedAnswer>;

/** The answer of a rotation. */
export const rotatedAnswer = z.strictObject({
  success,
  user_group: z.strictObject({ ...group, api_environment_tag }),
});
export type RotatedAnswer = z.infer<typeof rotatedAnswer>;

/** The answer to a renderer: the group whose token that is now, or nothing more than that it is none's (the shape of RFC 7662). */
export const viewerAnswer = z.discriminatedUnion("active", [
  z.strictObject({
    success,
    active: z.literal(true).meta({ description: "It is the current token of a group in this environment." }),
    user_group: z.strictObject({
      team_id: group.team_id,
      provided_id: group.provided_id,
      name: group.name,
      mapping: object.meta({ description: "As it was given.", examples: [{ 40: "213", 134: "386" }] }),
      properties,
      api_environment_tag,
    }),
  }),
  z.strictObject({
    success,
    active: z.literal(false).meta({ description: "It is none, for whatever reason." }),
  }),
]);
export type ViewerAnswer = z.infer<typeof viewerAnswer>;
