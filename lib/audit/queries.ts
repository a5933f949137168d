import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ActivityActors, HistoryAnswer, HistoryCounts, HistoryExport } from "@/lib/audit/schema";
import { callApi, fetchFile, fetchText } from "@/lib/browser/api-client";
import { elementTexts, parseKeeping } from "@/lib/json/exact-json";

/** History filters, as the API calls them; an omitted one filters nothing. */
export type ActivityFilters = {
  scope?: string;
  member?: string;
  api_token?: string;
  action?: string | string[];
  team_id?: string;
  /** ISO dates and times */
  from?: string;
  to?: string;
  cursor?: string;
  limit?: string;
};

/**
 * A state before or after: a group with mapping and properties as JSON text, definitions, or any other object's few
 * fields.
 */
export type ActivityState =
  | {
      kind: "group";
      /** null for an import row without one */
      providedId: string | null;
      name: string;
      mapping: string;
      properties: string | null;
      /** undefined for never */
      accessEndsAt?: string | undefined;
      /** after a rotation with an overlap: until when the replaced token was to be valid */
      previousTokenValidUntil?: string | undefined;
    }
  /** JSON text */
  | { kind: "definitions"; text: string }
  | { kind: "other"; fields: Record<string, unknown> };

/** An entry of the answer, with its states as they are shown. */
export type ActivityEntry = Omit<AnsweredEntry, "before" | "after"> & Record<"before" | "after", ActivityState | null>;

/** Root query key of an environment's history; every change invalidates it. */
export const activityKey = (environment: string) => ["activity", environment];

/** A page of the history, newest first. */
export const activityListQuery = (environment: string, filters: ActivityFilters) =>
  queryOptions({
    queryKey: [...activityKey(environment), "list", filters],
    queryFn: ({ signal }) => fetchActivity(environment, filters, signal),
    placeholderData: keepPreviousData,
    // Must show the latest change, so never reuse an earlier answer.
    staleTime: 0,
  });

/** How many entries per hour match the history's filters. */
export const activityCountsQuery = (environment: string, { cursor, limit, ...query }: ActivityFilters) =>
  queryOptions({
    queryKey: [...activityKey(environment), "counts", query],
    queryFn: ({ signal }) => callApi<HistoryCounts>("/api/user-groups/history/counts", { environment, query, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** A page of the history. */
async function fetchActivity(
  environment: string,
  query: ActivityFilters,
  signal?: AbortSignal,
): Promise<{ entries: ActivityEntry[]; nextCursor: string | null }> {
  const text = await fetchText("/api/user-groups/history", { environment, query, signal });
  const { entries, next_cursor: nextCursor } = parseKeeping(text, ["entries"]) as {
    entries: string;
    next_cursor: string | null;
  };
  return { entries: elementTexts(entries).map(readEntry), nextCursor };
}

/** The last entry that the filters show; null for none. */
export async function fetchLastEntry(environment: string, filters: ActivityFilters, signal?: AbortSignal) {
  return (await fetchActivity(environment, { ...filters, limit: "1" }, signal)).entries[0] ?? null;
}

/** All entries that the filters show, as a file. */
export function exportActivity(
  environment: string,
  { cursor, limit, ...filters }: ActivityFilters,
  { format, signal }: { format: HistoryExport["format"]; signal: AbortSignal },
) {
  return fetchFile("/api/user-groups/history/export", { environment, query: { ...filters, format }, signal });
}

function readEntry(text: string): ActivityEntry {
  const entry = parseKeeping(text, ["before", "after"]) as unknown as AnsweredEntry;
  // "root (command line)"
  const actor = { ...entry.actor, name: entry.actor.name.replace(/^command line: (.*)$/, "$1 (command line)") };
  return { ...entry, actor, before: readState(entry.before), after: readState(entry.after) };
}

/** An entry of the answer, with its states as JSON text. */
type AnsweredEntry = Omit<HistoryAnswer["entries"][number], "before" | "after"> & Record<"before" | "after", string>;

function readState(text: string): ActivityState | null {
  if (text === "null") return null;
  const state = parseKeeping(text, ["mapping", "properties"]);
  const { provided_id: providedId, name, mapping, properties, access_ends_at: end, ...others } = state;
  const { previous_token_valid_until: previousUntil, ...rest } = others;
  if ("data_sources" in state) return { kind: "definitions", text };
  if (typeof mapping !== "string" || Object.keys(rest).length > 0) return { kind: "other", fields: JSON.parse(text) };
  return {
    kind: "group",
    providedId: typeof providedId === "string" ? providedId : null,
    name: String(name),
    mapping,
    properties: typeof properties === "string" && properties !== "null" ? properties : null,
    accessEndsAt: typeof end === "string" ? end : undefined,
    previousTokenValidUntil: typeof previousUntil === "string" ? previousUntil : undefined,
  };
}

/** The filter options of the history. */
export const activityActorsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...activityKey(environment), "actors"],
    queryFn: ({ signal }) => callApi<ActivityActors>("/api/admin/activity/actors", { environment, signal }),
  });
