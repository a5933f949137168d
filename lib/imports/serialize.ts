import type { FieldIssue } from "@/lib/errors";
import { type Import, type ImportRow, PIECE_BYTES } from "@/lib/imports/schema";
import type { ImportRecord, ImportRowRecord } from "@/lib/imports/service";
import { readStoredMembers } from "@/lib/json/json";
import { type ShallowJson, writeJson } from "@/lib/json/raw-json";

/** An import in an answer. */
export function serializeImport(record: ImportRecord): Import {
  const { id, file_name, state, problem, actor_name, created_at, ended_at, undoes, fix } = record;
  const { mode, max_deletions, creates, changes, same, deletes, errors, created, changed, deleted, skipped } = record;
  return {
    id,
    file_name,
    mode,
    undoes,
    fixes: fix === null ? null : String((JSON.parse(fix) as { finding: unknown }).finding),
    max_deletions: max_deletions === null || max_deletions.endsWith("%") ? max_deletions : Number(max_deletions),
    state,
    problem,
    by: actor_name,
    created_at: created_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    read: readShare(record),
    planned: { create: creates, change: changes, same, delete: deletes, error: errors },
    done: { created, changed, deleted, skipped },
  };
}

function readShare(record: ImportRecord): number {
  const { state, bytes, pieces_read, expected, creates, changes, same, errors } = record;
  if (expected === null) return bytes === 0 ? 1 : Math.min(1, (pieces_read * PIECE_BYTES) / bytes);
  // Groups that were deleted since have no row.
  return state === "checking" ? Math.min(1, (creates + changes + same + errors) / Math.max(1, expected)) : 1;
}

/** A row in an answer, with the group before and after; neither for a row that changes nothing. */
export function serializeImportRow(row: ImportRowRecord): ImportRow {
  const { line, outcome, provided_id, team_id, name, mapping, properties, issues } = row;
  const before = row.before === null ? null : formerState(row.before);
  const found = issues === null ? [] : (JSON.parse(issues) as FieldIssue[]);
  const isBad = outcome === "error" || outcome === "skipped";
  const isBlank = name === null && mapping === null && properties === null;
  const isDeletion = isBlank && (before !== null || outcome === "delete" || outcome === "deleted");
  // A change without fields has lost them to an erasure.
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
        }
      : null,
    issues: isBad ? found : [],
    ...(!isBad && found.length > 0 && { warnings: found }),
  };
}

/** Parses a group stored in {@link ImportRowRecord}. */
export function formerState(text: string): NonNullable<ImportRow["before"]> {
  const { name, mapping, properties } = readStoredMembers(text) as Record<string, ShallowJson>;
  return {
    name: String(name),
    mapping: writeJson(mapping),
    properties: properties === null ? null : writeJson(properties),
  };
}
