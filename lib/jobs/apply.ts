import type { PoolClient } from "pg";
import type { Author } from "@/lib/authority/authority";
import { requestFindings } from "@/lib/definitions/findings";
import { type KnownDefinitions, readDefinitions, withDefinitions } from "@/lib/definitions/service";
import { bringBack } from "@/lib/groups/deletion";
import { rotateGroups } from "@/lib/groups/rotation";
import { findUsed } from "@/lib/groups/use";
import { createGroups, updateGroups } from "@/lib/groups/writes";
import { planAgain, readChange } from "@/lib/jobs/change";
import type { Lease } from "@/lib/jobs/lease";
import { judgeRow, readRows, replaceRows } from "@/lib/jobs/rows";
import type { JobOutcome } from "@/lib/jobs/schema";
import { formerState } from "@/lib/jobs/serialize";
import type { JobRecord, JobRowRecord } from "@/lib/jobs/stored";
import { findDeleted, removeGroups } from "@/lib/store/deletions";
import { lockVersions } from "@/lib/store/group-set";
import { setStates } from "@/lib/store/states";
import { meter } from "@/lib/telemetry/current";

/** The most rows at a time: few, so that other changes of their groups do not wait long. */
const BATCH_ROWS = 200;

interface Result {
  line: number;
  outcome: "created" | "changed" | "deleted" | "restored" | "skipped" | "same";
  teamId?: number;
  issues?: string | null;
}

/**
 * Applies the rows that change something, a few per transaction, together with their outcomes: if the process dies
 * midway, each row is either both applied and recorded, or neither.
 * @throws {LeaseLost}
 */
export async function applyRows(lease: Lease) {
  let after = 0;
  await lease.repeat(BATCH_ROWS, async (most) => {
    const next = await applyBatch(lease, after, most);
    after = next ?? after;
    return next !== undefined;
  });
}

/** Returns the line to continue after, or undefined when no row was left. */
async function applyBatch(lease: Lease, after: number, most: number): Promise<number | undefined> {
  const { job } = lease;
  const apply = async (client: PoolClient, definitions: KnownDefinitions) => {
    const { rows: planned, next } = await nextRows(client, job.id, after, most);
    const rows = await planAgain(client, { job, definitions }, planned);
    const changed = rows.filter((row, index) => row !== planned[index]);
    await replaceRows(client, job.id, changed);
    const due = rows.filter(isPlanned);
    const done = await STEPS[stepOf(job, due[0])](client, { job, rows: due, definitions });
    done.push(...rows.filter((row) => !isPlanned(row)).map(settled));
    await storeResults(client, job.id, done);
    return { results: done, next };
  };
  // Read now: withDefinitions reads again only after a thrown refusal, but here a refusal is a row's outcome.
  await readDefinitions(job.environment_id);
  const { results, next } = await withDefinitions(job.environment_id, (definitions) =>
    lease.change((client) => apply(client, definitions)),
  );
  for (const { outcome } of results) {
    if (outcome === "created") meter()?.changed("created");
    if (outcome === "changed") meter()?.changed(job.mode === "rotate" ? "rotated" : "updated");
  }
  if (results.length === 0) {
    meter()?.jobEnded("done");
    await requestFindings(job.environment_id);
  }
  return next;
}

/** Outcomes of rows that can be applied together: each transaction takes its locks in one order. */
const TOGETHER: JobOutcome[][] = [["create", "change"], ["delete"], ["restore"]];
/** The outcomes of rows that are still to be done. */
const PLANNED = TOGETHER.flat();
const isPlanned = ({ outcome }: JobRowRecord) => PLANNED.includes(outcome);

/** The result of a row that changes nothing after it was planned again. */
function settled({ line, outcome, issues }: JobRowRecord): Result {
  return { line, outcome: outcome === "same" ? "same" : "skipped", issues };
}

/** The next rows of one kind, and the line to continue after; undefined when none is left. */
async function nextRows(client: PoolClient, id: number, after: number, most: number) {
  const all = await readRows(client, { id, outcomes: PLANNED, after, most });
  const kind = TOGETHER.find((outcomes) => all.some(({ outcome }) => outcomes.includes(outcome))) ?? [];
  const first = all.find(({ outcome }) => !kind.includes(outcome));
  const rows = all.filter(({ outcome }) => kind.includes(outcome));
  return { rows, next: first ? first.line - 1 : all.at(-1)?.line };
}

type Step = keyof typeof STEPS;

function stepOf({ mode }: JobRecord, row: JobRowRecord | undefined): Step {
  if (row?.outcome === "delete" || row?.outcome === "restore") return row.outcome;
  if (mode === "rotate") return "rotate";
  return row?.state ? "state" : "fields";
}

/** Rows of a job in a transaction. */
interface Rows {
  job: JobRecord;
  rows: JobRowRecord[];
  definitions: KnownDefinitions;
}

const STEPS = { fields: writeFields, state: writeState, rotate, delete: remove, restore };

/** Changes come before creations: changes wait for row locks, and a creation holds the author's lock. */
async function writeFields(client: PoolClient, { rows, ...batch }: Rows): Promise<Result[]> {
  const [allowed, refused] = refuseUndefined(batch.definitions, rows);
  const changed = await change(client, { ...batch, rows: allowed });
  return [...refused, ...changed, ...(await create(client, { ...batch, rows: allowed }))];
}

/** The rows that the definitions allow, and the results of the others: definitions may have changed since the check. */
function refuseUndefined(definitions: KnownDefinitions, rows: JobRowRecord[]): [JobRowRecord[], Result[]] {
  const refused = new Map<number, Result>();
  for (const row of rows) {
    const group = row.before === null ? undefined : formerState(row.before);
    // The group of a change without `before` was erased.
    if (row.outcome === "change" && !group) continue;
    const { refusals } = judgeRow(definitions, row, group);
    if (refusals.length === 0) continue;
    refused.set(row.line, { line: row.line, outcome: "skipped", issues: JSON.stringify(refusals) });
  }
  return [rows.filter(({ line }) => !refused.has(line)), [...refused.values()]];
}

async function create(client: PoolClient, { job, rows: all, definitions }: Rows): Promise<Result[]> {
  const rows = all.filter(({ outcome }) => outcome === "create");
  const changes = rows.map((row) => fieldsOf(job, row));
  const teamIds = await createGroups(client, { changes, author: authorOfJob(job), definitions });
  return rows.map(({ line }, index) => {
    const teamId = teamIds[index];
    return teamId === undefined
      ? skipped(line, "was created or renamed by someone else in the meantime, and was left unchanged")
      : { line, outcome: "created", teamId };
  });
}

async function change(client: PoolClient, { job, rows: all, definitions }: Rows): Promise<Result[]> {
  const rows = all.filter(({ outcome }) => outcome === "change");
  const changes = rows.map((row) => ({ ...fieldsOf(job, row), tags: [tagOf(row)] }));
  const updated = await updateGroups(client, { changes, author: authorOfJob(job), definitions });
  return rows.map(({ line }, index) => {
    const group = updated[index];
    if (!group) return skipped(line, GONE);
    if (!group.accepted) return skipped(line, CHANGED);
    return { line, outcome: "changed", teamId: group.team_id };
  });
}

const GONE = "was deleted or renamed in the meantime";
const CHANGED = "was changed by someone else in the meantime, and was left unchanged";
const OVERLAPPING = "has an earlier token that still works: rotate without an overlap to stop both";
const KEPT = "was changed by someone else in the meantime, and was kept";

async function writeState(client: PoolClient, { job, rows }: Rows): Promise<Result[]> {
  const [{ state = null } = {}] = rows;
  if (state === null) return [];
  const { reason } = readChange(job).fields;
  const asked = {
    environmentId: job.environment_id,
    providedIds: rows.map(({ provided_id }) => provided_id ?? ""),
    reason: typeof reason === "string" ? reason : null,
    tags: rows.map(tagOf),
  };
  const set = await setStates({ ...asked, state }, authorOfJob(job), client);
  const groups = new Map(set.map((group) => [group.team_id, group]));
  return rows.map(({ line, team_id }) => {
    const group = groups.get(Number(team_id));
    if (!group) return skipped(line, GONE);
    return group.accepted ? { line, outcome: "changed" } : skipped(line, CHANGED);
  });
}

/** Gives groups new tokens, which are not shown. */
async function rotate(client: PoolClient, { job, rows }: Rows): Promise<Result[]> {
  const { current, results } = await splitCurrent(client, { job, rows }, CHANGED);
  const { overlap_seconds: overlap } = readChange(job).fields;
  const groups = current.map(({ team_id, provided_id }) => ({
    teamId: Number(team_id),
    providedId: provided_id ?? "",
  }));
  const swapped = await rotateGroups(client, {
    environmentId: job.environment_id,
    author: authorOfJob(job),
    groups,
    overlapSeconds: Number(overlap ?? 0),
  });
  for (const [index, { line }] of current.entries()) {
    const group = swapped[index];
    if (group === "overlap_running") results.push(skipped(line, OVERLAPPING));
    else if (group) results.push({ line, outcome: "changed" });
    else results.push(skipped(line, CHANGED));
  }
  return results;
}

/** Deletes groups that are as they were at the check; an undo also keeps those that were used since. */
async function remove(client: PoolClient, { job, rows }: Rows): Promise<Result[]> {
  const { current, results } = await splitCurrent(client, { job, rows }, KEPT);
  const teamIds = current.map(({ team_id }) => Number(team_id));
  const used = job.kind === "undo" ? await findUsed(client, teamIds) : new Set();
  const unused = teamIds.filter((teamId) => !used.has(teamId));
  await removeGroups({ environmentId: job.environment_id, teamIds: unused, author: authorOfJob(job) }, client);
  for (const { line, team_id } of current) {
    if (used.has(Number(team_id))) results.push(skipped(line, "was used in the meantime, and was kept"));
    else results.push({ line, outcome: "deleted" });
  }
  return results;
}

/** Locks groups; returns the rows of unchanged groups, and results for groups that have changed since the check. */
async function splitCurrent(client: PoolClient, { job, rows }: Pick<Rows, "job" | "rows">, changed: string) {
  const teamIds = rows.map(({ team_id }) => Number(team_id));
  const locked = await lockVersions(job.environment_id, teamIds, client);
  const isCurrent = ({ team_id, version }: JobRowRecord) => locked.get(Number(team_id)) === version;
  const others = rows.filter((row) => !isCurrent(row));
  const results = others.map(({ line, team_id }) => skipped(line, locked.has(Number(team_id)) ? changed : GONE));
  return { current: rows.filter(isCurrent), results };
}

async function restore(client: PoolClient, { job, rows }: Rows): Promise<Result[]> {
  const planned = new Map(rows.map(({ team_id, version }) => [Number(team_id), version]));
  const kept = await findDeleted(job.environment_id, [...planned.keys()], client);
  const teamIds = [...kept].filter(([teamId, version]) => planned.get(teamId) === version).map(([teamId]) => teamId);
  const restored = await bringBack(client, { environmentId: job.environment_id, teamIds, author: authorOfJob(job) });
  const groups = new Map(restored.map((group) => [group.team_id, group]));
  return rows.map(({ line, team_id }) => {
    const group = groups.get(Number(team_id));
    if (!group) return skipped(line, "was restored or erased in the meantime");
    if (!group.restored) return skipped(line, "another user group has its id now, or had it recently");
    return { line, outcome: "restored" };
  });
}

function skipped(line: number, message: string): Result {
  return { line, outcome: "skipped", issues: JSON.stringify([{ path: [], message }]) };
}

/** The group of a row, and what the row sets. */
function fieldsOf({ environment_id }: JobRecord, { provided_id, name, mapping, properties }: JobRowRecord) {
  return {
    environmentId: environment_id,
    providedId: provided_id ?? "",
    name: name ?? undefined,
    mapping: mapping ?? undefined,
    properties: properties === null ? undefined : properties === "null" ? null : properties,
  };
}

const tagOf = ({ team_id, version }: JobRowRecord) => `${team_id}-${version}`;

/** The author of every change: the API token or member that applied the job. A member may have signed out since. */
function authorOfJob({ actor_type, actor_id, actor_name, request_id }: JobRecord): Author {
  return { actorType: actor_type, actorId: actor_id, actorName: actor_name, requestId: request_id, sessionId: null };
}

/** Stores rows' outcomes; without any, the job is done. */
async function storeResults(client: PoolClient, id: number, done: Result[]) {
  if (done.length === 0) {
    // `change` may hold values of groups that are erased later.
    await client.query("UPDATE job SET state = 'done', ended_at = now(), change = NULL WHERE id = $1", [id]);
    return;
  }
  await client.query(
    `UPDATE job_row r SET outcome = d.outcome, team_id = coalesce(d.team_id, r.team_id),
       issues = coalesce(d.issues, r.issues)
     FROM unnest($2::int[], $3::job_outcome[], $4::int[], $5::text[]) AS d(line, outcome, team_id, issues)
     WHERE r.job_id = $1 AND r.line = d.line`,
    [id, ...(["line", "outcome", "teamId", "issues"] as const).map((column) => done.map((one) => one[column]))],
  );
  const count = (outcome: Result["outcome"]) => done.filter((one) => one.outcome === outcome).length;
  await client.query(
    `UPDATE job SET created = created + $2, changed = changed + $3, deleted = deleted + $4, restored = restored + $5,
       skipped = skipped + $6, same = same + $7, changes = changes - $7
     WHERE id = $1`,
    [id, ...(["created", "changed", "deleted", "restored", "skipped", "same"] as const).map(count)],
  );
}
