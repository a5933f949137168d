import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError, callApi, fetchFile, isTransient } from "@/lib/browser/api-client";
import {
  type ChangeMode,
  type Job,
  type JobAnswer,
  type JobList,
  type JobOutcome,
  type JobRows,
  PIECE_BYTES,
  readMostDeletions,
} from "@/lib/jobs/schema";
import { RawJson, writeJson } from "@/lib/json/raw-json";

const PATH = "/api/jobs";
/** Polling interval for a job's progress, in milliseconds. */
const LOOK_MS = 300;
/** Attempts of a request that may be repeated, and the wait between them in milliseconds. */
const ATTEMPTS = 4;
const PAUSE_MS = 1_000;

/** Root query key of an environment's jobs. */
export const jobsKey = (environment: string) => ["jobs", environment];

/** The open jobs of an environment, then the newest others. */
export const jobsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...jobsKey(environment), "list"],
    queryFn: ({ signal }) => callApi<JobList>(PATH, { environment, signal }),
    staleTime: 0,
  });

/** Whether the service is working on a job in this state. */
export function isBusy(state: Job["state"] | undefined): boolean {
  return state === "checking" || state === "applying";
}

/** A job, polled while it is uploaded or processed, and while the service cannot be reached. */
export const jobQuery = (environment: string, id: string) =>
  queryOptions({
    queryKey: [...jobsKey(environment), "one", id],
    queryFn: ({ signal }) => fetchJob(environment, id, signal),
    refetchInterval: ({ state: { data, error } }) =>
      (isBusy(data?.job.state) || data?.job.state === "receiving" || (error !== null && isTransient(error))) && LOOK_MS,
    staleTime: 0,
  });

function fetchJob(environment: string, id: string, signal?: AbortSignal): Promise<JobAnswer> {
  return callApi(`${PATH}/${encodeURIComponent(id)}`, { environment, ...(signal && { signal }) });
}

/** The current state of a job. */
export async function readJob(environment: string, id: number): Promise<Job> {
  return (await fetchJob(environment, String(id))).job;
}

interface RowsWanted {
  id: string;
  outcome: JobOutcome | "";
  /** last line of the previous page */
  after: number;
  /** the job's; the rows' outcomes change with it */
  state: Job["state"];
}

/** A page of a job's rows. */
export const jobRowsQuery = (environment: string, { id, outcome, after, state }: RowsWanted) =>
  queryOptions({
    queryKey: [...jobsKey(environment), "rows", id, { outcome, after, state }],
    queryFn: ({ signal }) =>
      callApi<JobRows>(`${PATH}/${id}/rows`, { environment, query: { outcome, after: String(after) }, signal }),
    placeholderData: keepPreviousData,
  });

interface Upload {
  /** also deletes the groups that the file does not name, up to this many: a number, or a percentage */
  sync: { maxDeletions: string } | undefined;
  /** whether the members that a row does not name stay */
  merge: boolean;
  signal: AbortSignal;
  /** receives the share of the file that was sent, up to 1 */
  onProgress: (sent: number) => void;
}

/**
 * Uploads a file in pieces, repeating each when the connection breaks; returns the id of the job, which is then
 * checked.
 */
export async function uploadFile(
  environment: string,
  file: File,
  { sync, merge, signal, onProgress }: Upload,
): Promise<number> {
  const mode = sync ? { mode: "sync", max_deletions: readMostDeletions(sync.maxDeletions) } : { mode: "upsert" };
  const body = { kind: "import", file_name: file.name, bytes: file.size, merge, ...mode };
  // Repeating this is harmless: the service deletes a job without pieces.
  const options = { environment, method: "POST", body, signal, isRepeatable: true } as const;
  const { job: created } = await callApi<JobAnswer>(PATH, options);
  try {
    for (let n = 0; n * PIECE_BYTES < file.size; n++) {
      const content = await base64(file.slice(n * PIECE_BYTES, (n + 1) * PIECE_BYTES));
      await persistently(() =>
        callApi(`${PATH}/${created.id}/pieces/${n}`, {
          environment,
          method: "PUT",
          body: { content },
          signal,
          isRepeatable: true,
        }),
      );
      onProgress(Math.min(1, ((n + 1) * PIECE_BYTES) / file.size));
    }
  } catch (error) {
    // If this fails too, the service deletes it eventually.
    void askToCancelJob(environment, created.id).catch(() => undefined);
    throw error;
  }
  return created.id;
}

async function persistently<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!isTransient(error) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function base64(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error("The file can no longer be read. Choose it again."));
    reader.readAsDataURL(part);
  });
}

/** A change of groups: its mode, and the mode's fields. */
export interface GroupsChange {
  mode: ChangeMode;
  /** JSON text, or names to remove */
  properties?: string | string[];
  reason?: string;
  overlap_seconds?: number;
  /** whether to apply it as soon as it is checked */
  apply?: boolean;
}

/** Begins a change of groups, once per key. Names groups by number, to spare any created later under the same id. */
export async function askToChange(
  environment: string,
  teamIds: number[],
  { change: { properties, ...change }, key }: { change: GroupsChange; key: string },
): Promise<Job> {
  const body = writeJson({
    kind: "change",
    ...change,
    team_ids: teamIds,
    properties: typeof properties === "string" ? new RawJson(properties, "object") : properties,
  });
  const headers = { "Idempotency-Key": key };
  const options = { environment, method: "POST", body, headers, isRepeatable: true } as const;
  return (await persistently(() => callApi<JobAnswer>(PATH, options))).job;
}

/** An Idempotency-Key. Not by randomUUID, which browsers offer only on https. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

/** Waits until the service is done with a job, also across lost connections. */
export async function waitForJob(environment: string, id: number, onLook: (job: Job) => void): Promise<Job> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    try {
      const job = await readJob(environment, id);
      onLook(job);
      if (!isBusy(job.state)) return job;
    } catch (error) {
      if (!isTransient(error) && !(error instanceof ApiError && error.code === "offline")) throw error;
    }
  }
}

/** Applies a job, or continues it. */
export function askToApplyJob(environment: string, id: number): Promise<JobAnswer> {
  return callApi(`${PATH}/${id}/apply`, { environment, method: "POST", body: {} });
}

/** Cancels a job; applied rows stay applied. */
export function askToCancelJob(environment: string, id: number): Promise<JobAnswer> {
  return callApi(`${PATH}/${id}/cancel`, { environment, method: "POST", body: {} });
}

/** Begins a job that undoes another; with `apply`, it is applied as soon as it is checked. */
export function askToUndoJob(environment: string, id: number, apply = false): Promise<JobAnswer> {
  return callApi(`${PATH}/${id}/undo`, { environment, method: "POST", body: { apply } });
}

/** The newest open job that undoes another, if there is one. */
export async function findUndo(environment: string, id: number): Promise<Job | undefined> {
  const { jobs } = await callApi<JobList>(PATH, { environment });
  return jobs.find(({ undoes, ended_at }) => undoes === id && ended_at === null);
}

/** The rows that failed, as a file. */
export function fetchFailures(environment: string, id: number) {
  return fetchFile(`${PATH}/${id}/failed`, { environment });
}
