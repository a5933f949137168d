import { createHash } from "node:crypto";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import type { FieldIssue } from "@/lib/errors";
import { renamedTo } from "@/lib/groups/group";
import type { GroupRequest } from "@/lib/groups/schema";
import { planDeletions } from "@/lib/jobs/deletions";
import type { Lease } from "@/lib/jobs/lease";
import { JobError } from "@/lib/jobs/lines";
import { type FileRow, readFile } from "@/lib/jobs/read-file";
import { BATCH_CHARACTERS, endCheck, lastRow, planRow, readPiece, refusedRow, storeInTurn } from "@/lib/jobs/rows";
import type { JobRowRecord } from "@/lib/jobs/stored";
import { mergePatch } from "@/lib/json/merge-patch";
import { findGroups, type SetGroup } from "@/lib/store/group-set";
import { findNewIds, type NewId } from "@/lib/store/renames";

/** The most rows to compare with groups at a time. */
const BATCH_ROWS = 500;
/** What spreadsheets turn long numbers, dates and failed formulas into. */
const SPREADSHEET_VALUE =
  /^(\d([.,]\d+)?E[+-]\d+|#(N\/A|NAME\?|REF!|VALUE!|NUM!|NULL!|DIV\/0!)|\d{1,2}-[a-z]{3}(-\d\d)?|[a-z]{3}-\d\d)$/i;
/** Pieces to read between renewals of the lease. */
const PIECES_AT_ONCE = 8;

/**
 * Determines each row's effect without changing anything; resumes after the last known row.
 * @throws {JobError} when the file is unreadable, {@link LeaseLost}
 */
export async function checkFile(lease: Lease) {
  const known = await lastRow(lease.job.id);
  const progress: Progress = { piecesRead: 0 };
  const seen = new Map<string, number>();
  let batch: FileRow[] = [];
  let rows = 0;
  let characters = 0;
  for await (const row of readFile(piecesOf(lease, progress))) {
    rows++;
    const checked = refuseRepetition(row, seen);
    if (row.line <= known.line) continue;
    batch.push(checked);
    characters += sizeOf(checked);
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    await keep(lease, batch, progress);
    [batch, characters] = [[], 0];
  }
  const isSync = lease.job.mode === "sync";
  if (rows === 0 && !isSync) throw new JobError("The file contains no user groups.");
  await keep(lease, batch, progress);
  if (isSync) await planDeletions(lease);
  await endCheck(lease);
}

type Progress = { piecesRead: number };

async function* piecesOf(lease: Lease, progress: Progress): AsyncGenerator<Buffer> {
  for (;;) {
    // Skipping known rows writes nothing; without renewal others would assume that this process died.
    if (progress.piecesRead % PIECES_AT_ONCE === 0) await lease.renew();
    const piece = await readPiece(lease.job.id, progress.piecesRead);
    if (!piece) return;
    progress.piecesRead++;
    yield piece;
  }
}

/** For a repeated id, only the first row counts, even if it is refused. */
function refuseRepetition(row: FileRow, seen: Map<string, number>): FileRow {
  const providedId = row.fields ? row.fields.user_group_id : row.providedId;
  if (providedId === undefined) return row;
  // Stores a digest, because an id would keep alive the text that it was sliced from.
  const digest = createHash("sha256").update(providedId).digest("base64");
  const first = seen.get(digest);
  if (first === undefined) seen.set(digest, row.line);
  if (!row.fields || first === undefined || first === row.line) return row;
  const issues = [
    { path: ["user_group_id"], message: `is already in line ${first}: only the first row of an id counts` },
  ];
  return { line: row.line, providedId, issues };
}

function sizeOf({ fields }: FileRow): number {
  return (fields?.mapping?.text.length ?? 0) + (fields?.properties?.text.length ?? 0);
}

/** Stores the planned effect of rows. */
async function keep(lease: Lease, batch: FileRow[], progress: Progress) {
  const { id, environment_id: environmentId, change } = lease.job;
  let from = 0;
  await lease.repeat(BATCH_ROWS, async (most) => {
    const part = batch.slice(from, from + most);
    const definitions = await readDefinitions(environmentId);
    const ids = part.flatMap(({ fields }) => (fields ? [fields.user_group_id] : []));
    const found = await findGroups(environmentId, ids);
    const groups = new Map(found.map((group) => [group.provided_id, group]));
    const unknown = ids.filter((one) => !groups.has(one));
    const newIds = await findNewIds(environmentId, unknown);
    from += await storeInTurn(lease, part, (row) =>
      planOf(row, { groups, newIds, definitions, merges: change !== null }),
    );
    return from < batch.length;
  });
  await lease.change((client) =>
    client.query("UPDATE job SET pieces_read = $2 WHERE id = $1", [id, progress.piecesRead]),
  );
}

interface Known {
  groups: Map<string, SetGroup>;
  /** the new ids of renamed groups, by their former ones */
  newIds: Map<string, NewId>;
  definitions: KnownDefinitions;
  /** whether rows are merged into groups */
  merges: boolean;
}

function planOf(row: FileRow, { groups, newIds, definitions, merges }: Known): JobRowRecord {
  const { line, fields } = row;
  if (!fields) return refusedRow(line, row.providedId ?? null, row.issues);
  const newId = newIds.get(fields.user_group_id);
  if (newId !== undefined) {
    return refusedRow(line, fields.user_group_id, [{ path: ["user_group_id"], message: renamedTo(newId) }]);
  }
  const wanted = { line, provided_id: fields.user_group_id, ...textsOf(fields) };
  const group = groups.get(fields.user_group_id);
  if (merges) {
    for (const field of ["mapping", "properties"] as const) {
      const patch = fields[field];
      if (!patch) continue;
      const was = group?.[field] ?? "{}";
      const merged = mergePatch(was, patch.text, { shallow: true });
      wanted[field] = merged === was ? null : merged;
    }
  }
  return warnOfSpreadsheet(planRow(definitions, wanted, group));
}

function warnOfSpreadsheet(row: JobRowRecord): JobRowRecord {
  if (row.outcome !== "create" || !SPREADSHEET_VALUE.test(row.provided_id ?? "")) return row;
  const message =
    "looks like what a spreadsheet made of another id: format the column as text, and enter the ids again";
  const others: FieldIssue[] = row.issues === null ? [] : JSON.parse(row.issues);
  return { ...row, issues: JSON.stringify([{ path: ["user_group_id"], message }, ...others]) };
}

/** An omitted field is null. */
function textsOf({ name, mapping, properties }: GroupRequest) {
  const cleared = properties === null ? "null" : null;
  return { name: name ?? null, mapping: mapping?.text ?? null, properties: properties?.text ?? cleared };
}
