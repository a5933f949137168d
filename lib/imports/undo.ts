import type { PoolClient } from "pg";
import { authorOf, type Caller } from "@/lib/auth/caller";
import { read, type Statement, transaction } from "@/lib/db/pool";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { AppError } from "@/lib/errors";
import { hold, type Lease } from "@/lib/imports/lease";
import { FileError } from "@/lib/imports/lines";
import { endCheck, lastRow, planRow, readRows, refusedRow, storeRows, type WantedRow } from "@/lib/imports/rows";
import { KEPT_DAYS } from "@/lib/imports/schema";
import { formerState } from "@/lib/imports/serialize";
import { createImport, findImport, type ImportRecord, type ImportRowRecord, nameOf } from "@/lib/imports/service";
import { findGroups, type SetGroup } from "@/lib/store/group-set";

/** The most rows to undo at a time. */
const BATCH_ROWS = 500;

/**
 * Creates an import that gives the groups that another one changed what they had before.
 * @throws {AppError} `not_found`, or `conflict` when that one has not ended, or changed no group
 */
export async function beginUndo(caller: Caller, { import_id }: { import_id: number }): Promise<ImportRecord> {
  const { state, file_name, ended_at, changed, created, deleted } = await findImport(caller.environment.id, import_id);
  if (ended_at === null) throw notUndone(`it is ${state}. Wait for its end, or cancel it`);
  if (changed === 0) throw notUndone("it changed no user group");
  return createImport(
    caller.environment.id,
    { file_name: nameOf(`Undo of ${file_name}`), bytes: 0, mode: "upsert" },
    { author: authorOf(caller), origin: { undoes: import_id, expected: changed + created + deleted } },
  );
}

function notUndone(why: string): AppError {
  return new AppError("conflict", `The import is not undone: ${why}.`);
}

/**
 * Plans the undoing of each applied row of the import that this one undoes, from the groups as they are; resumes after the last
 * known row.
 * @throws {FileError} when that import is no longer kept, {@link LeaseLost}
 */
export async function checkUndo(lease: Lease, undoes: number, isToStop: () => boolean) {
  for (let after: number | undefined = (await lastRow(lease.job.id)).line; after !== undefined; ) {
    after = await checkBatch(lease, undoes, after);
    if (isToStop()) return;
  }
  await requireKept(undoes);
  await endCheck(lease);
}

const KEPT: Statement = {
  name: "kept_import",
  text: `SELECT FROM import WHERE id = $1 AND ended_at > now() - interval '${KEPT_DAYS} days'`,
};

/** Its rows were all there if it is not yet due to go. */
async function requireKept(undoes: number) {
  if ((await read(KEPT, [undoes])).length === 0) throw new FileError("The import to undo is no longer kept.");
}

/** Returns the line of the last planned row, or nothing when none was left. */
async function checkBatch({ job, worker }: Lease, undoes: number, after: number): Promise<number | undefined> {
  const definitions = await readDefinitions(job.environment_id);
  return transaction(async (client: PoolClient) => {
    await hold(client, { job, worker });
    const outcomes = ["changed" as const, "created" as const, "deleted" as const];
    const done = await readRows(client, { id: undoes, outcomes, after, most: BATCH_ROWS });
    const ids = done.flatMap(({ provided_id }) => provided_id ?? []);
    const groups = new Map(
      (await findGroups(job.environment_id, ids, client)).map((group) => [group.provided_id, group]),
    );
    const rows = done.map((row) => planUndo(definitions, row, groups.get(row.provided_id ?? "")));
    await storeRows(client, job.id, rows);
    return rows.at(-1)?.line;
  });
}

const STAYS: Partial<Record<ImportRowRecord["outcome"], string>> = {
  created: "was created by the import, and is kept",
  deleted: "was deleted by the import: it can be restored",
};

function planUndo(definitions: KnownDefinitions, done: ImportRowRecord, group: SetGroup | undefined): ImportRowRecord {
  const { line, provided_id, outcome, team_id } = done;
  const refuse = (message: string) => refusedRow(line, provided_id, [{ path: [], message }]);
  const stays = STAYS[outcome];
  if (stays) return refuse(stays);
  if (done.before === null) return refuse("was erased");
  if (!group || group.team_id !== team_id) return refuse("was deleted since the import");
  const before = formerState(done.before);
  const was = { ...before, properties: before.properties ?? "null" };
  const now = { ...group, properties: group.properties ?? "null" };
  const wanted: WantedRow = { line, provided_id, name: null, mapping: null, properties: null };
  for (const member of ["name", "mapping", "properties"] as const) {
    const set = done[member] ?? was[member];
    if (now[member] !== set && now[member] !== was[member]) {
      return refuse("was changed since the import, and is left unchanged");
    }
    if (set !== was[member]) wanted[member] = was[member];
  }
  return planRow(definitions, wanted, group);
}
