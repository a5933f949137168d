import { z } from "zod";
import { teamId } from "@/lib/groups/deletion-schema";
import { groupSelection } from "@/lib/groups/list-schema";
import { groupRequest, groupSuspension, overlapSeconds } from "@/lib/groups/schema";
import { CHANGE_MODES, type ChangeMode, jobPath, MAX_ROWS, newImport } from "@/lib/jobs/schema";
import { nested } from "@/lib/json/nested";
import { safeText, shortText } from "@/lib/json/visible-text";

const EMPTY = "must not be empty";
/** The most members to rename or to remove: each is looked up in each group. */
const MAX_NAMES = { count: 1_000, message: "must have at most 1000 names" };
const MAX_GROUPS = { count: MAX_ROWS, message: `must name at most ${MAX_ROWS} groups` };
const names = nested(z.array(shortText, "must be a list of names").min(1, EMPTY), MAX_NAMES);
const renames = nested(
  z
    .record(shortText, safeText, "must be an object of new names")
    .refine((given) => Object.keys(given).length > 0, EMPTY),
  MAX_NAMES,
);
const { mapping, properties } = groupRequest.shape;
const members = { mapping, properties };

/** The fields that a change takes, by its mode. */
const CHANGES = {
  set: z.strictObject(members),
  merge: z.strictObject(members),
  rename: z.strictObject({ mapping: renames.optional(), properties: renames.optional() }),
  remove: z.strictObject({ mapping: names.optional(), properties: names.optional() }),
  suspend: groupSuspension.pick({ reason: true }),
  resume: z.strictObject({}),
  rotate: z.strictObject({ overlap_seconds: overlapSeconds }),
  delete: z.strictObject({}),
} satisfies Record<ChangeMode, z.ZodObject>;

const groups = {
  user_group_ids: nested(
    z.array(groupRequest.shape.user_group_id, "must be a list of ids").max(MAX_ROWS, MAX_GROUPS.message).optional(),
    MAX_GROUPS,
  ).describe("The groups, by id."),
  team_ids: nested(
    z.array(teamId, "must be a list of team ids").max(MAX_ROWS, MAX_GROUPS.message).optional(),
    MAX_GROUPS,
  ).describe("The groups, by number, which a re-created group does not share."),
  where: nested(groupSelection.optional()).describe(
    "The groups that match, as in `GET /api/user-groups`, when the job is checked: at most 200,000.",
  ),
};
const frame = {
  kind: z.literal("change"),
  apply: z
    .boolean("must be true or false")
    .default(false)
    .describe("Whether to apply the job as soon as it is checked."),
  ...groups,
};

/** A change of many groups, by mode. */
export const newChange = <Mode extends ChangeMode>(mode: Mode) =>
  z
    .strictObject({ ...frame, mode: z.literal(mode), ...CHANGES[mode].shape })
    .superRefine((given: Record<string, unknown>, ctx) => {
      const refuse = (message: string) => ctx.addIssue({ code: "custom", path: [], message });
      if (Object.keys(groups).filter((name) => given[name] !== undefined).length !== 1) {
        refuse("must have one of user_group_ids, team_ids and where");
      }
      if ("mapping" in CHANGES[mode].shape && given.mapping === undefined && given.properties === undefined) {
        refuse("must have mapping or properties");
      }
    });

/** The kind of a new job, and the mode of a change, which decide its other fields. */
export const jobKind = z.looseObject({ kind: z.enum(["import", "change"], "must be import or change") });
export const changeKind = z.looseObject({
  mode: z.enum(CHANGE_MODES, `must be one of ${CHANGE_MODES.join(", ")}`),
});

/** The whole body, as described to callers. */
export const newJob = z.union([newImport, ...CHANGE_MODES.map((mode) => newChange(mode))]);

/** The job to undo, and the body of the undo. */
export const jobUndo = jobPath.extend({ apply: frame.apply });
