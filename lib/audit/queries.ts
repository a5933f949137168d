import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Activity, ActivityActors } from "@/lib/audit/schema";
import { callApi } from "@/lib/browser/api-client";

/** History filters; an omitted one filters nothing. */
export interface ActivityFilters {
  scope?: string;
  member?: string;
  apiToken?: string;
  action?: string;
  teamId?: string;
  /** ISO dates and times */
  from?: string;
  to?: string;
  cursor?: string;
}

/** A page of the history, newest first. */
export const activityListQuery = (environment: string, filters: ActivityFilters) =>
  queryOptions({
    queryKey: ["activity", environment, "list", filters],
    queryFn: ({ signal }) => callApi<Activity>("/api/admin/activity", { environment, query: { ...filters }, signal }),
    placeholderData: keepPreviousData,
    // Must show the latest change, so never reuse an earlier answer.
    staleTime: 0,
  });

/** The filter options of the history. */
export const activityActorsQuery = (environment: string) =>
  queryOptions({
    queryKey: ["activity", environment, "actors"],
    queryFn: ({ signal }) => callApi<ActivityActors>("/api/admin/activity/actors", { environment, signal }),
  });
