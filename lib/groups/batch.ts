import { setTimeout as sleep } from "node:timers/promises";
import type { PoolClient } from "pg";
import { authorOf, type Caller, countedAs, requireScopes } from "@/lib/auth/caller";
import type { Scope, ScopeCondition } from "@/lib/authority/scopes";
import { Semaphore } from "@/lib/config/semaphore";
import { transaction } from "@/lib/db/pool";
import { turns } from "@/lib/db/turns";
import { type KnownDefinitions, readDefinitions, withDefinitions } from "@/lib/definitions/service";
import { type AppError, type ErrorCode, invalidFields, unavailable } from "@/lib/errors";
import { foresee } from "@/lib/groups/batch-dry-run";
import type { Batch } from "@/lib/groups/batch-input";
import { alreadyExists, type Fields, type Plan, planAllowed } from "@/lib/groups/batch-plan";
import {
  type BatchRow,
  type BatchWork,
  failed,
  failedRow,
  nextChunk,
  reasonOf,
  resultFor,
  type State,
  stateOf,
  wavesOf,
} from "@/lib/groups/batch-rows";
import type { BatchMode, BatchResult } from "@/lib/groups/batch-schema";
import { claim, entryOf, keepAnswer, keptAnswer } from "@/lib/groups/idempotency";
import { overlapRunning, rotateGroups } from "@/lib/groups/rotation";
import { repeatedlyLost } from "@/lib/groups/service";
import { createGroups, updateGroups } from "@/lib/groups/writes";
import { limitOf } from "@/lib/limits/limits";
import { removeGroups } from "@/lib/store/deletions";
import { lockGroups } from "@/lib/store/group-set";
import { findNewIds, type NewId } from "@/lib/store/renames";
import { meter } from "@/lib/telemetry/current";

// A batch is done in chunks, each in one transaction: locks are short, and other requests run between chunks.

/** Time for all chunks in milliseconds, within the time limit of a request. */
const TIME_MS = 1_400;
/** How often a row may lose the race to create its group. */
const ATTEMPTS = 3;

const NEEDED: Partial<Record<BatchMode, Scope>> = {
  create: "groups:create",
  upsert: "groups:create",
  delete: "groups:delete",
  rotate: "tokens:rotate",
};

/** The scopes that batches of some modes need. */
export const BATCH_CONDITIONS: ScopeCondition[] = Object.entries(NEEDED).map(([mode, scope]) => ({
  scope,
  when: `in the mode ${mode}`,
}));

/** Errors after which no further chunk can succeed. */
const ENDING: ReadonlySet<ErrorCode> = new Set(["unauthorized", "forbidden", "not_found", "idempotency_conflict"]);

/** At most two chunks at a time in a process: single changes need connections too. */
const chunks = new Semaphore(2);

/**
 * Carries out a batch: rows succeed or fail separately, and rows of the same id are done in order. A row that was not
 * done in time has the error `unavailable`. With an Idempotency-Key, a repeated call does only the remaining rows, and
 * returns the first results of the others.
 * @throws {AppError} `forbidden` without the scope of the mode; when nothing was done, the reason
 */
export async function runBatch(
  caller: Caller,
  { mode, isDryRun, overlapSeconds, rows, digest }: Batch,
  idempotencyKey: string | undefined,
): Promise<BatchResult[]> {
  const scope = NEEDED[mode];
  if (scope) requireScopes(caller, [scope]);
  const isKept = idempotencyKey !== undefined && !isDryRun;
  const work: BatchWork = {
    caller,
    mode,
    overlapSeconds,
    results: rows.map((row) => (row.fields ? undefined : failed(row.providedId, invalidFields(row.issues)))),
    entry: isKept ? entryOf(caller, idempotencyKey, digest) : undefined,
  };
  const left = rows.flatMap(({ fields }, index) => (fields ? [{ index, fields, attempts: 0 }] : []));
  const transients = isDryRun ? await foresee(work, left) : await doChunks(work, left);
  return work.results.map((result, index) => {
    const known = result ?? transients.get(index);
    if (!known) throw new Error("a batch has no result for a row");
    return known;
  });
}

/** Does all chunks; returns the results that a repeated call may change. */
async function doChunks(work: BatchWork, all: BatchRow[]): Promise<Map<number, BatchResult>> {
  const transients = new Map<number, BatchResult>();
  const until = performance.now() + TIME_MS;
  const environmentId = work.caller.environment.id;
  if (all.length === 0 && !work.entry) return transients;
  // Refused rows do not fail a chunk, so withDefinitions would not read the definitions again for them.
  await readDefinitions(environmentId);
  let failure: AppError | undefined;
  let waiting = all;
  do {
    const { chunk, rest } = nextChunk(waiting);
    try {
      await withinTime(until, () =>
        withDefinitions(environmentId, (definitions) => doChunk(work, { chunk, definitions }, transients)),
      );
      const open = chunk.filter(({ index }) => work.results[index] === undefined && !transients.has(index));
      waiting = [...open, ...rest];
    } catch (error) {
      failure = reasonOf(error);
      const isLast = ENDING.has(failure.code) || performance.now() >= until;
      for (const row of isLast ? waiting : chunk) transients.set(row.index, failedRow(row, failure));
      waiting = isLast ? [] : rest;
    }
  } while (waiting.length > 0);
  if (failure && transients.size === all.length) throw failure;
  return transients;
}

/**
 * Does a chunk in its turn. A chunk that has run out of time may still complete.
 * @throws {AppError} `unavailable`
 */
function withinTime(until: number, run: () => Promise<void>) {
  const refuse = (): never => {
    throw unavailable("time for a batch", "Not done in time, or not confirmed.");
  };
  const late = sleep(Math.max(0, until - performance.now()), undefined, { ref: false }).then(refuse);
  return Promise.race([chunks.run(undefined, async () => (performance.now() < until ? run() : refuse())), late]);
}

/** Does a chunk in one transaction. */
async function doChunk(
  work: BatchWork,
  { chunk, definitions }: { chunk: BatchRow[]; definitions: KnownDefinitions },
  transients: Map<number, BatchResult>,
) {
  const done = await transaction(async (client) => {
    const kept = work.entry && !(await claim(client, work.entry)) && (await keptAnswer<Kept>(client, work.entry));
    const results: Kept = kept || [...work.results];
    const rows = chunk.filter(({ index }) => !results[index]);
    const found = { states: new Map(), newIds: new Map(), results: new Map(), transients: new Map() };
    const step: Step = { work, client, definitions, ...found };
    await doRows(step, rows);
    for (const [index, result] of step.results) results[index] = result;
    if (work.entry) await keepAnswer(client, work.entry, results);
    return { ...step, kept: results };
  });
  for (const [index, result] of done.kept.entries()) work.results[index] ??= result ?? undefined;
  for (const [index, result] of done.results) {
    work.results[index] = result;
    const { outcome } = result;
    if (outcome === "created") limitOf("creations")?.count(countedAs(work.caller));
    if (outcome === "changed") meter()?.changed("updated");
    else if (outcome === "created" || outcome === "rotated") meter()?.changed(outcome);
  }
  for (const [index, result] of done.transients) transients.set(index, result);
}

/** Stored as JSON, where null means no result. */
type Kept = (BatchResult | null | undefined)[];

/** A chunk in its transaction. */
interface Step {
  work: BatchWork;
  client: PoolClient;
  definitions: KnownDefinitions;
  states: Map<string, State>;
  /** the new ids of renamed groups, by their former ones */
  newIds: Map<string, NewId>;
  results: Map<number, BatchResult>;
  transients: Map<number, BatchResult>;
}

async function doRows(step: Step, rows: BatchRow[]) {
  const { work, client, states } = step;
  if (rows.length === 0) return;
  const environmentId = work.caller.environment.id;
  const ids = [...new Set(rows.map(({ fields }) => fields.user_group_id))];
  if (work.mode !== "create") {
    for (const group of await lockGroups(environmentId, ids, client)) states.set(group.provided_id, stateOf(group));
  }
  const unknown = ids.filter((id) => !states.has(id));
  for (const [id, newId] of await findNewIds(environmentId, unknown, client)) step.newIds.set(id, newId);
  const lost = new Set<string>();
  for (const wave of wavesOf(rows)) {
    const due = wave.filter(({ fields }) => !lost.has(fields.user_group_id));
    for (const id of await doWave(step, due)) lost.add(id);
  }
}

/** Does rows with distinct ids; returns the ids that another call has just created. */
async function doWave(step: Step, rows: BatchRow[]): Promise<string[]> {
  const { work, states } = step;
  const yieldTurn = turns();
  const planned: Record<Plan["outcome"], Planned[]> = { created: [], changed: [], same: [], deleted: [], rotated: [] };
  for (const row of rows) {
    await yieldTurn();
    try {
      const was = states.get(row.fields.user_group_id);
      const newId = step.newIds.get(row.fields.user_group_id);
      const plan = planAllowed(step.definitions, { mode: work.mode, row: row.fields, was: was?.fields, newId });
      planned[plan.outcome].push({ row, was, after: plan.after });
    } catch (error) {
      step.results.set(row.index, failedRow(row, reasonOf(error)));
    }
  }
  for (const { row, was } of planned.same) step.results.set(row.index, resultFor(row, "same", was));
  // Changes first: they can wait for the author's lock, which creations hold while they wait for others.
  await changeAll(step, planned.changed);
  await removeAll(step, planned.deleted);
  await rotateAll(step, planned.rotated);
  return createAll(step, planned.created);
}

type Planned = { row: BatchRow; was: State | undefined; after: Fields | undefined };

function changeOf({ environment }: Caller, { row, after }: Planned) {
  return { environmentId: environment.id, providedId: row.fields.user_group_id, ...after };
}

async function changeAll({ work, client, definitions, states, results }: Step, planned: Planned[]) {
  const { caller } = work;
  const changes = planned.map((one) => changeOf(caller, one));
  const updated = await updateGroups(client, { changes, author: authorOf(caller), definitions });
  for (const [index, { row, was, after }] of planned.entries()) {
    const changed = updated[index];
    if (!changed || !was || !after) throw new Error("a locked group was not changed");
    const state = { teamId: was.teamId, version: changed.version, fields: after };
    states.set(row.fields.user_group_id, state);
    results.set(row.index, resultFor(row, "changed", state));
  }
}

async function removeAll({ work, client, states, results }: Step, planned: Planned[]) {
  if (planned.length === 0) return;
  const teamIds = planned.flatMap(({ was }) => was?.teamId ?? []);
  const { environment } = work.caller;
  await removeGroups({ environmentId: environment.id, teamIds, author: authorOf(work.caller) }, client);
  for (const { row, was } of planned) {
    states.delete(row.fields.user_group_id);
    results.set(row.index, resultFor(row, "deleted", { teamId: was?.teamId }));
  }
}

async function rotateAll({ work, client, states, results }: Step, planned: Planned[]) {
  const groups = planned.flatMap(({ row, was }) =>
    was?.teamId ? [{ teamId: was.teamId, providedId: row.fields.user_group_id }] : [],
  );
  const { caller, overlapSeconds } = work;
  const asked = { environmentId: caller.environment.id, author: authorOf(caller), groups, overlapSeconds };
  const rotated = await rotateGroups(client, asked);
  for (const [index, { row, was }] of planned.entries()) {
    const group = rotated[index];
    if (!group || !was) throw new Error("a locked group was not rotated");
    if (typeof group === "string") {
      results.set(row.index, failedRow(row, overlapRunning()));
      continue;
    }
    const state = { ...was, version: group.version };
    states.set(row.fields.user_group_id, state);
    const previous_token_valid_until = group.previousValidUntil?.toISOString();
    results.set(row.index, { ...resultFor(row, "rotated", state), previous_token_valid_until });
  }
}

async function createAll(step: Step, planned: Planned[]): Promise<string[]> {
  const { work, client, definitions, states, results, transients } = step;
  const { caller, mode } = work;
  if (planned.length === 0) return [];
  try {
    limitOf("creations")?.check(countedAs(caller));
  } catch (error) {
    for (const { row } of planned) transients.set(row.index, failedRow(row, reasonOf(error)));
    return planned.map(({ row }) => row.fields.user_group_id);
  }
  const changes = planned.map((one) => changeOf(caller, one));
  const teamIds = await createGroups(client, { changes, author: authorOf(caller), definitions });
  const lost: string[] = [];
  for (const [index, { row, after }] of planned.entries()) {
    const teamId = teamIds[index];
    if (teamId !== undefined && after) {
      const state = { teamId, version: 1, fields: after };
      states.set(row.fields.user_group_id, state);
      results.set(row.index, resultFor(row, "created", state));
    } else if (mode === "create") {
      results.set(row.index, failedRow(row, alreadyExists()));
    } else {
      lost.push(row.fields.user_group_id);
      if (++row.attempts === ATTEMPTS) transients.set(row.index, failedRow(row, repeatedlyLost()));
    }
  }
  return lost;
}
