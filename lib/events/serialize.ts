import { type HistoryRow, snapshotIn } from "@/lib/audit/entries";
import { groupOf, ROTATED, serializeCommon, shownStateOf } from "@/lib/audit/serialize";
import type { EventsAnswer } from "@/lib/events/schema";
import type { EventPage } from "@/lib/events/service";
import { readStoredMembers } from "@/lib/json/json";
import { type ShallowJson, writeJson } from "@/lib/json/raw-json";

type Event = EventsAnswer["events"][number];

/** The feed's answer: who did what, and which members changed; their values only with states. Never a token. */
export function serializeEvents({ rows, nextCursor, caughtUp, withStates }: EventPage): Omit<EventsAnswer, "success"> {
  return { events: rows.map((row) => serializeEvent(row, withStates)), next_cursor: nextCursor, caught_up: caughtUp };
}

/** One entry of the history as an event. */
export function serializeEvent(row: HistoryRow, withStates = false): Event {
  const { id, at, action, actor, request_id, team_id } = serializeCommon(row);
  const { before, after } = row;
  return {
    id,
    type: action,
    at,
    actor,
    request_id,
    data: {
      team_id,
      ...subjectOf(row),
      changed: changedMembers(row),
      ...(withStates && { before: shownStateOf(before), after: shownStateOf(after) }),
    },
  };
}

/** One entry of the history as a line of the command `events`: an event with its environment and states. */
export function serializeRecord(row: HistoryRow) {
  const { data, ...event } = serializeEvent(row, true);
  return { ...event, environment: row.environment, ...data };
}

/** The id and name in the entry itself, otherwise the group's current or last ones. */
function subjectOf(row: HistoryRow): Pick<Event["data"], "provided_id" | "name"> {
  const known = snapshotIn(row.after) ?? snapshotIn(row.before);
  if (known) return { provided_id: known.provided_id, name: known.name };
  const group = groupOf(row, undefined);
  if (group) return { provided_id: group.provided_id, name: group.name };
  const { name } = membersOf(row.after ?? row.before);
  return { provided_id: null, name: typeof name === "string" ? name : null };
}

/** The names of the members whose text differs between two states; none without both. */
function changedMembers({ action, before, after }: HistoryRow): string[] {
  if (before === null || after === null) return [];
  const [was, is] = [membersOf(before), membersOf(after)];
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names]
    .filter((name) => textOf(was[name]) !== textOf(is[name]) && (name !== "token_fingerprint" || action === ROTATED))
    .map((name) => (name === "token_fingerprint" ? "token" : name));
}

function textOf(value: ShallowJson | undefined): string | undefined {
  return value === undefined ? undefined : writeJson(value);
}

function membersOf(state: string | null): Record<string, ShallowJson | undefined> {
  return state === null ? {} : readStoredMembers(state);
}
