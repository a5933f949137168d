import { infiniteQueryOptions } from "@tanstack/react-query";
import { ApiError, callApi } from "@/lib/browser/api-client";
import type { RestoredGroupAnswer } from "@/lib/groups/answer-schema";
import type { DeletedAnswer, DeletedGroup, DeletedList, RestoredAnswer } from "@/lib/groups/deletion-schema";
import { groupsKey } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { partsOf } from "@/lib/groups/selection-limit";

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

export interface Deletion {
  deleted: GroupReference[];
  /** groups of a failed request, which may have been deleted */
  uncertain: number[];
  failure?: Error;
}

/**
 * Deletes groups in batches, by number: a group created again under the same id is not touched. A failure or the signal keeps what was
 * already deleted.
 * @throws {ApiError} when none was deleted
 */
export async function askToDeleteGroups(
  environment: string,
  teamIds: number[],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (finished: number) => void },
): Promise<Deletion> {
  const deleted: GroupReference[] = [];
  let gone: Error | undefined;
  for (const part of partsOf(teamIds)) {
    if (signal.aborted) break;
    try {
      const path = "/api/user-groups/delete-many";
      const answer = await callApi<DeletedAnswer>(path, { environment, method: "POST", body: { team_ids: part } });
      deleted.push(...answer.deleted.map(referenceOf));
      onProgress(deleted.length);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "unknown_user_group") gone = error;
      else if (deleted.length === 0) throw error;
      else return { deleted, uncertain: part, failure: error };
    }
  }
  if (deleted.length === 0 && gone) throw gone;
  return { deleted, uncertain: [] };
}

interface Restoration {
  restored: GroupReference[];
  /** not restored: other groups have their ids now */
  conflicts: GroupReference[];
  /** restored, with problems by the definitions */
  incomplete: GroupReference[];
  failure?: Error;
}

/**
 * Restores deleted groups in batches.
 * @throws {ApiError} when none was restored
 */
export async function askToRestoreGroups(environment: string, teamIds: number[]): Promise<Restoration> {
  const restored: GroupReference[] = [];
  const conflicts: GroupReference[] = [];
  const incomplete: GroupReference[] = [];
  let failure: ApiError | undefined;
  for (const part of partsOf(teamIds)) {
    try {
      const path = "/api/user-groups/restore-many";
      const answer = await callApi<RestoredAnswer>(path, { environment, method: "POST", body: { team_ids: part } });
      restored.push(...answer.restored.map(referenceOf));
      conflicts.push(...answer.conflicts.map(referenceOf));
      incomplete.push(...(answer.incomplete ?? []).map(referenceOf));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
    }
  }
  if (restored.length === 0 && failure) throw failure;
  return { restored, conflicts, incomplete, ...(failure && { failure }) };
}

function referenceOf({ team_id, provided_id, name }: DeletedAnswer["deleted"][number]): GroupReference {
  return { teamId: team_id, providedId: provided_id, name };
}

/**
 * Restores one deleted group; with `replace`, the group that has its id now is deleted. Returns whether it has problems by the
 * definitions.
 * @throws {ApiError}
 */
export async function askToRestoreGroup(
  environment: string,
  { provided_id, team_id }: DeletedGroup,
  replace: boolean,
): Promise<boolean> {
  const body = { user_group_id: provided_id, team_id, ...(replace && { replace }) };
  const path = "/api/user-groups/restore";
  const { issues = [] } = await callApi<RestoredGroupAnswer>(path, { environment, method: "POST", body });
  return issues.length > 0;
}

/**
 * Erases a deleted group for good.
 * @throws {ApiError}
 */
export async function askToEraseGroup(environment: string, { team_id }: DeletedGroup): Promise<void> {
  await callApi("/api/user-groups/purge", { environment, method: "POST", body: { team_id } });
}

/**
 * Whether a group is among the deleted ones that can still be restored.
 * @throws {ApiError}
 */
export async function isDeleted(environment: string, { provided_id, team_id }: DeletedGroup): Promise<boolean> {
  const query = { user_group_id: provided_id, limit: "500" };
  const { user_groups } = await callApi<DeletedList>("/api/user-groups/deleted", { environment, query });
  return user_groups.some((group) => group.team_id === team_id);
}
