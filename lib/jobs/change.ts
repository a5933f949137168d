import type { PoolClient } from "pg";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { AppError, invalidFields } from "@/lib/errors";
import { mergedField, renamedTo } from "@/lib/groups/group";
import { matchingGroups } from "@/lib/groups/list";
import { type GroupSelection, groupSelection } from "@/lib/groups/list-schema";
import { findUsed } from "@/lib/groups/use";
import type { Lease } from "@/lib/jobs/lease";
import { JobError } from "@/lib/jobs/lines";
import { endCheck, lastRow, planRow, planState, planWhole, readPiece, refusedRow, storeInTurn } from "@/lib/jobs/rows";
import { type ChangeMode, MAX_ROWS } from "@/lib/jobs/schema";
import type { JobRecord, JobRowRecord } from "@/lib/jobs/stored";
import { deleteMembers, renameMembers } from "@/lib/json/edit-members";
import { memberTexts } from "@/lib/json/exact-json";
import { readStoredMembers } from "@/lib/json/json";
import { RawJson, writeJson } from "@/lib/json/raw-json";
import { isSafe } from "@/lib/json/visible-text";
import { findGroups, findGroupsByNumber, lockGroups, type SetGroup } from "@/lib/store/group-set";
import { findNewIds, type NewId } from "@/lib/store/renames";

/** How many names of groups are stored together. */
export const NAMES_IN_PIECE = 500;
/** The most groups to compare at a time. */
const GROUPS_AT_ONCE = 200;

/** Plans what a change does to a group, as a row with this line. */
type Plan = (definitions: KnownDefinitions, group: SetGroup, line: number) => JobRowRecord;

/** A group's fields as JSON text; null for an unchanged field. */
interface Members {
  mapping: string | null;
  properties: string | null;
}

/** Parses a change as stored with its job: its fields, and the filter that selects its groups unless they are named. */
export function readChange({ change }: Pick<JobRecord, "change">) {
  const { where, ...fields } = readStoredMembers(change ?? "{}");
  return { fields, where: where instanceof RawJson ? groupSelection.parse(JSON.parse(where.text)) : undefined };
}

/** Writes the text that {@link readChange} parses. */
export function writeChange(where: GroupSelection | undefined, fields: object): string {
  return writeJson({ where: where && { ...where, filter: where.filter.map(({ text }) => text) }, ...fields });
}

function planOf(mode: ChangeMode, fields: object): Plan {
  if (mode === "rotate") return (_, group, line) => planWhole(line, group, "change");
  if (mode === "delete") return (_, group, line) => planWhole(line, group, "delete");
  if (mode === "suspend") return (_, group, line) => planState(line, group, "suspended");
  if (mode === "resume") return (_, group, line) => planState(line, group, "active");
  const edit = editOf(mode, fields);
  return (definitions, group, line) => {
    const { provided_id, team_id } = group;
    try {
      return { ...planRow(definitions, { line, provided_id, name: null, ...edit(group) }, group), team_id };
    } catch (error) {
      if (!(error instanceof AppError && error.issues)) throw error;
      return { ...refusedRow(line, provided_id, error.issues), team_id };
    }
  };
}

/**
 * The fields were checked when the job began. Only a fix can name members that an API call would refuse.
 * @throws {AppError} `invalid_fields` where a group cannot take the change
 */
function editOf(mode: "set" | "merge" | "rename" | "remove", fields: object): (group: Members) => Members {
  const { mapping, properties } = fields as Partial<Record<keyof Members, RawJson | null>>;
  if (mode === "set" || mode === "merge") {
    const text = (field: keyof Members, was: string | null, given: RawJson) =>
      mode === "set" ? given.text : mergedField(field, was ?? "{}", given.text);
    return (group) => ({
      mapping: mapping ? text("mapping", group.mapping, mapping) : null,
      properties: properties ? text("properties", group.properties, properties) : properties === null ? "null" : null,
    });
  }
  const editing = (field: keyof Members, given: RawJson | null | undefined) => {
    if (!given) return () => null;
    if (mode === "remove") {
      const names = new Set<string>(JSON.parse(given.text));
      return (text: string | null) => text && deleteMembers(text, names);
    }
    const renames = memberTexts(given.text).map(([name, to]) => [name, String(JSON.parse(to))] as const);
    const refuse = (name: string, to: string): never => {
      throw invalidFields([{ path: [field, name], message: `is not renamed: the group already has ${to}` }]);
    };
    return (text: string | null) => text && renameMembers(text, renames, refuse);
  };
  const edits = { mapping: editing("mapping", mapping), properties: editing("properties", properties) };
  return (group) => ({ mapping: edits.mapping(group.mapping), properties: edits.properties(group.properties) });
}

/** Describes a job's change, as its name in the history and in lists. */
export function describeChange(mode: ChangeMode, fields: Record<string, unknown>): string {
  const names = (["mapping", "properties"] as const).flatMap((field) => {
    const value = fields[field];
    const given = value instanceof RawJson ? memberTexts(value.text).map(([name]) => name) : namesIn(value);
    return given.map((name) => {
      if (!isSafe(name)) return "a name with control characters";
      return field === "mapping" ? `schema ${name}` : name;
    });
  });
  return [WORDS[mode], names.join(", ")].join(" ").trim();
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null
    ? Object.entries(value).map(([name, to]) => `${name} to ${to}`)
    : [];
}

const WORDS: Record<ChangeMode, string> = {
  set: "Replace",
  merge: "Set",
  rename: "Rename",
  remove: "Remove",
  suspend: "Suspend",
  resume: "Resume",
  rotate: "Rotate tokens",
  delete: "Delete",
};

/**
 * Plans a change for each of its groups in their current state; resumes after the last known row.
 * @throws {JobError} when too many groups match, {@link LeaseLost}
 */
export async function checkChange(lease: Lease) {
  const { where, fields } = readChange(lease.job);
  const plan = planOf(lease.job.mode as ChangeMode, fields);
  if (where) await checkMatches(lease, where, plan);
  else await checkNamed(lease, plan);
  await endCheck(lease);
}

async function checkMatches(lease: Lease, where: GroupSelection, plan: Plan) {
  const { id, environment_id: environmentId } = lease.job;
  let { line, team_id: after } = await lastRow(id);
  await lease.repeat(GROUPS_AT_ONCE, async (limit) => {
    const { groups: matching, next } = await matchingGroups(environmentId, where, { after: after ?? 0, limit });
    if (line + matching.length > MAX_ROWS) {
      throw new JobError(`More than ${MAX_ROWS.toLocaleString("en")} user groups match. Narrow the filter.`);
    }
    const definitions = await readDefinitions(environmentId);
    const versions = new Map(matching.map(({ team_id, version }) => [team_id, version]));
    const groups = await findGroupsByNumber(environmentId, [...versions.keys()]);
    // A group that has changed since may no longer match. Its row gets the version that matched, so it will be skipped.
    line += await storeInTurn(lease, groups, (group, index) => {
      const version = versions.get(group.team_id) ?? group.version;
      return plan(definitions, { ...group, version }, line + index + 1);
    });
    after = next ?? null;
    return next !== undefined;
  });
}

async function checkNamed(lease: Lease, plan: Plan) {
  const { id, environment_id: environmentId } = lease.job;
  let { line } = await lastRow(id);
  await lease.repeat(GROUPS_AT_ONCE, async (most) => {
    // Each name has a row, so the last row shows how far the names were read.
    const piece = await readPiece(id, Math.floor(line / NAMES_IN_PIECE));
    const inPiece: (string | number)[] = piece ? JSON.parse(piece.toString()) : [];
    const names = inPiece.slice(line % NAMES_IN_PIECE).slice(0, most);
    if (names.length === 0) return false;
    const definitions = await readDefinitions(environmentId);
    const groups = await findNamed(environmentId, names);
    const unknown = names.filter((name) => typeof name === "string" && !groups.has(name)) as string[];
    const newIds = await findNewIds(environmentId, unknown);
    line += await storeInTurn(lease, names, (name, index) => {
      const group = groups.get(name);
      const at = line + index + 1;
      return group ? plan(definitions, group, at) : unknownRow(at, name, newIds.get(String(name)));
    });
    return true;
  });
}

/** Groups by id or by number, depending on the type of the names. */
async function findNamed(environmentId: number, names: (string | number)[]) {
  if (typeof names[0] === "number") {
    const groups = await findGroupsByNumber(environmentId, names as number[]);
    return new Map<string | number, SetGroup>(groups.map((group) => [group.team_id, group]));
  }
  return byId(await findGroups(environmentId, names as string[]));
}

function byId(groups: SetGroup[]): Map<string | number, SetGroup> {
  return new Map(groups.map((group) => [group.provided_id, group]));
}

function unknownRow(line: number, name: string | number, newId: NewId | undefined): JobRowRecord {
  const message = newId === undefined ? "is not a user group of this environment" : renamedTo(newId);
  return typeof name === "string"
    ? refusedRow(line, name, [{ path: ["user_group_id"], message }])
    : refusedRow(line, null, [{ path: ["team_id"], message: `${name} ${message}` }]);
}

/**
 * Locks the groups of rows that name them, and plans again those that have changed since, so that members outside the
 * change keep their new values. A filter's groups may no longer match, so they are not planned again; by a filter for
 * unused groups, those used since are refused.
 */
export async function planAgain(
  client: PoolClient,
  { job, definitions }: { job: JobRecord; definitions: KnownDefinitions },
  rows: JobRowRecord[],
): Promise<JobRowRecord[]> {
  const { where, fields } = readChange(job);
  if (job.kind !== "change") return rows;
  if (where) {
    const isOfUnused = where.used !== "" && !where.used.startsWith("within");
    if (!isOfUnused && !where.filter.some(({ text }) => text === "unused")) return rows;
    const teamIds = rows.map(({ team_id }) => Number(team_id));
    const used = await findUsed(client, teamIds, job.created_at);
    const issues = JSON.stringify([{ path: [], message: "was used in the meantime, and was left unchanged" }]);
    return rows.map((row) => (used.has(Number(row.team_id)) ? { ...row, outcome: "error", issues } : row));
  }
  const plan = planOf(job.mode as ChangeMode, fields);
  const ids = rows.flatMap(({ provided_id }) => provided_id ?? []);
  const groups = byId(await lockGroups(job.environment_id, ids, client));
  return rows.map((row) => {
    const group = groups.get(row.provided_id ?? "");
    const hasChanged = group?.team_id === row.team_id && group?.version !== row.version;
    return group && hasChanged ? plan(definitions, group, row.line) : row;
  });
}
