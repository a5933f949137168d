import type { ActivityFilters } from "@/lib/audit/queries";
import { callApi } from "@/lib/browser/api-client";
import type { EventsAnswer } from "@/lib/events/schema";

/** Entries that the feed of the environment does not have show when a wait ends. */
const WAIT_SECONDS = "10";

interface Question {
  after: string;
  filters: ActivityFilters;
  signal: AbortSignal;
}

/**
 * The events after a cursor, of the actions that the filters show; waits for one if there is none.
 * @throws {ApiError}
 */
export function fetchEvents(
  environment: string,
  { after, filters: { action }, signal }: Question,
): Promise<EventsAnswer> {
  return callApi("/api/events", { environment, query: { after, wait: WAIT_SECONDS, types: action }, signal });
}

/** Whether the history shows an event under these filters; `from` is left to the history. */
export function isShown(
  { at, actor, data }: EventsAnswer["events"][number],
  { member, apiToken, teamId, to }: ActivityFilters,
): boolean {
  const { type, id } = actor;
  return (
    (member === undefined || (type === "member" && id === member)) &&
    (apiToken === undefined || (type === "api_token" && id === apiToken)) &&
    (teamId === undefined || String(data.team_id) === teamId) &&
    (to === undefined || at <= to)
  );
}
