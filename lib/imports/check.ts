import { createHash } from "node:crypto";
import { read, type Statement, transaction } from "@/lib/db/pool";
import { type KnownDefinitions, recentDefinitions } from "@/lib/definitions/service";
import type { FieldIssue } from "@/lib/errors";
import { type GroupRequest, groupRequest } from "@/lib/groups/schema";
import { planDeletions } from "@/lib/imports/deletions";
import { hold, type Lease } from "@/lib/imports/lease";
import { FileError } from "@/lib/imports/lines";
import { type FileRow, readFile } from "@/lib/imports/read-file";
import { refusalsOfRow } from "@/lib/imports/refusals";
import { deletePieces, type ImportRowRecord } from "@/lib/imports/service";
import { RawJson, writeJson } from "@/lib/json/raw-json";
import { findGroups, type SetGroup } from "@/lib/store/group-set";

/** Batch limits for comparing rows with groups: rows, or characters. */
const BATCH_ROWS = 500;
const BATCH_CHARACTERS = 1_048_576;
/** Pieces to read between renewals of the lease. */
const PIECES_AT_ONCE = 8;

const PIECE: Statement = {
  name: "read_import_piece",
  text: "SELECT bytes FROM import_piece WHERE import_id = $1 AND n = $2",
};
const LAST_LINE: Statement = {
  name: "last_import_line",
  text: "SELECT coalesce(max(line), 0) AS line FROM import_row WHERE import_id = $1",
};

/**
 * Determines each row's effect without changing anything; resumes after the last known row.
 * @throws {FileError} when the file is unreadable, {@link LeaseLost}
 */
export async function checkFile(lease: Lease, isToStop: () => boolean) {
  const [known] = await read<{ line: number }>(LAST_LINE, [lease.job.id]);
  const progress = { piecesRead: 0 };
  const seen = new Map<string, number>();
  let batch: FileRow[] = [];
  let [rows, characters] = [0, 0];
  for await (const row of readFile(piecesOf(lease, progress))) {
    rows++;
    const checked = refuseRepetition(row, seen);
    if (row.line <= (known?.line ?? 0)) continue;
    batch.push(checked);
    characters += sizeOf(checked);
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    await keep(lease, batch, progress.piecesRead);
    if (isToStop()) return;
    [batch, characters] = [[], 0];
  }
  const isSync = lease.job.mode === "sync";
  if (rows === 0 && !isSync) throw new FileError("The file contains no user groups.");
  await keep(lease, batch, progress.piecesRead);
  if (isSync && !(await planDeletions(lease, isToStop))) return;
  await transaction(async (client) => {
    await hold(client, lease);
    await client.query("UPDATE import SET state = 'checked' WHERE id = $1", [lease.job.id]);
    await deletePieces(client, lease.job.id);
  });
}

async function* piecesOf(lease: Lease, progress: { piecesRead: number }): AsyncGenerator<Buffer> {
  for (;;) {
    // Skipping known rows writes nothing; without renewal others would assume that this process died.
    if (progress.piecesRead % PIECES_AT_ONCE === 0) await transaction((client) => hold(client, lease));
    const [piece] = await read<{ bytes: Buffer }>(PIECE, [lease.job.id, progress.piecesRead]);
    if (!piece) return;
    progress.piecesRead++;
    yield piece.bytes;
  }
}

/** For a repeated id, the first row counts. */
function refuseRepetition(row: FileRow, seen: Map<string, number>): FileRow {
  if (!row.fields) return row;
  const providedId = row.fields.user_group_id;
  // An id would keep alive the text that it was sliced from.
  const digest = createHash("sha256").update(providedId).digest("base64");
  const first = seen.get(digest);
  if (first === undefined) seen.set(digest, row.line);
  if (first === undefined || first === row.line) return row;
  const issues = [
    { path: ["user_group_id"], message: `is already in line ${first}: only the first row of an id counts` },
  ];
  return { line: row.line, providedId, issues };
}

function sizeOf({ fields }: FileRow): number {
  return (fields?.mapping?.text.length ?? 0) + (fields?.properties?.text.length ?? 0);
}

/** Stores the planned effect of rows. */
async function keep(lease: Lease, batch: FileRow[], piecesRead: number) {
  const definitions = await recentDefinitions(lease.job.environment_id);
  await transaction(async (client) => {
    await hold(client, lease);
    const ids = batch.flatMap(({ fields }) => (fields ? [fields.user_group_id] : []));
    const found = await findGroups(lease.job.environment_id, ids, client);
    const groups = new Map(found.map((group) => [group.provided_id, group]));
    const rows = batch.map((row) => planOf(row, groups, definitions));
    await client.query(
      `INSERT INTO import_row (import_id, line, outcome, provided_id, name, mapping, properties, team_id, version, before, issues)
       SELECT $1, * FROM unnest($2::int[], $3::import_outcome[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[], $10::text[], $11::text[])`,
      [lease.job.id, ...COLUMNS.map((column) => rows.map((row) => row[column]))],
    );
    const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
    await client.query(
      `UPDATE import SET pieces_read = $2, creates = creates + $3, changes = changes + $4, same = same + $5, errors = errors + $6,
         unnamed = unnamed + $7
       WHERE id = $1`,
      [
        lease.job.id,
        piecesRead,
        count("create"),
        count("change"),
        count("same"),
        count("error"),
        rows.filter(isUnnamed).length,
      ],
    );
  });
}

/** Whether it is unknown which group a row names. */
function isUnnamed({ outcome, provided_id }: ImportRowRecord): boolean {
  return outcome === "error" && !groupRequest.shape.user_group_id.safeParse(provided_id).success;
}

const COLUMNS = [
  ...(["line", "outcome", "provided_id", "name", "mapping", "properties"] as const),
  ...(["team_id", "version", "before", "issues"] as const),
];

const NOTHING = { name: null, mapping: null, properties: null, team_id: null, version: null, before: null };

function planOf(row: FileRow, groups: Map<string, SetGroup>, definitions: KnownDefinitions): ImportRowRecord {
  const { line, fields } = row;
  if (!fields) return refusedRow(line, row.providedId, row.issues);
  const group = groups.get(fields.user_group_id);
  const wanted = { ...NOTHING, ...textsOf(fields), line, provided_id: fields.user_group_id, issues: null };
  const { team_id, version } = group ?? NOTHING;
  if (group && !changes(group, fields)) return { ...wanted, outcome: "same", team_id, version };
  const refusals = refusalsOfRow(definitions, wanted, group ? "change" : "creation");
  if (refusals.length > 0) return refusedRow(line, fields.user_group_id, refusals);
  return group
    ? { ...wanted, outcome: "change", team_id, version, before: snapshot(group) }
    : { ...wanted, outcome: "create" };
}

function refusedRow(line: number, providedId: string | null = null, issues: FieldIssue[]): ImportRowRecord {
  return { ...NOTHING, line, outcome: "error", provided_id: providedId, issues: JSON.stringify(issues) };
}

/** An omitted field is null. */
function textsOf({ name, mapping, properties }: GroupRequest) {
  const cleared = properties === null ? "null" : null;
  return { name: name ?? null, mapping: mapping?.text ?? null, properties: properties?.text ?? cleared };
}

function changes(group: SetGroup, { name, mapping, properties }: GroupRequest): boolean {
  return (
    (name !== undefined && name !== group.name) ||
    (mapping !== undefined && mapping.text !== group.mapping) ||
    (properties !== undefined && (properties?.text ?? null) !== group.properties)
  );
}

function snapshot({ name, mapping, properties }: SetGroup): string {
  const raw = (text: string) => new RawJson(text, "object");
  return writeJson({ name, mapping: raw(mapping), properties: properties === null ? null : raw(properties) });
}
