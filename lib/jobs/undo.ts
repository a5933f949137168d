import { authorOf, type Caller, requireScopes } from "@/lib/auth/caller";
import { query, read, statement } from "@/lib/db/pool";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { AppError } from "@/lib/errors";
import { findUsed } from "@/lib/groups/use";
import type { Lease } from "@/lib/jobs/lease";
import { JobError } from "@/lib/jobs/lines";
import {
  endCheck,
  lastRow,
  planRestoration,
  planRow,
  planState,
  planWhole,
  readRows,
  refusedRow,
  storeInTurn,
  type WantedRow,
} from "@/lib/jobs/rows";
import { KEPT_DAYS } from "@/lib/jobs/schema";
import { undoScopes } from "@/lib/jobs/scopes";
import { formerState } from "@/lib/jobs/serialize";
import { createJob, nameOf } from "@/lib/jobs/service";
import { findJob, type JobRecord, type JobRowRecord } from "@/lib/jobs/stored";
import { isCollision, memberVersions, mergeMembers } from "@/lib/json/merge-members";
import { findDeleted } from "@/lib/store/deletions";
import { findGroups, findGroupsByNumber, type SetGroup } from "@/lib/store/group-set";

/** The most rows to undo at a time. */
const BATCH_ROWS = 500;
const UNDONE = ["changed", "created", "deleted", "restored"] as const;

/**
 * Creates a job that undoes another: changed groups get their former values, deleted groups return with their tokens,
 * and created groups that were never used are deleted.
 * @throws {AppError} `not_found`, `forbidden`, or `conflict` when the other job has not ended, changed nothing, or
 * rotated tokens
 */
export async function beginUndo(caller: Caller, { id, apply }: { id: number; apply: boolean }): Promise<JobRecord> {
  const environmentId = caller.environment.id;
  const { state, mode, name, ended_at, changed, created, deleted, restored } = await findJob(environmentId, id);
  const scopes = undoScopes({ changes: changed, others: created + deleted });
  requireScopes(caller, scopes);
  if (ended_at === null) throw notUndone(`it is ${state}. Wait until it has ended, or cancel it`);
  if (mode === "rotate") throw notUndone("rotated tokens cannot be restored");
  if (changed + created + deleted === 0) throw notUndone("nothing that it did can be undone");
  return createJob(
    environmentId,
    {
      kind: "undo",
      mode: "undo",
      undoes: id,
      applies: apply,
      name: nameOf(`Undo of ${name}`),
      expected: changed + created + deleted + restored,
    },
    { author: authorOf(caller), scope: scopes[0] },
  );
}

function notUndone(why: string): AppError {
  return new AppError("conflict", `The job was not undone: ${why}.`);
}

/**
 * Plans how to undo each applied row of the job to undo, given the groups' current state; resumes after the last known
 * row.
 * @throws {JobError} when the job to undo is no longer kept, {@link LeaseLost}
 */
export async function checkUndo(lease: Lease) {
  const undoes = Number(lease.job.undoes);
  let { line: after } = await lastRow(lease.job.id);
  await lease.repeat(BATCH_ROWS, async (most) => {
    const last = await checkBatch(lease, undoes, { after, most });
    after = last ?? after;
    return last !== undefined;
  });
  // If the job to undo is not due for deletion yet, all its rows were still there.
  if ((await read(KEPT, [undoes])).length === 0)
    throw new JobError("The job to undo was continued, or is no longer kept.");
  await endCheck(lease);
}

const KEPT = statement("kept_job")`SELECT FROM job WHERE id = $1 AND ended_at > now() - interval '${KEPT_DAYS} days'`;

// The job itself turned each of these groups once.
const TURNED = statement("turned_groups")`
  SELECT team_id FROM audit_entry
  WHERE team_id = ANY ($1) AND action IN ('user_group.suspended', 'user_group.resumed')
    AND at > (SELECT created_at FROM job WHERE id = $2)
  GROUP BY team_id HAVING count(*) > 1`;

/** Returns the line of the last planned row, or undefined when none was left. */
async function checkBatch(
  lease: Lease,
  undoes: number,
  place: { after: number; most: number },
): Promise<number | undefined> {
  const { environment_id: environmentId } = lease.job;
  const definitions = await readDefinitions(environmentId);
  const { done, now } = await lease.change(async (client) => {
    const done = await readRows(client, { id: undoes, outcomes: [...UNDONE], ...place });
    const ids = done.flatMap(({ provided_id }) => provided_id ?? []);
    const teamIds = done.flatMap(({ team_id }) => team_id ?? []);
    const groups = await findGroupsByNumber(environmentId, teamIds, client);
    const now = {
      definitions,
      groups: new Map(groups.map((group) => [group.team_id, group])),
      taken: new Set((await findGroups(environmentId, ids, client)).map((group) => group.provided_id)),
      kept: await findDeleted(environmentId, teamIds, client),
      used: await findUsed(client, teamIds),
      turned: new Set((await query<{ team_id: number }>(client, TURNED, [teamIds, undoes])).map((one) => one.team_id)),
    };
    return { done, now };
  });
  await storeInTurn(lease, done, (row) => planUndo(row, now));
  return done.at(-1)?.line;
}

/** The groups' current state. */
interface Now {
  definitions: KnownDefinitions;
  /** by their numbers */
  groups: Map<number, SetGroup>;
  /** those of the rows' ids that groups have */
  taken: Set<string>;
  /** the versions of deleted groups that can be restored, by number */
  kept: Map<number, number>;
  /** the numbers of groups that were used */
  used: Set<number>;
  /** the numbers of groups that were suspended or resumed by others too */
  turned: Set<number>;
}

/** A group's version after its creation. */
const FIRST_VERSION = 1;

function planUndo(done: JobRowRecord, now: Now): JobRowRecord {
  const { line, provided_id, outcome, team_id } = done;
  const refuse = (message: string) => ({ ...refusedRow(line, provided_id, [{ path: [], message }]), team_id });
  const group = now.groups.get(Number(team_id));
  if (outcome === "deleted") {
    if (group) return refuse("was restored since");
    if (now.taken.has(provided_id ?? "")) return refuse("another user group has its id now");
    const version = now.kept.get(Number(team_id));
    if (version === undefined) return refuse("is no longer kept");
    // A restoration raises the version, so with another version this deletion is not the job's.
    return version === done.version ? planRestoration(done) : refuse("was restored since, and deleted again");
  }
  if (outcome === "restored") return refuse("was restored by the job, and is kept");
  if (!group) return refuse("was deleted since");
  if (outcome === "created") {
    if (group.version !== FIRST_VERSION || group.has_origins) return refuse("was changed since, and is kept");
    return now.used.has(group.team_id) ? refuse("was used since, and is kept") : planWhole(line, group, "delete");
  }
  if (done.before === null) return refuse("was erased");
  const before = formerState(done.before);
  if (before.state) {
    const isTheirs = group.state !== before.state && now.turned.has(group.team_id);
    return isTheirs ? refuse("was suspended or resumed since") : planState(line, group, before.state);
  }
  return planFields(done, before, group, now.definitions) ?? refuse("was changed since, and is left unchanged");
}

/**
 * A row that undoes exactly what the job changed in a group; undefined if others have changed the same fields since.
 */
function planFields(
  done: JobRowRecord,
  before: ReturnType<typeof formerState>,
  group: SetGroup,
  definitions: KnownDefinitions,
): JobRowRecord | undefined {
  const was = { ...before, properties: before.properties ?? "null" };
  const now = { ...group, properties: group.properties ?? "null" };
  const wanted: WantedRow = {
    line: done.line,
    provided_id: group.provided_id,
    name: null,
    mapping: null,
    properties: null,
  };
  for (const member of ["name", "mapping", "properties"] as const) {
    const set = done[member] ?? was[member];
    if (set === was[member] || now[member] === was[member]) continue;
    if (now[member] === set) wanted[member] = was[member];
    else if (member === "name") return undefined;
    else {
      const versions = { base: set, mine: was[member], theirs: now[member] };
      if (memberVersions(versions).some(isCollision)) return undefined;
      wanted[member] = mergeMembers(versions);
    }
  }
  return planRow(definitions, wanted, group);
}
