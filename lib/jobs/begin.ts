import { createHash } from "node:crypto";
import { authorOf, type Caller, requireScopes } from "@/lib/auth/caller";
import { MEMBERS } from "@/lib/definitions/findings-schema";
import type { Call } from "@/lib/endpoint/call";
import { readInput, requireFields } from "@/lib/endpoint/input";
import { findingIn } from "@/lib/groups/filter";
import { entryOf } from "@/lib/groups/idempotency";
import { groupSelection } from "@/lib/groups/list-schema";
import { describeChange, NAMES_IN_PIECE, writeChange } from "@/lib/jobs/change";
import { changeKind, jobKind, newChange } from "@/lib/jobs/change-schema";
import type { FixRequest } from "@/lib/jobs/fix-schema";
import { type ChangeMode, type NewImport, newImport } from "@/lib/jobs/schema";
import { SCOPES_OF_MODES } from "@/lib/jobs/scopes";
import { createJob, type NewRecord, nameOf } from "@/lib/jobs/service";
import type { JobRecord } from "@/lib/jobs/stored";
import { RawJson, writeJson } from "@/lib/json/raw-json";

/** The most bytes of a body that begins a job. */
export const MAX_JOB_BYTES = 4_194_304;

/** A job to begin, as sent. */
interface Begun {
  job: NewRecord;
  /** of the body, for an Idempotency-Key */
  digest: Buffer;
}

/**
 * Reads a job to begin.
 * @throws {AppError} as readInput does
 */
export async function readNewJob(call: Call, body: Uint8Array): Promise<Begun> {
  const form = readInput(call, body, { schema: jobKind, bodyOnGet: false });
  const digest = createHash("sha256").update(body).digest();
  if (form.kind === "import") return { job: importOf(requireFields(form, newImport)), digest };
  const { mode } = requireFields(form, changeKind);
  return { job: newChangeJob(mode, requireFields(form, newChange(mode))), digest };
}

/** An import as it is stored. */
export function importOf({ file_name, bytes, mode, max_deletions, merge }: Omit<NewImport, "kind">): NewRecord {
  const change = merge && { change: writeJson({ merge }) };
  return { kind: "import", name: file_name, bytes, mode, maxDeletions: max_deletions, ...change };
}

function newChangeJob(mode: ChangeMode, input: ReturnType<ReturnType<typeof newChange>["parse"]>): NewRecord {
  const { user_group_ids, team_ids, where, apply, kind, mode: _, ...fields } = input;
  const names = [...new Set<string | number>(user_group_ids ?? team_ids ?? [])];
  const pieces = Array.from({ length: Math.ceil(names.length / NAMES_IN_PIECE) }, (_, n) =>
    JSON.stringify(names.slice(n * NAMES_IN_PIECE, (n + 1) * NAMES_IN_PIECE)),
  );
  return {
    kind,
    mode,
    applies: apply,
    pieces,
    name: nameOf(describeChange(mode, fields)),
    change: writeChange(where, fields),
    expected: where ? null : names.length,
  };
}

/**
 * Begins a job for a caller of the API; only once for an Idempotency-Key.
 * @throws {AppError} `forbidden` without the scopes of its mode, or as {@link createJob} does
 */
export async function beginJob(caller: Caller, { job, digest }: Begun, key: string | undefined): Promise<JobRecord> {
  if (job.mode === "undo") throw new Error("an undo has a call of its own");
  const scopes = SCOPES_OF_MODES[job.mode];
  requireScopes(caller, scopes);
  const entry = key === undefined ? undefined : entryOf(caller, key, digest);
  return createJob(caller.environment.id, job, { author: authorOf(caller), scope: scopes[0], entry });
}

/**
 * Begins a job that changes one member in all groups with a finding.
 * @throws {AppError} as {@link createJob} does
 */
export function beginFix(caller: Caller, { finding, set, rename_to }: FixRequest): Promise<JobRecord> {
  const key = findingIn(finding);
  const member = key && MEMBERS[key.kind];
  if (!member || key.name === null) throw new Error("a fix has no finding");
  const { name } = key;
  const [mode, value]: [ChangeMode, unknown] = set
    ? ["merge", new RawJson(writeJson({ [name]: set }), "object")]
    : rename_to === undefined
      ? ["remove", [name]]
      : ["rename", { [name]: rename_to }];
  const fields = { [member]: value };
  const change = writeChange(groupSelection.parse({ filter: [finding] }), fields);
  const job = { kind: "change", mode, change, name: nameOf(describeChange(mode, fields)) } as const;
  return createJob(caller.environment.id, job, { author: authorOf(caller), scope: SCOPES_OF_MODES[mode][0] });
}
