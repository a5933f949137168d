import type { PoolClient } from "pg";
import type { Author } from "@/lib/db/authority";
import { transaction } from "@/lib/db/pool";
import { type KnownDefinitions, readDefinitions, withDefinitions } from "@/lib/definitions/service";
import { AppError } from "@/lib/errors";
import { createGroups, type NewGroup, updateGroups } from "@/lib/groups/service";
import { hold, type Lease } from "@/lib/imports/lease";
import { judgeRow, readRows } from "@/lib/imports/rows";
import { formerState } from "@/lib/imports/serialize";
import type { ImportRecord, ImportRowRecord } from "@/lib/imports/service";
import type { GroupChange } from "@/lib/store/changes";
import { removeGroups } from "@/lib/store/deletions";
import { lockVersions } from "@/lib/store/group-set";
import { meter } from "@/lib/telemetry/meter";

/** The most rows at a time: few, so that nobody waits for their groups for long. */
const BATCH_ROWS = 200;

interface Result {
  line: number;
  outcome: "created" | "changed" | "deleted" | "skipped";
  teamId: number | null;
  issues: string | null;
}

/**
 * Applies the rows that create or change something, a few per transaction, together with their outcomes: if a
 * process dies midway, each row is either applied and recorded, or neither.
 * @throws {LeaseLost}
 */
export async function applyRows(lease: Lease, isToStop: () => boolean) {
  let most = BATCH_ROWS;
  for (let after: number | undefined = 0; after !== undefined; ) {
    try {
      after = await applyBatch(lease, { after, most });
    } catch (error) {
      if (most === 1 || !isTimeout(error)) throw error;
      most = Math.ceil(most / 2);
      await transaction((client) => hold(client, lease));
    }
    if (isToStop()) return;
  }
}

/** Whether PostgreSQL cancelled a statement that took too long. */
function isTimeout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "57014";
}

interface Part {
  after: number;
  most: number;
}

/** Returns the line of the last applied row, or nothing when none was left. */
async function applyBatch(lease: Lease, part: Part): Promise<number | undefined> {
  const { job } = lease;
  const apply = async (client: PoolClient, definitions: KnownDefinitions) => {
    await hold(client, lease);
    const rows = await nextRows(client, job.id, part);
    const [allowed, refused] = refuseUndefined(definitions, rows);
    // Changes first: they wait for row locks, and the second step waits while it holds the author's lock.
    const done = [
      ...refused,
      ...(await change(client, { job, rows: allowed, definitions })),
      ...(await create(client, { job, rows: allowed, definitions })),
      ...(await remove(client, job, allowed)),
    ];
    await keep(client, job.id, done);
    return done;
  };
  // As they are now: a row that others refuse is no reason to look again.
  await readDefinitions(job.environment_id);
  const results = await withDefinitions(job.environment_id, (definitions) =>
    transaction((client) => apply(client, definitions)),
  );
  for (const { outcome } of results) {
    if (outcome === "created" || outcome === "changed") meter()?.changed(outcome === "created" ? "created" : "updated");
  }
  if (results.length === 0) meter()?.imported("done");
  return results.length === 0 ? undefined : Math.max(...results.map(({ line }) => line));
}

async function nextRows(client: PoolClient, id: number, part: Part): Promise<ImportRowRecord[]> {
  const rows = await readRows(client, { id, outcomes: ["create", "change", "delete"], ...part });
  // Deletions come last, and in transactions of their own: each takes its locks in one order.
  const files = rows.filter(({ outcome }) => outcome !== "delete");
  return files.length > 0 ? files : rows;
}

/** Rows of an import that the definitions allow. */
interface Allowed {
  job: ImportRecord;
  rows: ImportRowRecord[];
  definitions: KnownDefinitions;
}

/** The rows that the definitions allow, and the others' results: the definitions may have changed since the file was checked. */
function refuseUndefined(definitions: KnownDefinitions, rows: ImportRowRecord[]): [ImportRowRecord[], Result[]] {
  const refused = new Map<number, Result>();
  for (const row of rows) {
    const group = row.before === null ? undefined : formerState(row.before);
    // A change without a group before it was erased.
    if (row.outcome === "delete" || (row.outcome === "change" && !group)) continue;
    const { refusals } = judgeRow(definitions, row, group);
    if (refusals.length === 0) continue;
    refused.set(row.line, { line: row.line, outcome: "skipped", teamId: null, issues: JSON.stringify(refusals) });
  }
  return [rows.filter(({ line }) => !refused.has(line)), [...refused.values()]];
}

async function create(client: PoolClient, { job, rows: all, definitions }: Allowed): Promise<Result[]> {
  const rows = all.filter(({ outcome }) => outcome === "create");
  const changes = rows.map((row) => newGroup(job.environment_id, row));
  const teamIds = await createGroups(client, { changes, author: authorOf(job), definitions });
  return rows.map(({ line }, index) => {
    const teamId = teamIds[index];
    return teamId === undefined
      ? skipped(line, "was created by someone else in the meantime, and was left unchanged")
      : { line, outcome: "created", teamId, issues: null };
  });
}

async function change(client: PoolClient, { job, rows: all, definitions }: Allowed): Promise<Result[]> {
  const rows = all.filter(({ outcome }) => outcome === "change");
  const changes = rows.map((row) => groupChange(job.environment_id, row));
  const updated = await updateGroups(client, { changes, author: authorOf(job), definitions });
  return rows.map(({ line }, index) => {
    const group = updated[index];
    if (!group) return skipped(line, "was deleted in the meantime");
    if (!group.accepted) return skipped(line, "was changed by someone else in the meantime, and was left unchanged");
    return { line, outcome: "changed", teamId: group.team_id, issues: null };
  });
}

/** Deletes the groups that are as they were when the file was checked. */
async function remove(client: PoolClient, job: ImportRecord, all: ImportRowRecord[]): Promise<Result[]> {
  const rows = all.filter(({ outcome }) => outcome === "delete");
  if (rows.length === 0) return [];
  const wanted = new Map(rows.map(({ team_id, version }) => [team_id, version]));
  const environmentId = job.environment_id;
  const locked = await lockVersions(
    environmentId,
    rows.map(({ team_id }) => Number(team_id)),
    client,
  );
  const teamIds = [...locked].filter(([teamId, version]) => wanted.get(teamId) === version).map(([teamId]) => teamId);
  await removeGroups({ environmentId, teamIds, author: authorOf(job) }, client);
  const deleted = new Set(teamIds);
  return rows.map(({ line, team_id }) => {
    const teamId = Number(team_id);
    if (deleted.has(teamId)) return { line, outcome: "deleted", teamId, issues: null };
    return skipped(
      line,
      locked.has(teamId) ? "was changed by someone else in the meantime, and was kept" : "was deleted in the meantime",
    );
  });
}

function skipped(line: number, message: string): Result {
  return { line, outcome: "skipped", teamId: null, issues: JSON.stringify([{ path: [], message }]) };
}

function newGroup(environmentId: number, { provided_id, name, mapping, properties }: ImportRowRecord): NewGroup {
  return {
    environmentId,
    providedId: provided_id ?? "",
    name,
    mapping,
    properties: properties === "null" ? null : properties,
  };
}

function groupChange(environmentId: number, row: ImportRowRecord): GroupChange {
  const { provided_id, name, mapping, properties, team_id, version } = row;
  return {
    environmentId,
    providedId: provided_id ?? "",
    name: name ?? undefined,
    mapping: mapping ?? undefined,
    properties: properties === null ? undefined : properties === "null" ? null : properties,
    tags: [`${team_id}-${version}`],
  };
}

/** The author of every change: the API token or member who applied the import; a member may have signed out since. */
function authorOf({ actor_type, actor_id, actor_name, request_id }: ImportRecord): Author {
  return { actorType: actor_type, actorId: actor_id, actorName: actor_name, requestId: request_id, sessionId: null };
}

/** Stores rows' outcomes; without any, the import is done. */
async function keep(client: PoolClient, id: number, done: Result[]) {
  if (done.length === 0) {
    await client.query("UPDATE import SET state = 'done', ended_at = now() WHERE id = $1", [id]);
    return;
  }
  await client.query(
    `UPDATE import_row r SET outcome = d.outcome, team_id = coalesce(d.team_id, r.team_id), issues = coalesce(d.issues, r.issues)
     FROM unnest($2::int[], $3::import_outcome[], $4::int[], $5::text[]) AS d(line, outcome, team_id, issues)
     WHERE r.import_id = $1 AND r.line = d.line`,
    [
      id,
      done.map(({ line }) => line),
      done.map(({ outcome }) => outcome),
      done.map(({ teamId }) => teamId),
      done.map(({ issues }) => issues),
    ],
  );
  const count = (outcome: string) => done.filter((one) => one.outcome === outcome).length;
  await client.query(
    "UPDATE import SET created = created + $2, changed = changed + $3, skipped = skipped + $4, deleted = deleted + $5 WHERE id = $1",
    [id, count("created"), count("changed"), count("skipped"), count("deleted")],
  );
}
