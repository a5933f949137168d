import { type HistoryRow, snapshotIn } from "@/lib/audit/entries";
import type { HistoryAnswer } from "@/lib/audit/schema";
import { RawJson } from "@/lib/json/raw-json";

type Entry = HistoryAnswer["entries"][number];

/** The only action that changes a token. A rename during a key change gives a token another fingerprint too. */
export const ROTATED = "user_group.token_rotated";

/** One entry of the history: who, what, when, and the states before and after, without any token. */
export function serializeEntry(row: HistoryRow): Entry {
  const [before, after] = [snapshotIn(row.before), snapshotIn(row.after)];
  return {
    ...serializeCommon(row),
    user_group: groupOf(row, after ?? before),
    environment: row.environment,
    before: shownStateOf(row.before, before),
    after: shownStateOf(row.after, after),
    token_changed: row.action === ROTATED,
  };
}

/** The fields of an entry that the history and the feed share. */
export function serializeCommon(row: HistoryRow) {
  const { id, at, action, actor_type, actor_id, actor_name, request_id, team_id } = row;
  const actor = { type: actor_type, id: actor_id, name: actor_name };
  return { id, at: at.toISOString(), action, actor, request_id, team_id };
}

/** The group that an entry is about, by its current or last id and name. */
export function groupOf(
  { team_id, provided_id, name, last_id, last_name }: HistoryRow,
  known: { provided_id: string; name: string } | undefined,
): Entry["user_group"] {
  if (team_id === null) return null;
  if (provided_id !== null && name !== null) return { provided_id, name, exists: true };
  if (last_name !== null) return { provided_id: last_id, name: last_name, exists: false };
  return known ? { provided_id: known.provided_id, name: known.name, exists: false } : null;
}

/** A group's state without facts about its token; any other state as stored. */
export function shownStateOf(text: string | null, group = snapshotIn(text)): object | null {
  return group ?? (text === null ? null : new RawJson(text, "object"));
}
