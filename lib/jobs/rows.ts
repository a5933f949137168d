import type { PoolClient } from "pg";
import { read, statement } from "@/lib/db/pool";
import { turns } from "@/lib/db/turns";
import { judge } from "@/lib/definitions/judge";
import type { KnownDefinitions } from "@/lib/definitions/service";
import type { FieldIssue } from "@/lib/errors";
import { groupRequest, MAX_OBJECT_BYTES } from "@/lib/groups/schema";
import type { Lease } from "@/lib/jobs/lease";
import type { JobOutcome } from "@/lib/jobs/schema";
import { formerState } from "@/lib/jobs/serialize";
import { deletePieces } from "@/lib/jobs/service";
import type { JobRecord, JobRowRecord } from "@/lib/jobs/stored";
import { RawJson, writeJson } from "@/lib/json/raw-json";
import { HIDDEN_END, hasHiddenEnd } from "@/lib/json/visible-text";
import type { SetGroup } from "@/lib/store/group-set";

/** The most characters of rows to read or to plan at a time. */
export const BATCH_CHARACTERS = 1_048_576;

const LAST = statement("last_job_row")`
  SELECT line, team_id FROM job_row WHERE job_id = $1 ORDER BY line DESC LIMIT 1`;

/** The last row that a check has stored, after which another process can resume; line 0 if there is none. */
export async function lastRow(id: number): Promise<Pick<JobRowRecord, "line" | "team_id">> {
  const [last] = await read<Pick<JobRowRecord, "line" | "team_id">>(LAST, [id]);
  return last ?? { line: 0, team_id: null };
}

const PIECE = statement("read_job_piece")`SELECT bytes FROM job_piece WHERE job_id = $1 AND n = $2`;

/** A piece of a job's file, or of the names of its groups. */
export async function readPiece(id: number, n: number): Promise<Buffer | undefined> {
  return (await read<{ bytes: Buffer }>(PIECE, [id, n]))[0]?.bytes;
}

const NOTHING = {
  name: null,
  mapping: null,
  properties: null,
  state: null,
  team_id: null,
  version: null,
  before: null,
};

const COLUMNS = [
  "line",
  "outcome",
  "provided_id",
  "name",
  "mapping",
  "properties",
  "team_id",
  "version",
  "before",
  "issues",
  "state",
] as const;

/** In the order of the statement's parameters. */
const COUNTED = ["create", "change", "same", "error", "delete", "restore"] as const;

/** So that an erasure waits, and then finds the rows. */
const LOCK_DELETED = "SELECT team_id FROM deleted_group WHERE team_id = ANY ($1) ORDER BY team_id FOR KEY SHARE";
const LIVING = "SELECT team_id FROM user_group WHERE team_id = ANY ($1)";
const ERASED = { name: null, mapping: null, properties: null, before: null, issues: null };

/** Stores the planned effects of a job's next rows without the content of erased groups, and counts them. */
async function storeRows(client: PoolClient, { id, kind }: JobRecord, planned: JobRowRecord[]) {
  const teamIds = planned.flatMap(({ team_id }) => team_id ?? []);
  const kept = new Set<number | null>([null]);
  for (const text of [LOCK_DELETED, LIVING]) {
    const found = await client.query<{ team_id: number }>(text, [teamIds]);
    for (const { team_id } of found.rows) kept.add(team_id);
  }
  // Why an undo leaves a group alone says nothing of its content.
  const isKept = ({ team_id, outcome }: JobRowRecord) => kept.has(team_id) || (kind === "undo" && outcome === "error");
  const rows = planned.map((row) => (isKept(row) ? row : { ...row, ...ERASED }));
  await client.query(
    `INSERT INTO job_row (job_id, ${COLUMNS.join(", ")})
     SELECT $1, * FROM unnest($2::int[], $3::job_outcome[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[],
       $9::int[], $10::text[], $11::text[], $12::group_state[])`,
    [id, ...COLUMNS.map((column) => rows.map((row) => row[column]))],
  );
  const count = (outcome: JobOutcome) => rows.filter((row) => row.outcome === outcome).length;
  await client.query(
    `UPDATE job SET creates = creates + $2, changes = changes + $3, same = same + $4, errors = errors + $5,
       deletes = deletes + $6, restores = restores + $7, unnamed = unnamed + $8
     WHERE id = $1`,
    [id, ...COUNTED.map(count), rows.filter(isUnnamed).length],
  );
}

/**
 * Plans rows, letting other work run between them, then stores them; returns their number. No transaction is open
 * while it plans: a check locks nothing, and applying compares versions.
 */
export async function storeInTurn<Item>(
  lease: Lease,
  items: readonly Item[],
  plan: (item: Item, index: number) => JobRowRecord,
): Promise<number> {
  const yieldTurn = turns();
  const rows: JobRowRecord[] = [];
  for (const [index, item] of items.entries()) {
    await yieldTurn();
    rows.push(plan(item, index));
  }
  await lease.change((client) => storeRows(client, lease.job, rows));
  return rows.length;
}

/** Stores rows that were planned again. */
export async function replaceRows(client: PoolClient, id: number, rows: JobRowRecord[]) {
  if (rows.length === 0) return;
  await client.query(
    `UPDATE job_row r SET mapping = p.mapping, properties = p.properties, version = p.version,
       before = p.before, state = p.state
     FROM unnest($2::int[], $3::text[], $4::text[], $5::int[], $6::text[], $7::group_state[])
       AS p(line, mapping, properties, version, before, state)
     WHERE r.job_id = $1 AND r.line = p.line`,
    [
      id,
      ...(["line", "mapping", "properties", "version", "before", "state"] as const).map((column) =>
        rows.map((row) => row[column]),
      ),
    ],
  );
}

/** Whether a row was refused without a valid id, so that its group is unknown. */
function isUnnamed({ outcome, provided_id }: JobRowRecord): boolean {
  return outcome === "error" && !groupRequest.shape.user_group_id.safeParse(provided_id).success;
}

/** Ends the check once all rows are stored: the job waits for `apply` or, with `applies`, is applied immediately. */
export async function endCheck(lease: Lease) {
  const { id } = lease.job;
  await lease.change(async (client) => {
    await client.query(
      `UPDATE job SET is_begun = applies, state = CASE WHEN applies THEN 'applying' ELSE 'checked' END::job_state
       WHERE id = $1`,
      [id],
    );
    await deletePieces(client, id);
  });
}

interface Wanted {
  id: number;
  outcomes: JobOutcome[];
  /** the line before them */
  after: number;
  most: number;
}

const ROW_CHARACTERS = ["mapping", "properties", "before"]
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(" + ");

/** The next rows of a job with these outcomes, up to a number of rows and of characters. */
export async function readRows(client: PoolClient, { id, outcomes, after, most }: Wanted): Promise<JobRowRecord[]> {
  const { rows } = await client.query<JobRowRecord>(
    `SELECT * FROM (
       SELECT *, sum(${ROW_CHARACTERS}) OVER (ORDER BY line) - (${ROW_CHARACTERS}) AS before_it FROM (
         SELECT * FROM job_row WHERE job_id = $1 AND line > $2 AND outcome = ANY ($3::job_outcome[])
         ORDER BY line LIMIT ${most}
       ) AS next
     ) AS sized WHERE before_it < ${BATCH_CHARACTERS} ORDER BY line`,
    [id, after, outcomes],
  );
  return rows;
}

/** The fields that a row sets; null leaves a field unchanged. */
export type WantedRow = Pick<JobRowRecord, "line" | "provided_id" | "name" | "mapping" | "properties">;

/** Plans what a row does to the group with its id, if there is one, with the definitions' issues. */
export function planRow(definitions: KnownDefinitions, wanted: WantedRow, group: SetGroup | undefined): JobRowRecord {
  const row = { ...NOTHING, ...wanted, issues: null };
  const { team_id, version } = group ?? NOTHING;
  if (group && !changes(group, wanted)) return { ...row, outcome: "same", team_id, version };
  const { refusals, warnings } = judgeRow(definitions, wanted, group, true);
  if (!group && hasHiddenEnd(wanted.provided_id ?? "")) {
    refusals.unshift({ path: ["user_group_id"], message: HIDDEN_END });
  }
  refusals.push(...oversized(wanted));
  if (refusals.length > 0) return refusedRow(wanted.line, wanted.provided_id, refusals);
  const issues = warnings.length > 0 ? JSON.stringify(warnings) : null;
  return group
    ? { ...row, outcome: "change", team_id, version, before: snapshot(group), issues }
    : { ...row, outcome: "create", issues };
}

/** The fields that would be too large after a rename, or after an undo that keeps others' additions. */
function oversized(wanted: WantedRow): FieldIssue[] {
  const members = (["mapping", "properties"] as const).filter(
    (member) => Buffer.byteLength(wanted[member] ?? "") > MAX_OBJECT_BYTES,
  );
  return members.map((member) => ({ path: [member], message: "would have more than 64 KiB after this change" }));
}

/** The definitions' issues with a row that creates a group, or changes the given one. */
export function judgeRow(
  definitions: KnownDefinitions,
  { mapping, properties }: Pick<JobRowRecord, "mapping" | "properties">,
  group: Pick<SetGroup, "mapping" | "properties"> | undefined,
  isPlan = false,
) {
  const after = {
    mapping: mapping ?? group?.mapping ?? "{}",
    properties: properties === "null" ? null : (properties ?? group?.properties ?? null),
  };
  return judge(definitions, after, group, isPlan);
}

function changes(group: SetGroup, { name, mapping, properties }: WantedRow): boolean {
  return (
    (name !== null && name !== group.name) ||
    (mapping !== null && mapping !== group.mapping) ||
    (properties !== null && properties !== (group.properties ?? "null"))
  );
}

/** A row that cannot be applied. */
export function refusedRow(line: number, providedId: string | null, issues: FieldIssue[]): JobRowRecord {
  return { ...NOTHING, line, outcome: "error", provided_id: providedId, issues: JSON.stringify(issues) };
}

/** A row that puts a group into a state. */
export function planState(line: number, group: SetGroup, state: SetGroup["state"]): JobRowRecord {
  const row = { ...NOTHING, line, ...keysOf(group), issues: null };
  return group.state === state
    ? { ...row, outcome: "same" }
    : { ...row, outcome: "change", state, before: snapshot(group, group.state) };
}

/** A row that gives a group another token, or deletes it. */
export function planWhole(line: number, group: SetGroup, outcome: "change" | "delete"): JobRowRecord {
  const before = outcome === "delete" ? snapshot(group) : null;
  return { ...NOTHING, line, ...keysOf(group), outcome, before, issues: null };
}

/** A row that restores a group that another row has deleted. */
export function planRestoration({ line, provided_id, team_id, version, before }: JobRowRecord): JobRowRecord {
  const { name = null, mapping = null, properties = null } = before === null ? {} : formerState(before);
  const group = { provided_id, team_id, version, name, mapping, properties };
  return { ...NOTHING, line, outcome: "restore", ...group, issues: null };
}

function keysOf({ provided_id, team_id, version }: SetGroup) {
  return { provided_id, team_id, version };
}

/** A group as stored in a row, with its state only if the row changes it. */
function snapshot({ name, mapping, properties }: SetGroup, state?: SetGroup["state"]): string {
  const raw = (text: string) => new RawJson(text, "object");
  return writeJson({ name, mapping: raw(mapping), properties: properties === null ? null : raw(properties), state });
}
