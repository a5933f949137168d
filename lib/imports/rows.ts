import type { PoolClient } from "pg";
import { read, type Statement, transaction } from "@/lib/db/pool";
import { judge } from "@/lib/definitions/judge";
import type { KnownDefinitions } from "@/lib/definitions/service";
import type { FieldIssue } from "@/lib/errors";
import { groupRequest } from "@/lib/groups/schema";
import { hold, type Lease } from "@/lib/imports/lease";
import type { ImportOutcome } from "@/lib/imports/schema";
import { deletePieces, type ImportRowRecord } from "@/lib/imports/service";
import { RawJson, writeJson } from "@/lib/json/raw-json";
import type { SetGroup } from "@/lib/store/group-set";

/** The most characters of rows to read or to plan at a time. */
export const BATCH_CHARACTERS = 1_048_576;

const LAST: Statement = {
  name: "last_import_row",
  text: "SELECT line, team_id FROM import_row WHERE import_id = $1 ORDER BY line DESC LIMIT 1",
};

/** The last row that a check has stored, for another process to resume after; line 0 without any. */
export async function lastRow(id: number): Promise<Pick<ImportRowRecord, "line" | "team_id">> {
  const [last] = await read<Pick<ImportRowRecord, "line" | "team_id">>(LAST, [id]);
  return last ?? { line: 0, team_id: null };
}

const NOTHING = { name: null, mapping: null, properties: null, team_id: null, version: null, before: null };

const COLUMNS = [
  ...(["line", "outcome", "provided_id", "name", "mapping", "properties"] as const),
  ...(["team_id", "version", "before", "issues"] as const),
];

/** Stores the planned effects of an import's next rows, and counts them. */
export async function storeRows(client: PoolClient, id: number, rows: ImportRowRecord[]) {
  await client.query(
    `INSERT INTO import_row (import_id, line, outcome, provided_id, name, mapping, properties, team_id, version, before, issues)
     SELECT $1, * FROM unnest($2::int[], $3::import_outcome[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[], $10::text[], $11::text[])`,
    [id, ...COLUMNS.map((column) => rows.map((row) => row[column]))],
  );
  const count = (outcome: ImportOutcome) => rows.filter((row) => row.outcome === outcome).length;
  await client.query(
    `UPDATE import SET creates = creates + $2, changes = changes + $3, same = same + $4, errors = errors + $5, unnamed = unnamed + $6
     WHERE id = $1`,
    [id, count("create"), count("change"), count("same"), count("error"), rows.filter(isUnnamed).length],
  );
}

/** Whether it is unknown which group a row names. */
function isUnnamed({ outcome, provided_id }: ImportRowRecord): boolean {
  return outcome === "error" && !groupRequest.shape.user_group_id.safeParse(provided_id).success;
}

/** Has an import wait to be applied: each of its rows is stored. */
export async function endCheck(lease: Lease) {
  await transaction(async (client) => {
    await hold(client, lease);
    await client.query("UPDATE import SET state = 'checked' WHERE id = $1", [lease.job.id]);
    await deletePieces(client, lease.job.id);
  });
}

interface Wanted {
  id: number;
  outcomes: ImportOutcome[];
  /** the line before them */
  after: number;
  most: number;
}

const ROW_CHARACTERS = ["mapping", "properties", "before"]
  .map((column) => `coalesce(length(${column}), 0)`)
  .join(" + ");

/** The next rows of an import with these outcomes, up to a number of rows and of characters. */
export async function readRows(client: PoolClient, { id, outcomes, after, most }: Wanted): Promise<ImportRowRecord[]> {
  const { rows } = await client.query<ImportRowRecord>(
    `SELECT * FROM (
       SELECT *, sum(${ROW_CHARACTERS}) OVER (ORDER BY line) - (${ROW_CHARACTERS}) AS before_it FROM (
         SELECT * FROM import_row WHERE import_id = $1 AND line > $2 AND outcome = ANY ($3::import_outcome[])
         ORDER BY line LIMIT ${most}
       ) AS next
     ) AS sized WHERE before_it < ${BATCH_CHARACTERS} ORDER BY line`,
    [id, after, outcomes],
  );
  return rows;
}

/** What a row sets: null for what it leaves as it is. */
export type WantedRow = Pick<ImportRowRecord, "line" | "provided_id" | "name" | "mapping" | "properties">;

/** What a row does to the group with its id, or to none, and what the definitions say of that. */
export function planRow(
  definitions: KnownDefinitions,
  wanted: WantedRow,
  group: SetGroup | undefined,
): ImportRowRecord {
  const row = { ...NOTHING, ...wanted, issues: null };
  const { team_id, version } = group ?? NOTHING;
  if (group && !changes(group, wanted)) return { ...row, outcome: "same", team_id, version };
  const { refusals, warnings } = judgeRow(definitions, wanted, group);
  if (refusals.length > 0) return refusedRow(wanted.line, wanted.provided_id, refusals);
  const issues = warnings.length > 0 ? JSON.stringify(warnings) : null;
  return group
    ? { ...row, outcome: "change", team_id, version, before: snapshot(group), issues }
    : { ...row, outcome: "create", issues };
}

/** What the definitions say of a row that creates a group, or changes this one. */
export function judgeRow(
  definitions: KnownDefinitions,
  { mapping, properties }: Pick<ImportRowRecord, "mapping" | "properties">,
  group: Pick<SetGroup, "mapping" | "properties"> | undefined,
) {
  const after = {
    mapping: mapping ?? group?.mapping ?? "{}",
    properties: properties === "null" ? null : (properties ?? group?.properties ?? null),
  };
  return judge(definitions, after, group);
}

function changes(group: SetGroup, { name, mapping, properties }: WantedRow): boolean {
  return (
    (name !== null && name !== group.name) ||
    (mapping !== null && mapping !== group.mapping) ||
    (properties !== null && properties !== (group.properties ?? "null"))
  );
}

/** A row that cannot be applied. */
export function refusedRow(line: number, providedId: string | null = null, issues: FieldIssue[]): ImportRowRecord {
  return { ...NOTHING, line, outcome: "error", provided_id: providedId, issues: JSON.stringify(issues) };
}

/** A group as a row keeps it. */
function snapshot({ name, mapping, properties }: Pick<SetGroup, "name" | "mapping" | "properties">): string {
  const raw = (text: string) => new RawJson(text, "object");
  return writeJson({ name, mapping: raw(mapping), properties: properties === null ? null : raw(properties) });
}
