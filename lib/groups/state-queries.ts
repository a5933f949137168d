import { callApi } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";

/** What a member can set; the end of access is a matter of time. */
export type GroupState = "active" | "suspended";

/**
 * Suspends or resumes a group.
 * @throws {ApiError}
 */
export async function askToSetState(
  environment: string,
  { providedId }: GroupReference,
  { state, reason }: { state: GroupState; reason?: string },
): Promise<void> {
  const path = state === "suspended" ? "/api/user-groups/suspend" : "/api/user-groups/resume";
  const body = { user_group_id: providedId, ...(reason && { reason }) };
  await callApi(path, { environment, method: "POST", body });
}

/**
 * Sets when a group's access ends, as RFC 3339; null for never.
 * @throws {ApiError}
 */
export async function askToSetEnd(
  environment: string,
  { providedId }: GroupReference,
  access_ends_at: string | null,
): Promise<void> {
  await callApi("/api/user", { environment, method: "PATCH", body: { user_group_id: providedId, access_ends_at } });
}

/**
 * Gives a group another id.
 * @throws {ApiError} `id_taken`
 */
export async function askToRename(
  environment: string,
  { providedId }: GroupReference,
  new_user_group_id: string,
): Promise<void> {
  await callApi("/api/user", { environment, method: "PATCH", body: { user_group_id: providedId, new_user_group_id } });
}
