import { callApi } from "@/lib/browser/api-client";
import { headersFor } from "@/lib/groups/queries";
import type { GroupPatch, GroupReference } from "@/lib/groups/schema";

/** The states that a member can set; a group ends by time alone. */
export type GroupState = "active" | "suspended";

/** Suspends or resumes a group. */
export async function askToSetState(
  environment: string,
  group: GroupReference,
  { state, reason }: { state: GroupState; reason?: string },
): Promise<void> {
  const path = state === "suspended" ? "/api/user-groups/suspend" : "/api/user-groups/resume";
  const body = { user_group_id: group.providedId, ...(reason && { reason }) };
  await callApi(path, { environment, method: "POST", body, headers: await headersFor(environment, group) });
}

/**
 * Changes fields of a group, as PATCH takes them.
 * @throws {ApiError} `id_taken`
 */
export async function askToPatch(
  environment: string,
  group: GroupReference,
  fields: Omit<GroupPatch, "user_group_id">,
) {
  const body = { user_group_id: group.providedId, ...fields };
  await callApi("/api/user", { environment, method: "PATCH", body, headers: await headersFor(environment, group) });
}
