import type { Caller } from "@/lib/auth/caller";
import { AppError, type FieldIssue, listIssues } from "@/lib/errors";
import type { Fields } from "@/lib/groups/batch-plan";
import type { BatchMode, BatchResult } from "@/lib/groups/batch-schema";
import { entityTag } from "@/lib/groups/group";
import type { Entry } from "@/lib/groups/idempotency";
import type { GroupMerge } from "@/lib/groups/schema";
import type { SetGroup } from "@/lib/store/group-set";

/** Limits of a chunk: rows, and characters. */
const CHUNK_ROWS = 25;
const CHUNK_CHARACTERS = 524_288;
export interface BatchRow {
  index: number;
  fields: GroupMerge;
  attempts: number;
}

/** A batch that is under way. */
export interface BatchWork {
  caller: Caller;
  mode: BatchMode;
  overlapSeconds: number;
  /** the final results; undefined for rows still to do */
  results: (BatchResult | undefined)[];
  entry: Entry | undefined;
}

/** A group during a chunk. In a dry run it has no version, and no number if it does not exist. */
export interface State {
  teamId?: number | undefined;
  version?: number;
  fields: Fields;
}

export function reasonOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** The first rows, with all rows of each id among them: rows of the same id are done in order. */
export function nextChunk(rows: BatchRow[]): { chunk: BatchRow[]; rest: BatchRow[] } {
  const ids = new Set<string>();
  const [chunk, rest]: [BatchRow[], BatchRow[]] = [[], []];
  let characters = 0;
  for (const row of rows) {
    const { user_group_id: id, mapping, properties } = row.fields;
    if (!ids.has(id) && (ids.size === CHUNK_ROWS || characters > CHUNK_CHARACTERS)) {
      rest.push(row);
      continue;
    }
    ids.add(id);
    characters += (mapping?.text.length ?? 0) + (properties?.text.length ?? 0);
    chunk.push(row);
  }
  return { chunk, rest };
}

/** Splits rows into waves, so that no id occurs twice in a wave and the rows of an id keep their order. */
export function wavesOf(rows: BatchRow[]): BatchRow[][] {
  const waves: BatchRow[][] = [];
  const counts = new Map<string, number>();
  for (const row of rows) {
    const count = counts.get(row.fields.user_group_id) ?? 0;
    counts.set(row.fields.user_group_id, count + 1);
    const wave = waves[count];
    if (wave) wave.push(row);
    else waves[count] = [row];
  }
  return waves;
}

export function stateOf({ team_id, version, name, mapping, properties, ends_at }: SetGroup): State {
  const accessEndsAt = ends_at === null ? null : new Date(ends_at).toISOString();
  return { teamId: team_id, version, fields: { name, mapping, properties, accessEndsAt } };
}

export function resultFor(
  { fields: { user_group_id } }: BatchRow,
  outcome: BatchResult["outcome"],
  group?: Omit<State, "fields">,
) {
  const { teamId, version } = group ?? {};
  const etag = teamId && version ? entityTag({ teamId, version }) : undefined;
  return { user_group_id, outcome, team_id: teamId, etag };
}

export function failedRow(row: BatchRow, { code, message, issues }: AppError): BatchResult {
  return failed(row.fields.user_group_id, { code, message, issues: issues && placed(row, issues) });
}

/** A row's issues, with paths from the root of the request. */
export function placed({ index }: BatchRow, issues: FieldIssue[]): FieldIssue[] {
  return issues.map((issue) => ({ ...issue, path: ["user_groups", index, ...issue.path] }));
}

export function failed(
  user_group_id: string | null,
  { code, message, issues }: Pick<AppError, "code" | "message" | "issues">,
): BatchResult {
  const says = issues ? `This user group was not changed: ${listIssues(issues)}.` : message;
  return { user_group_id, outcome: "error", error: { code, message: says, issues } };
}
