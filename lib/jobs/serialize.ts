import { json } from "@/lib/endpoint/call";
import type { FieldIssue } from "@/lib/errors";
import { type Job, type JobRow, PIECE_BYTES } from "@/lib/jobs/schema";
import { canApply, type JobRecord, type JobRowRecord, rowsLeft } from "@/lib/jobs/stored";
import { readStoredMembers } from "@/lib/json/json";
import { writeJson } from "@/lib/json/raw-json";

/** A job in an answer. */
export function serializeJob(record: JobRecord): Job {
  const { id, kind, name, mode, state, problem, actor_name, created_at, ended_at, undoes, max_deletions } = record;
  const { creates, changes, same, deletes, restores, errors } = record;
  const { created, changed, deleted, restored, skipped } = record;
  return {
    id,
    kind,
    name,
    mode,
    undoes,
    max_deletions: max_deletions === null || max_deletions.endsWith("%") ? max_deletions : Number(max_deletions),
    state,
    problem,
    by: actor_name,
    created_at: created_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    read: readShare(record),
    planned: { create: creates, change: changes, delete: deletes, restore: restores, same, error: errors },
    done: { created, changed, deleted, restored, skipped },
    left: rowsLeft(record),
    can_apply: canApply(record),
    can_undo: ended_at !== null && mode !== "rotate" && created + changed + deleted > 0,
  };
}

/** The answer with a job. */
export function answerJob(record: JobRecord) {
  return json({ job: serializeJob(record) });
}

function readShare(record: JobRecord): number {
  const { state, bytes, pieces_read, expected, creates, changes, same, errors, deletes, restores } = record;
  if (bytes > 0) return Math.min(1, (pieces_read * PIECE_BYTES) / bytes);
  if (state !== "checking") return 1;
  // Groups deleted since the job began have no row.
  const rows = creates + changes + same + errors + deletes + restores;
  return expected === null ? 0 : Math.min(1, rows / Math.max(1, expected));
}

/** A row in an answer, with the group before and after; with neither if the row changes nothing. */
export function serializeJobRow(row: JobRowRecord): JobRow {
  const { line, outcome, provided_id, team_id, name, mapping, properties, issues } = row;
  const before = row.before === null ? null : formerState(row.before);
  const found = issues === null ? [] : (JSON.parse(issues) as FieldIssue[]);
  const isBad = outcome === "error" || outcome === "skipped";
  const isBlank = name === null && mapping === null && properties === null && row.state === null;
  const isDeletion = isBlank && (before !== null || outcome === "delete" || outcome === "deleted");
  // A change without fields is a rotation, or its fields were erased.
  const isErased = isBlank && (outcome === "change" || outcome === "changed");
  const isWritten = provided_id !== null && outcome !== "error" && outcome !== "same" && !isDeletion && !isErased;
  return {
    line: isDeletion ? null : line,
    outcome,
    provided_id,
    team_id,
    before,
    after: isWritten
      ? {
          name: name ?? before?.name ?? provided_id,
          mapping: mapping ?? before?.mapping ?? "{}",
          properties: properties === null ? (before?.properties ?? null) : properties === "null" ? null : properties,
          ...(row.state && { state: row.state }),
        }
      : null,
    issues: isBad ? found : [],
    ...(!isBad && found.length > 0 && { warnings: found }),
  };
}

/** Parses a group stored in {@link JobRowRecord}. */
export function formerState(text: string): NonNullable<JobRow["before"]> {
  const { name, mapping, properties, state } = readStoredMembers(text);
  return {
    ...((state === "active" || state === "suspended") && { state }),
    name: String(name),
    mapping: writeJson(mapping),
    properties: properties === null ? null : writeJson(properties),
  };
}
