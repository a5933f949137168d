import { z } from "zod";
import { groupRequest } from "@/lib/groups/schema";
import { instant } from "@/lib/json/instant";

/** When a group's access ends, at most to the millisecond; null for never. A time in the past ends it now. */
const accessEndsAt = instant("must be null or an RFC 3339 time with its offset, as in 2027-01-31T23:00:00Z")
  .transform((date) => date.toISOString())
  .nullable()
  .meta({
    description:
      "When the group's access ends, with an offset; null for never, and a past time ends it now. " +
      "From then on `POST /api/viewer` answers `active: false` with the reason `ended`; " +
      "all other calls keep working.",
    examples: ["2027-01-31T23:00:00Z", null],
  });

/** The body of a merge and of an upsert. */
export const groupMerge = z.strictObject({ ...groupRequest.shape, access_ends_at: accessEndsAt.optional() });
export type GroupMerge = z.infer<typeof groupMerge>;
