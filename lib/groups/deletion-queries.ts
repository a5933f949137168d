import { infiniteQueryOptions } from "@tanstack/react-query";
import { ApiError, callApi } from "@/lib/browser/api-client";
import type { DeletedGroup, DeletedList } from "@/lib/groups/deletion-schema";
import { groupsKey, headersFor } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";

/** The pages of deleted groups that can still be restored, the last deleted first. */
export const deletedGroupsQuery = (environment: string) =>
  infiniteQueryOptions({
    queryKey: [...groupsKey(environment), "deleted"],
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi<DeletedList>("/api/user-groups/deleted", { environment, query: { cursor }, signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }) => pages.flatMap(({ user_groups }) => user_groups),
  });

/** Deletes a group. */
export async function askToDeleteGroup(environment: string, group: GroupReference): Promise<void> {
  const [body, headers] = [{ user_group_id: group.providedId }, await headersFor(environment, group)];
  await callApi("/api/user", { environment, method: "DELETE", body, headers });
}

const TAKEN = "Another user group has this id now. To replace it, choose Replace… in Recently deleted.";

/** Restores a deleted group; with `replace`, the group that now has its id is deleted. */
export async function askToRestoreGroup(
  environment: string,
  { provided_id, team_id }: Pick<DeletedGroup, "provided_id" | "team_id">,
  replace: boolean,
): Promise<void> {
  const body = { user_group_id: provided_id, team_id, ...(replace && { replace }) };
  await callApi("/api/user-groups/restore", { environment, method: "POST", body }).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === "conflict" ? new Error(TAKEN) : error;
  });
}

/** Erases a deleted group for good. */
export async function askToEraseGroup(environment: string, { team_id }: DeletedGroup): Promise<void> {
  await callApi("/api/user-groups/purge", { environment, method: "POST", body: { team_id } });
}

/** Whether a group is among the deleted ones that can still be restored. */
export async function isDeleted(environment: string, { provided_id, team_id }: DeletedGroup): Promise<boolean> {
  const query = { user_group_id: provided_id, limit: "500" };
  const { user_groups } = await callApi<DeletedList>("/api/user-groups/deleted", { environment, query });
  return user_groups.some((group) => group.team_id === team_id);
}
