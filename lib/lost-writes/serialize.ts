import type { Loss } from "@/lib/lost-writes/schema";
import type { OpenLoss } from "@/lib/lost-writes/service";

/** The most groups in an answer. */
const MOST_GROUPS = 100;

export function serializeLoss({ id, foundAt, host, writes, unchecked, stops, groups }: OpenLoss): Loss {
  return {
    id,
    found_at: foundAt.toISOString(),
    host,
    writes,
    unchecked,
    stops,
    groups: groups.slice(0, MOST_GROUPS).map(({ environment, team_id, provided_id, actions }) => ({
      environment,
      team_id,
      user_group_id: provided_id,
      actions,
    })),
  };
}
