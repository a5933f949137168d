import type { Activity, ActivityEntry, ActivityState } from "@/lib/audit/schema";
import { type ActivityRow, type GroupSnapshot, snapshotIn } from "@/lib/audit/service";

interface Page {
  rows: ActivityRow[];
  nextCursor: string | null;
}

/** The history's answer: who, what, when, and the states before and after, without any token. */
export function serializeActivity({ rows, nextCursor }: Page): Omit<Activity, "success"> {
  return { entries: rows.map(serializeEntry), nextCursor };
}

function serializeEntry(row: ActivityRow): ActivityEntry {
  const { id, at, action, actor_type, actor_id, actor_name, request_id, team_id, environment } = row;
  const before = snapshotIn(row.before);
  const after = snapshotIn(row.after);
  return {
    id,
    at: at.toISOString(),
    action,
    actorType: actor_type,
    actorId: actor_id,
    actorName: actor_name,
    requestId: request_id,
    teamId: team_id,
    group: groupOf(row, snapshotIn(row.last_known) ?? after ?? before),
    environment,
    before: groupState(before) ?? otherState(row.before),
    after: groupState(after) ?? otherState(row.after),
    tokenChanged: before !== undefined && after !== undefined && before.tokenFingerprint !== after.tokenFingerprint,
  };
}

function groupOf(
  { team_id, provided_id, name }: ActivityRow,
  known: GroupSnapshot | undefined,
): ActivityEntry["group"] {
  if (team_id === null) return null;
  if (provided_id !== null && name !== null) return { providedId: provided_id, name, exists: true };
  return known ? { providedId: known.providedId, name: known.name, exists: false } : null;
}

function groupState(snapshot: GroupSnapshot | undefined): ActivityState | null {
  if (!snapshot) return null;
  const { providedId, name, mapping, properties, accessEndsAt } = snapshot;
  return { kind: "group", providedId, name, mapping, properties, accessEndsAt };
}

function otherState(text: string | null): ActivityState | null {
  return text === null ? null : { kind: "other", fields: JSON.parse(text) };
}
