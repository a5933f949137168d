import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { ApiError, callApi, callWithHeaders, fetchFile } from "@/lib/browser/api-client";
import type {
  GroupDetail as GroupAnswer,
  GroupExport,
  GroupList,
  GroupReference,
  groupForm,
} from "@/lib/groups/schema";
import { partsOf } from "@/lib/groups/selection-limit";
import { writeJson } from "@/lib/json/raw-json";

/** The state of the list, all of it in the URL. */
export interface ListState {
  search: string;
  filters: string[];
  /** when the token was last used, in the API's form; empty for any time */
  used: string;
  sort: string;
  cursor: string;
}

/** A complete group without its token. */
export type Group = GroupAnswer["group"];

/** Root query key of an environment's groups; every change invalidates it. */
export const groupsKey = (environment: string) => ["groups", environment];

/** A page of the list. */
export const groupListQuery = (environment: string, list: ListState) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "list", list],
    queryFn: ({ signal }) =>
      callApi<GroupList>("/api/admin/groups", { environment, query: groupListParameters(list), signal }),
    placeholderData: keepPreviousData,
  });

/** The API's query parameters of a list. */
export function groupListParameters({ search, filters, used, sort, cursor }: ListState) {
  return { search, filter: filters.join(", "), used, sort, cursor };
}

/** The most groups that "all matches" can select. */
export const MAX_MATCHES = 10_000;
/** Page size when fetching them. */
const MATCHES_ASKED = "500";

/**
 * All groups that a list matches now, in order of creation; undefined when there are too many.
 * @throws {ApiError}
 */
export async function fetchMatches(environment: string, list: ListState): Promise<GroupReference[] | undefined> {
  const matches: GroupReference[] = [];
  let cursor = "";
  do {
    // In this order each group appears exactly once, even if others change during the walk.
    const query = { ...groupListParameters({ ...list, sort: "created", cursor }), limit: MATCHES_ASKED };
    const page = await callApi<GroupList>("/api/admin/groups", { environment, query });
    matches.push(...page.groups);
    cursor = page.nextCursor ?? "";
    if (matches.length > MAX_MATCHES) return undefined;
  } while (cursor !== "");
  return matches;
}

/** A complete group without its token. */
export const groupQuery = (environment: string, teamId: string) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "detail", teamId],
    queryFn: ({ signal }) => fetchGroup(environment, teamId, signal),
    select: ({ group }) => group,
  });

/**
 * The current state of a group.
 * @throws {ApiError}
 */
export function fetchGroup(environment: string, teamId: string, signal?: AbortSignal): Promise<GroupAnswer> {
  return callApi(`/api/admin/groups/${encodeURIComponent(teamId)}`, { environment, ...(signal && { signal }) });
}

/**
 * Whether a group with this number exists.
 * @throws {ApiError}
 */
export async function groupExists(environment: string, teamId: number): Promise<boolean> {
  return (await fetchGroup(environment, String(teamId)).catch(unlessGone)) !== undefined;
}

/**
 * All groups that a list matches, as a file.
 * @throws {ApiError}
 */
export function exportList(
  environment: string,
  { search, filters, used }: ListState,
  { format, signal }: { format: GroupExport["format"]; signal: AbortSignal },
) {
  const query = { search, filter: filters.join(", "), used, format };
  return fetchFile("/api/admin/groups/export", { environment, query, signal });
}

/**
 * Groups as JSON lines in get-or-create's shape, with mapping and properties exactly as stored; missing groups
 * are left out.
 * @throws {ApiError}
 */
export async function fetchGroupLines(environment: string, teamIds: number[]): Promise<string[]> {
  const lines: string[] = [];
  for (const part of partsOf(teamIds)) {
    const groups = await Promise.all(part.map((teamId) => fetchGroup(environment, String(teamId)).catch(unlessGone)));
    lines.push(...groups.flatMap((answer) => (answer ? [lineOf(answer.group)] : [])));
  }
  return lines;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "not_found") throw error;
}

function lineOf({ providedId, name, mapping, properties }: Group): string {
  const [id, called] = [JSON.stringify(providedId), JSON.stringify(name)];
  return `{"user_group_id":${id},"name":${called},"mapping":${mapping},"properties":${properties ?? "null"}}\n`;
}

/** The form's output: the API's fields. */
type GroupFields = z.output<typeof groupForm>;

/**
 * Creates a group. `created` is false when the id exists; that group stays unchanged.
 * @throws {ApiError}
 */
export async function askToCreateGroup(environment: string, fields: GroupFields) {
  const body = writeJson(fields);
  const path = "/api/user/get-or-create";
  const answer = await callApi<FoundAnswer>(path, { environment, method: "POST", body });
  const { new_user_group: created, user_group } = answer;
  return { created, teamId: user_group.team_id, name: user_group.name };
}

interface FoundAnswer {
  new_user_group: boolean;
  user_group: { team_id: number; name: string };
}

/**
 * Changes the given fields if the group still matches `etag`; returns the new tag.
 * @throws {ApiError} `stale` if it does not
 */
export async function askToUpdateGroup(
  environment: string,
  etag: string,
  fields: Partial<GroupFields> & Pick<GroupFields, "user_group_id">,
): Promise<string> {
  const options = { environment, method: "PUT", body: writeJson(fields), headers: { "If-Match": etag } } as const;
  const { headers } = await callWithHeaders("/api/user", options);
  return headers.get("ETag") ?? etag;
}
