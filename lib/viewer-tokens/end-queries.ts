import { queryOptions } from "@tanstack/react-query";
import { activityKey, fetchActivity } from "@/lib/audit/queries";
import { callApi } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";

/**
 * Revokes all viewer tokens of a group.
 * @throws {ApiError}
 */
export async function askToEndViews(environment: string, { providedId }: GroupReference): Promise<void> {
  const body = { user_group_id: providedId };
  await callApi("/api/user-groups/end-views", { environment, method: "POST", body });
}

/** The last time that all views of a group were ended, if ever. */
export const viewsEndedQuery = (environment: string, teamId: number) =>
  queryOptions({
    queryKey: [...activityKey(environment), "views ended", teamId],
    queryFn: ({ signal }) => fetchViewsEnded(environment, teamId, signal),
    // Read again for each dialog: compared with an earlier answer, another change would look like its own.
    gcTime: 0,
  });

/**
 * The last time that all views of a group were ended; null for never.
 * @throws {ApiError}
 */
export async function fetchViewsEnded(environment: string, teamId: number, signal?: AbortSignal) {
  const filters = { teamId: String(teamId), action: "user_group.views_ended", limit: "1" };
  const { entries } = await fetchActivity(environment, filters, signal);
  return entries[0] ?? null;
}
