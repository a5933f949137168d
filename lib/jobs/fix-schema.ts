import { z } from "zod";
import { MEMBERS } from "@/lib/definitions/findings-schema";
import { FIX_VERBS, FIXES } from "@/lib/definitions/fixes";
import { findingIn } from "@/lib/groups/filter";
import { exact } from "@/lib/json/raw-json";
import { safeText } from "@/lib/json/visible-text";

/** A fix of all groups with a finding. */
export const fixRequest = z
  .strictObject({
    finding: z
      .string("must be a string")
      .max(1_000, "must have at most 1000 characters")
      .refine((text) => findingIn(text) !== undefined, "must be the filter of a finding, such as plan:missing")
      .meta({ description: "The `filter` of a finding about a property or a schema.", examples: ["plan:missing"] }),
    set: z
      .any()
      .transform((value) => (value === undefined ? undefined : exact(value)))
      .optional()
      .describe("The value to set: any JSON value, or of a mapping the id of a data source."),
    remove: z.literal(true, "must be true").optional().describe("Removes the member."),
    rename_to: safeText
      .optional()
      .describe("The new name of the member. A group that has a member of this name is an error."),
  })
  .superRefine(({ finding, ...verbs }, ctx) => {
    const refuse = (path: string, message: string) =>
      ctx.addIssue({ code: "custom", path: path === "" ? [] : [path], message });
    const key = findingIn(finding);
    const allowed = (key && key.name !== null && FIXES[key.kind]) || [];
    const asked = FIX_VERBS.filter((verb) => verbs[verb] !== undefined);
    if (!key || allowed.length === 0) return refuse("finding", "cannot be fixed for many groups");
    if (asked.length !== 1)
      return refuse("", `must have ${allowed.length > 1 ? "either " : ""}${allowed.join(" or ")}`);
    const [verb = "set"] = asked;
    if (!allowed.includes(verb)) return refuse(verb, `is not for ${key.kind}: use ${allowed.join(" or ")}`);
    const { set, rename_to } = verbs;
    if (set?.text === "null") refuse("set", "must not be null");
    else if (set && MEMBERS[key.kind] === "mapping" && !/^"./.test(set.text))
      refuse("set", "must be the id of a data source");
    if (rename_to === key.name) refuse("rename_to", "must be another name");
  });
export type FixRequest = z.output<typeof fixRequest>;
