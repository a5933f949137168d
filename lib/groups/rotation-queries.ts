import { ApiError, callApi } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";

// Rotations of many groups, in batches one after the other. Each has an Idempotency-Key: sent again, it rotates nothing twice.

/** Groups of a batch. */
const PIECE = 100;
/** How often a batch is sent again that had no time for some rows. */
const ATTEMPTS = 5;

interface Piece {
  key: string;
  overlapSeconds: number;
  groups: GroupReference[];
  /** it may have been done, and must be sent again as it is */
  isUncertain: boolean;
}

/** What came of rotations. */
export interface Rotations {
  rotated: GroupReference[];
  /** deleted by now */
  gone: GroupReference[];
  refused: { group: GroupReference; code: string; message: string }[];
  /** sent without a whole answer, or not sent */
  open: Piece[];
  /** what ended it early */
  failure?: ApiError;
}

interface Work {
  overlapSeconds: number;
  signal: AbortSignal;
  onProgress: (finished: number) => void;
}

const NOTHING: Rotations = { rotated: [], gone: [], refused: [], open: [] };

/** Gives groups new tokens; those they replace stop working after `overlapSeconds`. */
export function askToRotateGroups(environment: string, groups: GroupReference[], work: Work): Promise<Rotations> {
  return run(environment, { done: NOTHING, pieces: piecesOf(groups, work.overlapSeconds) }, work);
}

/** Does what is left of earlier rotations; returns what came of all. */
export function retryRotations(environment: string, earlier: Rotations, work: Work): Promise<Rotations> {
  const uncertain = earlier.open.filter(({ isUncertain }) => isUncertain);
  const pieces = [...uncertain, ...piecesOf(retriedIn(earlier), work.overlapSeconds)];
  return run(environment, { done: { ...NOTHING, rotated: earlier.rotated, gone: earlier.gone }, pieces }, work);
}

/** The groups that a retry rotates; for the uncertain ones it only repeats what was sent. */
function retriedIn({ refused, open }: Rotations): GroupReference[] {
  return [
    ...refused.map(({ group }) => group),
    ...open.filter(({ isUncertain }) => !isUncertain).flatMap(({ groups }) => groups),
  ];
}

/** How many groups may have been rotated, as far as is known. */
export function countUncertain({ open }: Rotations): number {
  return open.filter(({ isUncertain }) => isUncertain).reduce((sum, { groups }) => sum + groups.length, 0);
}

/** How many groups a retry is about. */
export function countLeft(rotations: Rotations): number {
  return retriedIn(rotations).length + countUncertain(rotations);
}

async function run(environment: string, { done, pieces }: { done: Rotations; pieces: Piece[] }, work: Work) {
  const outcome: Rotations = { ...done, rotated: [...done.rotated], gone: [...done.gone], refused: [], open: [] };
  let finished = 0;
  for (const [at, piece] of pieces.entries()) {
    if (work.signal.aborted) return { ...outcome, open: [...outcome.open, ...pieces.slice(at)] };
    try {
      const results = await send(environment, piece);
      if (results) record(outcome, piece, results);
      else outcome.open.push({ ...piece, isUncertain: true });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isUncertain = piece.isUncertain || error.code === "lost" || error.code === "unavailable";
      const rest = pieces.slice(at + 1);
      return { ...outcome, open: [...outcome.open, { ...piece, isUncertain }, ...rest], failure: error };
    }
    finished += piece.groups.length;
    work.onProgress(finished);
  }
  return outcome;
}

interface Result {
  outcome: "rotated" | "error" | (string & {});
  error?: { code: string; message: string };
}

/** The results of all rows; undefined when the service had no time for some, however often it was asked. */
async function send(environment: string, { key, overlapSeconds, groups }: Piece): Promise<Result[] | undefined> {
  const options = {
    environment,
    method: "POST",
    headers: { "Idempotency-Key": key },
    body: {
      mode: "rotate",
      ...(overlapSeconds > 0 && { overlap_seconds: overlapSeconds }),
      user_groups: groups.map(({ providedId }) => ({ user_group_id: providedId })),
    },
  } as const;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { results } = await callApi<{ results: Result[] }>("/api/user-groups/batch", options);
    if (results.every(({ error }) => error?.code !== "unavailable")) return results;
  }
  return undefined;
}

function record(outcome: Rotations, { groups }: Piece, results: Result[]) {
  for (const [index, group] of groups.entries()) {
    const { error } = results[index] ?? {};
    if (!error) outcome.rotated.push(group);
    else if (error.code === "unknown_user_group") outcome.gone.push(group);
    else outcome.refused.push({ group, ...error });
  }
}

function piecesOf(groups: GroupReference[], overlapSeconds: number): Piece[] {
  return Array.from({ length: Math.ceil(groups.length / PIECE) }, (_, index) => ({
    ...{ key: keyOf(), overlapSeconds, isUncertain: false },
    groups: groups.slice(index * PIECE, (index + 1) * PIECE),
  }));
}

/** Not randomUUID, which browsers offer to scripts on https alone. */
function keyOf(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}
