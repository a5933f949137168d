import { callApi } from "@/lib/browser/api-client";
import { headersFor } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";

/** What a member can set; the end of access is a matter of time. */
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

/** Sets when a group's access ends, as RFC 3339; null for never. */
export async function askToSetEnd(
  environment: string,
  group: GroupReference,
  access_ends_at: string | null,
): Promise<void> {
  await askToPatch(environment, group, { access_ends_at });
}

/**
 * Gives a group another id.
 * @throws {ApiError} `id_taken`
 */
export async function askToRename(
  environment: string,
  group: GroupReference,
  new_user_group_id: string,
): Promise<void> {
  await askToPatch(environment, group, { new_user_group_id });
}

async function askToPatch(environment: string, group: GroupReference, fields: object): Promise<void> {
  const body = { user_group_id: group.providedId, ...fields };
  await callApi("/api/user", { environment, method: "PATCH", body, headers: await headersFor(environment, group) });
}
