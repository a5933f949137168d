import { authorOf, type Caller } from "@/lib/auth/caller";
import { transaction } from "@/lib/db/pool";
import { type FindingKey, readFindingId } from "@/lib/definitions/findings-schema";
import { countFound, findFoundGroups } from "@/lib/definitions/findings-stored";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { MAX_OBJECT_BYTES } from "@/lib/groups/schema";
import type { FixRequest } from "@/lib/imports/fix-schema";
import { hold, type Lease } from "@/lib/imports/lease";
import { endCheck, lastRow, planRow, refusedRow, storeRows } from "@/lib/imports/rows";
import { MOST_ROWS } from "@/lib/imports/schema";
import { createImport, type ImportRecord, type ImportRowRecord, nameOf } from "@/lib/imports/service";
import { deleteMember, renameMember, setMember } from "@/lib/json/edit-members";
import { memberTexts, parseKeeping } from "@/lib/json/exact-json";
import { writeJson } from "@/lib/json/raw-json";
import { isSafe } from "@/lib/json/visible-text";
import { findGroupsByNumber, type SetGroup } from "@/lib/store/group-set";

/** The most groups to fix at a time. */
const BATCH_GROUPS = 200;

/** A fix as it is carried out; `set` is JSON text. */
interface Fix {
  key: FindingKey;
  change: { set: string } | { remove: true } | { renameTo: string };
}

/**
 * Creates an import that changes one member of all groups with a finding.
 * @throws {AppError} as {@link createImport} does
 */
export async function beginFix(caller: Caller, input: FixRequest): Promise<ImportRecord> {
  const fix = writeJson(input);
  const read = readFix(fix);
  const expected = await transaction((client) => countFound(client, caller.environment.id, read.key));
  return createImport(
    caller.environment.id,
    { file_name: nameOf(describeFix(read)), bytes: 0, mode: "upsert" },
    { author: authorOf(caller), origin: { fix, expected: Math.min(expected, MOST_ROWS) } },
  );
}

/** What lists and the history call a fix. */
function describeFix({ key, change }: Fix): string {
  const name = isSafe(key.name) ? key.name : "a name with control characters";
  const member = key.member === "mapping" ? `schema ${name}` : name;
  if ("set" in change) return `Set ${member}`;
  return "renameTo" in change ? `Rename ${member} to ${change.renameTo}` : `Remove ${member}`;
}

function readFix(text: string): Fix {
  const { finding, set, rename_to } = parseKeeping(text, ["set"]);
  const key = readFindingId(String(finding));
  if (!key) throw new Error("an import has no finding to fix");
  if (set !== undefined) return { key, change: { set: String(set) } };
  return { key, change: rename_to === undefined ? { remove: true } : { renameTo: String(rename_to) } };
}

/**
 * Plans a fix for each group with its finding, from the group as it is; resumes after the last known row. Of more groups than an
 * import can have rows, the first are fixed.
 * @throws {LeaseLost}
 */
export async function checkFix(lease: Lease, text: string, isToStop: () => boolean) {
  const fix = readFix(text);
  let { line, team_id: after } = await lastRow(lease.job.id);
  while (line < MOST_ROWS) {
    const limit = Math.min(BATCH_GROUPS, MOST_ROWS - line);
    const teamIds = await findFoundGroups(lease.job.environment_id, fix.key, { after: after ?? 0, limit });
    if (teamIds.length === 0) break;
    line += await checkGroups(lease, fix, { teamIds, line });
    after = Math.max(...teamIds);
    if (isToStop()) return;
  }
  await endCheck(lease);
}

/** Returns the number of rows. */
async function checkGroups({ job, worker }: Lease, fix: Fix, { teamIds, line }: { teamIds: number[]; line: number }) {
  const definitions = await readDefinitions(job.environment_id);
  return transaction(async (client) => {
    await hold(client, { job, worker });
    const groups = await findGroupsByNumber(job.environment_id, teamIds, client);
    const rows = groups.map((group, index) => planFix(definitions, fix, { group, line: line + index + 1 }));
    await storeRows(client, job.id, rows);
    return rows.length;
  });
}

function planFix(
  definitions: KnownDefinitions,
  { key, change }: Fix,
  { group, line }: { group: SetGroup; line: number },
): ImportRowRecord {
  const { provided_id, team_id } = group;
  const member = key.member === "mapping" ? "mapping" : "properties";
  const text = group[member] ?? "{}";
  const members = new Map(memberTexts(text));
  const changed = isFound(definitions, key, members.get(key.name)) ? changeMember(text, key.name, change) : text;
  const wanted = { line, provided_id, name: null, mapping: null, properties: null };
  const refuse = (message: string) => refusedRow(line, provided_id, [{ path: [member, key.name], message }]);
  const plan = () => {
    if (changed === text) return planRow(definitions, wanted, group);
    if ("renameTo" in change && members.has(change.renameTo)) {
      return refuse(`is not renamed: the group has ${change.renameTo}, which is kept`);
    }
    if (Buffer.byteLength(changed) > MAX_OBJECT_BYTES) return refuse("cannot be set: the group would exceed 64 KiB");
    return planRow(definitions, { ...wanted, [member]: changed }, group);
  };
  return { ...plan(), team_id };
}

/** Whether a group still has a finding, given the text of its member. */
function isFound(
  { mappingFindings, propertiesFindings }: KnownDefinitions,
  { kind, member, name }: FindingKey,
  value = "null",
): boolean {
  const isMissing = value === "null";
  if (kind === "missing" || kind === "missing_schema") return isMissing;
  if (isMissing || kind === "near_duplicate") return !isMissing;
  // The rest of the group does not matter: a check reports only some of many names.
  const alone = `{${JSON.stringify(name)}:${value}}`;
  const findings = member === "mapping" ? mappingFindings(alone) : propertiesFindings(alone);
  return findings.some((finding) => finding.kind === kind);
}

function changeMember(object: string, name: string, change: Fix["change"]): string {
  if ("set" in change) return setMember(object, name, change.set);
  return "renameTo" in change ? renameMember(object, name, change.renameTo) : deleteMember(object, name);
}
