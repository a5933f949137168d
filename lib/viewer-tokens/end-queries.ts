import { queryOptions } from "@tanstack/react-query";
import { activityKey, fetchLastEntry } from "@/lib/audit/queries";
import { callApi } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";

/** Revokes all viewer tokens of a group. */
export async function askToEndViews(environment: string, { providedId }: GroupReference): Promise<void> {
  const body = { user_group_id: providedId };
  await callApi("/api/user-groups/end-views", { environment, method: "POST", body });
}

/** Revokes the viewer tokens of one person of a group, and blocks further ones until an RFC 3339 time, if any. */
export async function askToEndViewer(
  environment: string,
  { providedId }: GroupReference,
  { viewer, blockedUntil }: { viewer: string; blockedUntil: string | null },
): Promise<void> {
  const body = { user_group_id: providedId, viewer_id: viewer, blocked_until: blockedUntil };
  await callApi("/api/viewers/end", { environment, method: "POST", body });
}

/** The history's action for an end of views. */
export type Ended = "user_group.views_ended" | "user_group.viewer_ended";

/** The last time that views of a group were ended, if ever. */
export const endedQuery = (environment: string, teamId: number, action: Ended) =>
  queryOptions({
    queryKey: [...activityKey(environment), action, teamId],
    queryFn: ({ signal }) => fetchEnded(environment, teamId, action, signal),
    // Read again for each dialog: compared with an older answer, another's change would look like the dialog's own.
    gcTime: 0,
  });

/** The last time that views of a group were ended; null for never. */
export function fetchEnded(environment: string, teamId: number, action: Ended, signal?: AbortSignal) {
  return fetchLastEntry(environment, { team_id: String(teamId), action }, signal);
}
