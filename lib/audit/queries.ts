import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Activity, ActivityActors } from "@/lib/audit/schema";
import { callApi } from "@/lib/browser/api-client";

/** What of the history is asked for; what is left out narrows nothing. */
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

/** A page of the history, the newest first. */
export const activityListQuery = (environment: string, filters: ActivityFilters) =>
  queryOptions({
    queryKey: ["activity", environment, "list", filters],
    queryFn: ({ signal }) => callApi<Activity>("/api/admin/activity", { environment, query: { ...filters }, signal }),
    placeholderData: keepPreviousData,
    // Whatever was just done is in it: no earlier answer will do.
    staleTime: 0,
  });

/** What the history can be filtered by. */
export const activityActorsQuery = (environment: string) =>
  queryOptions({
    queryKey: ["activity", environment, "actors"],
    queryFn: ({ signal }) => callApi<ActivityActors>("/api/admin/activity/actors", { environment, signal }),
  });
