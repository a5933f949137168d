import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { callApi, fetchText } from "@/lib/browser/api-client";
import type { CopyAnswer, CopyInput, GroupCounts, GroupKind, GroupMember } from "@/lib/comparison/schema";
import { elementTexts, parseKeeping } from "@/lib/json/exact-json";

const PATH = "/api/admin/comparison";
/** A refetch reads all pages again, so that only the reader asks for one. */
const ONCE = { staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000 };

/** Root query key of the comparisons from an environment. */
export const comparisonKey = (environment: string) => ["comparison", environment];

/** A part of the settings of two environments, as JSON texts; `null` for a webhook that one of them has not. */
export interface ComparedPart {
  name: string;
  here: string;
  there: string;
  /** null for what cannot be copied */
  tag: string | null;
}

/** The settings of two environments, part by part. */
export const comparedPartsQuery = (environment: string, other: string) =>
  queryOptions({
    queryKey: [...comparisonKey(environment), "parts", other],
    queryFn: ({ signal }) => fetchComparedParts(environment, other, signal),
    staleTime: 0,
  });

/**
 * The settings of two environments, part by part.
 * @throws {ApiError}
 */
export async function fetchComparedParts(
  environment: string,
  other: string,
  signal?: AbortSignal,
): Promise<ComparedPart[]> {
  const text = await fetchText(PATH, { environment, query: { with: other }, ...(signal && { signal }) });
  const { parts } = parseKeeping(text, ["parts"]);
  return elementTexts(String(parts)).map((part) => parseKeeping(part, ["here", "there"]) as unknown as ComparedPart);
}

/**
 * Copies compared parts, all or none.
 * @throws {ApiError} `stale` when one has changed since
 */
export function askToCopyParts(environment: string, body: CopyInput): Promise<CopyAnswer> {
  return callApi(`${PATH}/copy`, { environment, method: "POST", body });
}

/** A group in one of two environments; mapping and properties are JSON text, of a group that both have. */
export interface ComparedSide {
  teamId: number;
  name: string;
  state: "active" | "suspended" | "ended";
  mapping: string;
  properties: string | null;
}

/** A group that two environments do not have alike. */
export interface ComparedGroup {
  providedId: string;
  kind: GroupKind;
  differing: GroupMember[];
  here: ComparedSide | null;
  there: ComparedSide | null;
}

export type ShownKind = GroupKind | "all";

/** The groups that two environments do not have alike, by id; a page may be empty before the end. */
export const comparedGroupsQuery = (environment: string, other: string, show: ShownKind) =>
  infiniteQueryOptions({
    queryKey: [...comparisonKey(environment), "groups", other, show],
    queryFn: ({ pageParam: cursor, signal }) => fetchComparedGroups(environment, { with: other, show, cursor }, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...ONCE,
  });

/** The numbers of groups, part by part: they take a while where there are many. */
export const groupCountsQuery = (environment: string, other: string) =>
  infiniteQueryOptions({
    queryKey: [...comparisonKey(environment), "counts", other],
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi<GroupCounts>(`${PATH}/groups/counts`, { environment, query: { with: other, cursor }, signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...ONCE,
  });

async function fetchComparedGroups(environment: string, query: Record<string, string>, signal: AbortSignal) {
  const text = await fetchText(`${PATH}/groups`, { environment, query, signal });
  const { groups, next_cursor: nextCursor } = parseKeeping(text, ["groups"]);
  return { groups: elementTexts(String(groups)).map(readGroup), nextCursor: nextCursor as string | null };
}

function readGroup(text: string): ComparedGroup {
  const { user_group_id, kind, differing, here, there } = parseKeeping(text, ["here", "there"]);
  return {
    providedId: String(user_group_id),
    kind: kind as GroupKind,
    differing: differing as GroupMember[],
    here: readSide(String(here)),
    there: readSide(String(there)),
  };
}

function readSide(text: string): ComparedSide | null {
  if (text === "null") return null;
  const { team_id, name, state, mapping = "{}", properties = "null" } = parseKeeping(text, ["mapping", "properties"]);
  return {
    teamId: Number(team_id),
    name: String(name),
    state: state as ComparedSide["state"],
    mapping: String(mapping),
    properties: properties === "null" ? null : String(properties),
  };
}
