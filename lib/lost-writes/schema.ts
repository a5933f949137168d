import { z } from "zod";
import { nested } from "@/lib/json/nested";

/** Lost changes of one group. */
const lostChange = z.strictObject({
  environment_id: z.int(),
  team_id: z.int(),
  /** null where only the number is known */
  provided_id: z.string().nullable(),
  /** actions of the history, in order */
  actions: z.array(z.string()),
});
export const lostChanges = z.array(lostChange);
export type LostChange = z.infer<typeof lostChange>;

/** The answer of GET /api/admin/lost-writes: losses that no owner has accepted yet. */
export const lostWritesAnswer = z.strictObject({
  success: z.literal(1),
  losses: z.array(
    z.strictObject({
      id: z.int(),
      found_at: z.iso.datetime(),
      /** the new primary */
      host: z.string(),
      writes: z.int(),
      unchecked: z.int(),
      /** whether changes are refused until it is accepted */
      stops: z.boolean(),
      /** the first 100 */
      groups: z.array(
        z.strictObject({
          /** the environment's slug; null when it is gone too */
          environment: z.string().nullable(),
          team_id: z.int(),
          user_group_id: z.string().nullable(),
          actions: z.array(z.string()),
        }),
      ),
    }),
  ),
});
export type Loss = z.infer<typeof lostWritesAnswer>["losses"][number];

/** The body of POST /api/admin/lost-writes/accept: the losses that the owner has seen. */
export const lossAcceptance = z.strictObject({
  ids: nested(
    z.array(z.int().min(1).max(2_147_483_647), "must be a list of ids").min(1, "must name a loss").max(1_000),
  ),
});
