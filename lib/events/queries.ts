import type { ActivityFilters } from "@/lib/audit/queries";
import { callApi } from "@/lib/browser/api-client";
import type { EventsAnswer } from "@/lib/events/schema";

/** Entries that the feed of the environment does not have show when a wait ends. */
const WAIT_SECONDS = "10";

/**
 * The events after a cursor, of the actions that the filters show; waits for one if there is none.
 * @throws {ApiError}
 */
export function fetchEvents(
  environment: string,
  { after, filters: { action }, signal }: { after: string; filters: ActivityFilters; signal: AbortSignal },
): Promise<EventsAnswer> {
  return callApi("/api/events", { environment, query: { after, wait: WAIT_SECONDS, types: action }, signal });
}

/** Whether the history shows an event under these filters; `from` is left to the history. */
export function isShown(
  { at, actor, data }: EventsAnswer["events"][number],
  { member, api_token, team_id, to }: ActivityFilters,
): boolean {
  const { type, id } = actor;
  return (
    (member === undefined || (type === "member" && id === member)) &&
    (api_token === undefined || (type === "api_token" && id === api_token)) &&
    (team_id === undefined || String(data.team_id) === team_id) &&
    (to === undefined || at <= to)
  );
}
