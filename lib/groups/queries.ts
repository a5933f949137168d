import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/api-client";
import type { FoundByToken, GroupAnswer, GroupListAnswer } from "@/lib/groups/schema";

/** What the list shows: all of it stands in the address. */
export interface ListState {
  search: string;
  filters: string[];
  sort: string;
  cursor: string;
}

/** Everything of an environment's groups; invalidated as a whole by every change. */
export const groupsKey = (environment: string) => ["groups", environment];

/** A page of the list. */
export const groupListQuery = (environment: string, { search, filters, sort, cursor }: ListState) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "list", { search, filters, sort, cursor }],
    queryFn: ({ signal }) =>
      callApi<GroupListAnswer>("/api/admin/groups", {
        environment,
        query: { search, filter: filters.length > 0 ? JSON.stringify(filters) : undefined, sort, cursor },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/**
 * Deletes groups; their tokens stop at once.
 * @throws {ApiError}
 */
export function deleteGroups(environment: string, teamIds: number[]): Promise<unknown> {
  return callApi("/api/admin/groups/delete", { environment, method: "POST", body: { teamIds } });
}

/**
 * Brings back groups that were deleted a moment ago.
 * @throws {ApiError}
 */
export function restoreGroups(environment: string, teamIds: number[]): Promise<unknown> {
  return callApi("/api/admin/groups/restore", { environment, method: "POST", body: { teamIds } });
}

/** A group whole, but for its token. */
export const groupQuery = (environment: string, teamId: string) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "detail", teamId],
    queryFn: ({ signal }) => readGroup(environment, teamId, signal),
  });

async function readGroup(environment: string, teamId: string, signal?: AbortSignal) {
  const path = `/api/admin/groups/${encodeURIComponent(teamId)}`;
  const { group } = await callApi<GroupAnswer>(path, { environment, ...(signal && { signal }) });
  return group;
}

/**
 * Says whose token this is.
 * @throws {ApiError}
 */
export function findByToken(environment: string, text: string, signal: AbortSignal): Promise<FoundByToken> {
  return callApi("/api/admin/groups/find-by-token", { environment, method: "POST", body: { text }, signal });
}

/**
 * Groups as JSON lines in the shape that get-or-create takes, mapping and properties as exact as they are stored.
 * @throws {ApiError}
 */
export async function exportGroups(environment: string, teamIds: number[]): Promise<string> {
  const groups = await Promise.all(teamIds.map((teamId) => readGroup(environment, String(teamId))));
  const lines = groups.map(
    ({ providedId, name, mapping, properties }) =>
      `{"user_group_id":${JSON.stringify(providedId)},"name":${JSON.stringify(name)},"mapping":${mapping},"properties":${properties ?? "null"}}\n`,
  );
  return lines.join("");
}
