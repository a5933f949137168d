import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { ApiError, callApi, callWithHeaders, fetchText } from "@/lib/browser/api-client";
import type { FoundAnswer } from "@/lib/groups/answer-schema";
import type { GroupListAnswer } from "@/lib/groups/list-schema";
import type { GroupReference, groupForm } from "@/lib/groups/schema";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";
import { elementTexts, parseKeeping } from "@/lib/json/exact-json";
import { writeJson } from "@/lib/json/raw-json";

/** The state of the list, all of it in the URL. */
export interface ListState {
  search: string;
  /** conditions on properties, as in `plan:is:"pro"`, and findings */
  filters: string[];
  /** active, suspended or ended; empty for any */
  state: string;
  /** when the token was last used, in the API's form; empty for any time */
  used: string;
  sort: string;
  cursor: string;
  /** whether the cursor leads to the page before */
  back: boolean;
}

/** A list that shows all groups. */
export const ALL_GROUPS: ListState = {
  search: "",
  filters: [],
  state: "",
  used: "",
  sort: "-updated",
  cursor: "",
  back: false,
};

/** A replaced token during its overlap. */
export interface PreviousToken {
  validUntil: string;
  /** its last use, before or after it was replaced; null if never used */
  lastUsedAt: string | null;
}

/** A group without its token; mapping and properties are JSON text, so that parsing does not change them. */
export interface Group extends GroupReference {
  mapping: string;
  properties: string | null;
  state: "active" | "suspended" | "ended";
  accessEndsAt: string | null;
  createdAt: string;
  updatedAt: string;
  rotatedAt: string;
  /** last use of the current token or an earlier one; null if never used */
  lastUsedAt: string | null;
  /** first use of the current token; null if it has none, or had it before this was recorded */
  firstUsedAt: string | null;
  /** the token before the current one, while it still works; null without an overlap */
  previousToken: PreviousToken | null;
  /** for If-Match */
  etag: string;
}

/** A page of groups; a very large total is an estimate. */
export interface GroupPage {
  groups: Group[];
  previousCursor: string | null;
  nextCursor: string | null;
  total: { count: number; exact: boolean };
}

/** Root query key of an environment's groups; every change invalidates it. */
export const groupsKey = (environment: string) => ["groups", environment];

/** A page of the list. */
export const groupListQuery = (environment: string, list: ListState) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "list", list],
    queryFn: ({ signal }) => fetchPage(environment, groupListParameters(list), { signal, back: list.back }),
    placeholderData: keepPreviousData,
  });

/** Counts of groups by state, and the properties of a sample. */
export const summaryQuery = (environment: string) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "summary"],
    queryFn: ({ signal }) => callApi<SummaryAnswer>("/api/user-groups/summary", { environment, signal }),
  });

/** The most groups on a page of the list. */
export const PAGE = 50;

type Query = Record<string, string | string[]>;

interface Way {
  signal?: AbortSignal | undefined;
  /** whether to skip empty pages backward rather than forward */
  back?: boolean | undefined;
}

/** The next page in this direction that has a group, or the last page. */
export async function fetchPage(environment: string, query: Query, { signal, back }: Way = {}): Promise<GroupPage> {
  let cursor = query.cursor ?? "";
  for (;;) {
    const page = readGroups(await fetchText("/api/user-groups", { environment, query: { ...query, cursor }, signal }));
    const further = back ? page.previousCursor : page.nextCursor;
    if (page.groups.length > 0 || further === null) return query.cursor ? page : { ...page, previousCursor: null };
    cursor = further;
  }
}

/** Parses a prefetched list; undefined if the browser must continue past an empty page. */
export function readPrefetchedList(text: string): GroupPage | undefined {
  const page = readGroups(text);
  return page.groups.length > 0 || page.nextCursor === null ? page : undefined;
}

/** Parses a list's answer for one group; undefined when the group does not exist. */
export function readOneGroup(text: string): Group | undefined {
  return readGroups(text).groups[0];
}

/** Parses the text of a list's answer. */
function readGroups(text: string): GroupPage {
  const answer = parseKeeping(text, ["user_groups"]);
  return {
    groups: elementTexts(String(answer.user_groups)).map(readGroup),
    previousCursor: answer.previous_cursor as string | null,
    nextCursor: answer.next_cursor as string | null,
    total: { count: Number(answer.total), exact: answer.total_is_exact === true },
  };
}

function readGroup(text: string): Group {
  const answered = parseKeeping(text, ["mapping", "properties"]) as unknown as AnsweredGroup;
  return {
    teamId: answered.team_id,
    providedId: answered.provided_id,
    name: answered.name,
    mapping: answered.mapping,
    properties: answered.properties === "null" ? null : answered.properties,
    state: answered.state,
    accessEndsAt: answered.access_ends_at,
    createdAt: answered.created_at,
    updatedAt: answered.updated_at,
    rotatedAt: answered.rotated_at,
    lastUsedAt: answered.token_last_used_at,
    firstUsedAt: answered.token_first_used_at,
    previousToken: answered.previous_token && {
      validUntil: answered.previous_token.valid_until,
      lastUsedAt: answered.previous_token.last_used_at,
    },
    etag: answered.etag,
  };
}

/** A group of the answer, with mapping and properties as JSON text. */
type AnsweredGroup = Omit<GroupListAnswer["user_groups"][number], "mapping" | "properties"> & {
  mapping: string;
  properties: string;
};

const SORTED_BY: Record<string, string> = { id: "user_group_id", created: "team_id", updated: "updated_at" };

/** The API's query parameters of a list. */
export function groupListParameters({ search, filters, state, used, sort, cursor }: ListState): Query {
  const [, minus = "", by = ""] = /^(-?)(.*)$/.exec(sort) ?? [];
  const order = `${minus}${SORTED_BY[by] ?? by}`;
  return { search, filter: filters, state, used, sort: order, cursor, limit: String(PAGE) };
}

/** A group's number as text. */
export const TEAM_NUMBER = /^[1-9]\d{0,8}$/;

/** A group. */
export const groupQuery = (environment: string, teamId: string) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "detail", teamId],
    queryFn: ({ signal }) => fetchGroup(environment, teamId, signal),
  });

/** The version in an ETag such as "3-2". */
export function versionOf(etag: string): number {
  return Number(/-(\d+)"$/.exec(etag)?.[1]);
}

/** The current state of a group. */
export async function fetchGroup(environment: string, teamId: string, signal?: AbortSignal): Promise<Group> {
  const { groups } = await fetchPage(environment, { team_id: teamId }, { signal });
  const [group] = groups;
  if (!group) throw noSuchGroup();
  return group;
}

/** Whether a group with this number exists. */
export async function groupExists(environment: string, teamId: number): Promise<boolean> {
  return (await fetchGroup(environment, String(teamId)).catch(unlessGone)) !== undefined;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "not_found") throw error;
}

/**
 * The headers that bind a change to the group with this number: its id may be another group's by now. Fetching them is
 * part of the change, and is not retried either.
 * @throws {ApiError} `not_found`
 */
export async function headersFor(environment: string, { teamId }: GroupReference): Promise<{ "If-Match": string }> {
  const query = { team_id: String(teamId) };
  const group = readOneGroup(await fetchText("/api/user-groups", { environment, query, isRepeatable: false }));
  if (!group) throw noSuchGroup();
  return { "If-Match": group.etag };
}

function noSuchGroup(): ApiError {
  const message = "No such user group in this environment. It may have been deleted.";
  return new ApiError({ code: "not_found", message });
}

/** The form's output: the API's fields. */
type GroupFields = z.output<typeof groupForm>;

/** Creates a group. `created` is false when the id exists; that group stays unchanged. */
export async function askToCreateGroup(environment: string, fields: GroupFields) {
  const body = writeJson(fields);
  const path = "/api/user/get-or-create";
  const answer = await callApi<FoundAnswer>(path, { environment, method: "POST", body });
  const { new_user_group: created, user_group } = answer;
  return { created, teamId: user_group.team_id, name: user_group.name };
}

/**
 * Changes the given fields if the group still matches `etag`; with PATCH, only the given members of mapping and
 * properties. Returns the new tag, or undefined if a proxy dropped it.
 * @throws {ApiError} `stale` if the group does not match
 */
export async function askToUpdateGroup(
  environment: string,
  etag: string,
  fields: Partial<GroupFields> & Pick<GroupFields, "user_group_id">,
  method: "PUT" | "PATCH" = "PUT",
): Promise<string | undefined> {
  const options = { environment, method, body: writeJson(fields), headers: { "If-Match": etag } };
  const { headers } = await callWithHeaders("/api/user", options);
  // A proxy that compresses marks the tag.
  const [, version] = /"(\d+-\d+)/.exec(headers.get("ETag") ?? "") ?? [];
  return version && `"${version}"`;
}
