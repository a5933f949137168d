import { ApiError, callApi } from "@/lib/browser/api-client";
import { fetchGroups, type Group } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { partsOf } from "@/lib/groups/selection-limit";
import { askToSetState } from "@/lib/groups/state-queries";
import { askToRevealToken } from "@/lib/groups/token-queries";
import { memberTexts } from "@/lib/json/exact-json";

// Changes of many groups, in small requests one after the other: each can be the last one.

/** The most groups whose tokens are copied together: each is a request, and an entry of the history. */
export const MOST_TOKENS = 200;
/** Requests at the same time. */
const LANES = 4;
/** The most characters of a batch. */
const MOST_CHARACTERS = 1_000_000;
/** How often rows are sent again that a batch had no time for. */
const ATTEMPTS = 5;

interface Progress {
  signal: AbortSignal;
  onProgress: (finished: number) => void;
}

/** Sets a property of groups, or removes it. */
export interface PropertyChange {
  name: string;
  /** JSON text, of no object: one would be merged into another; null removes the property */
  value: string | null;
}

/** What a change would do, or did. */
interface Tally {
  changed: number;
  same: number;
  /** deleted by now, or refused */
  failed: number;
}

/** A changed group, and its properties before. */
interface Former {
  providedId: string;
  teamId: number;
  etag: string;
  properties: string | null;
}

export interface BulkChange extends Tally {
  formers: Former[];
  /** what ended it early */
  failure?: Error;
  /** why a group was refused, in words */
  refusal?: string;
}

/**
 * Says what a change of a property would do.
 * @throws {ApiError}
 */
export async function foreseeProperty(
  environment: string,
  groups: GroupReference[],
  change: PropertyChange,
  { signal, onProgress }: Progress,
): Promise<Tally & { refusal?: string }> {
  const tally: Tally & { refusal?: string } = { changed: 0, same: 0, failed: 0 };
  let finished = 0;
  for (const part of piecesOf(groups.map((group) => mergeOf(group, change)))) {
    signal.throwIfAborted();
    for (const result of await sendBatch(environment, "merge", part, true)) count(tally, result);
    finished += part.length;
    onProgress(finished);
  }
  return tally;
}

/**
 * Changes a property of groups; what has been changed when it is stopped or fails, stays.
 * @throws {ApiError} when nothing was changed
 */
export async function changeProperty(
  environment: string,
  groups: GroupReference[],
  change: PropertyChange,
  { signal, onProgress }: Progress,
): Promise<BulkChange> {
  const outcome: BulkChange = { changed: 0, same: 0, failed: 0, formers: [] };
  const byNumber = new Map(groups.map((group) => [group.teamId, group]));
  let finished = 0;
  for (const part of partsOf([...byNumber.keys()])) {
    if (signal.aborted) break;
    try {
      const before = new Map((await fetchGroups(environment, part)).map((group) => [group.teamId, group]));
      outcome.failed += part.length - before.size;
      for (const rows of piecesOf([...before.values()].map((group) => mergeOf(group, change)))) {
        for (const result of await sendBatch(environment, "merge", rows, false)) {
          count(outcome, result);
          const former = before.get(result.team_id ?? 0);
          if (result.outcome === "changed" && former) outcome.formers.push(formerOf(former, result.etag ?? ""));
        }
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (outcome.changed === 0) throw error;
      return { ...outcome, failure: error };
    }
    finished += part.length;
    onProgress(finished);
  }
  return outcome;
}

/**
 * Undoes {@link changeProperty}: a group that nobody has changed since gets its properties back to the letter, another only
 * the one property. Returns how many could not be undone.
 * @throws {ApiError}
 */
export async function undoProperty(environment: string, name: string, formers: Former[]): Promise<number> {
  const byNumber = new Map(formers.map((former) => [former.teamId, former]));
  let failed = 0;
  for (const part of partsOf([...byNumber.keys()])) {
    const now = await fetchGroups(environment, part);
    failed += part.length - now.length;
    const rows = { update: [] as string[], merge: [] as string[] };
    for (const { teamId, etag, providedId } of now) {
      const former = byNumber.get(teamId);
      if (!former) continue;
      if (former.etag === etag) rows.update.push(rowOf(providedId, former.properties ?? "null"));
      else rows.merge.push(mergeOf(former, { name, value: memberOf(former.properties, name) }));
    }
    for (const mode of ["update", "merge"] as const) {
      for (const piece of piecesOf(rows[mode])) {
        const results = await sendBatch(environment, mode, piece, false);
        failed += results.filter(({ outcome }) => outcome === "error").length;
      }
    }
  }
  return failed;
}

interface Result {
  outcome: "changed" | "same" | "error" | (string & {});
  team_id?: number;
  etag?: string;
  error?: { code: string; message: string };
}

/** The results of all rows; those that were not done in time are sent again. */
async function sendBatch(environment: string, mode: string, rows: string[], isDryRun: boolean): Promise<Result[]> {
  const results: Result[] = [];
  let left = rows;
  for (let attempt = 1; left.length > 0; attempt++) {
    const body = `{"mode":"${mode}","dry_run":${isDryRun},"user_groups":[${left.join(",")}]}`;
    const path = "/api/user-groups/batch";
    const answer = await callApi<{ results: Result[] }>(path, {
      environment,
      method: "POST",
      body,
      isRepeatable: isDryRun,
    });
    const isLast = attempt === ATTEMPTS;
    results.push(...answer.results.filter(({ error }) => isLast || error?.code !== "unavailable"));
    left = isLast ? [] : left.filter((_, index) => answer.results[index]?.error?.code === "unavailable");
  }
  return results;
}

function count(tally: Tally & { refusal?: string }, { outcome, error }: Result) {
  if (outcome === "changed") tally.changed++;
  else if (outcome === "same") tally.same++;
  else {
    tally.failed++;
    if (error) tally.refusal ??= error.message;
  }
}

function formerOf({ providedId, teamId, properties }: Group, etag: string): Former {
  return { providedId, teamId, etag, properties };
}

function memberOf(properties: string | null, name: string): string | null {
  return memberTexts(properties ?? "{}").find(([one]) => one === name)?.[1] ?? null;
}

function rowOf(providedId: string, properties: string): string {
  return `{"user_group_id":${JSON.stringify(providedId)},"properties":${properties}}`;
}

function mergeOf({ providedId }: Pick<GroupReference, "providedId">, { name, value }: PropertyChange): string {
  return rowOf(providedId, `{${JSON.stringify(name)}:${value}}`);
}

/** Rows in pieces that a batch takes. */
function piecesOf(rows: string[]): string[][] {
  const pieces: string[][] = [];
  let characters = 0;
  for (const row of rows) {
    const piece = pieces.at(-1);
    characters += row.length;
    if (piece && piece.length < 100 && characters <= MOST_CHARACTERS) piece.push(row);
    else {
      pieces.push([row]);
      characters = row.length;
    }
  }
  return pieces;
}

/**
 * Suspends groups, those that are not; returns the ones it has suspended.
 * @throws {ApiError} when none was suspended
 */
export async function suspendGroups(
  environment: string,
  groups: GroupReference[],
  { reason, signal, onProgress }: Progress & { reason: string },
): Promise<{ suspended: GroupReference[]; failure?: Error }> {
  const suspended: GroupReference[] = [];
  let finished = 0;
  for (const part of partsOf(groups.map(({ teamId }) => teamId))) {
    try {
      for (const group of await fetchGroups(environment, part)) {
        if (signal.aborted) return { suspended };
        if (group.state !== "suspended") {
          await askToSetState(environment, group, { state: "suspended", ...(reason && { reason }) });
          suspended.push(group);
        }
        onProgress(++finished);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (suspended.length === 0) throw error;
      return { suspended, failure: error };
    }
  }
  return { suspended };
}

/**
 * Resumes groups.
 * @throws {ApiError}
 */
export async function resumeGroups(environment: string, groups: GroupReference[]): Promise<void> {
  for (const group of groups) await askToSetState(environment, group, { state: "active" });
}

/**
 * The tokens of groups as lines of id, tab and token, in the groups' order.
 * @throws {ApiError}
 */
export async function fetchTokenLines(
  environment: string,
  groups: GroupReference[],
  { signal, onProgress }: Progress,
): Promise<string> {
  const lines: string[] = [];
  let next = 0;
  let finished = 0;
  const lane = async () => {
    for (let at = next++; at < groups.length; at = next++) {
      const group = groups[at];
      if (!group) return;
      signal.throwIfAborted();
      lines[at] = `${group.providedId}\t${await askToRevealToken(environment, group.teamId, "copy")}\n`;
      onProgress(++finished);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return lines.join("");
}
