import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi, fetchFile, isTransient } from "@/lib/browser/api-client";
import {
  type Import,
  type ImportAnswer,
  type ImportList,
  type ImportOutcome,
  type ImportRows,
  PIECE_BYTES,
  readMostDeletions,
} from "@/lib/imports/schema";

const PATH = "/api/imports";
/** Polling interval for an import's progress, in milliseconds. */
const LOOK_MS = 500;
/** Attempts per piece before the upload fails, and the wait between them in milliseconds. */
const ATTEMPTS = 4;
const PAUSE_MS = 1_000;

/** Root query key of an environment's imports. */
export const importsKey = (environment: string) => ["imports", environment];

/** The newest imports of an environment. */
export const importsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...importsKey(environment), "list"],
    queryFn: ({ signal }) => callApi<ImportList>(PATH, { environment, signal }),
    staleTime: 0,
  });

/** Whether the service is working on it. */
export function isBusy(state: Import["state"] | undefined): boolean {
  return state === "checking" || state === "applying";
}

/** An import, polled while it is uploaded and processed. */
export const importQuery = (environment: string, id: string) =>
  queryOptions({
    queryKey: [...importsKey(environment), "one", id],
    queryFn: ({ signal }) => fetchImport(environment, id, signal),
    refetchInterval: ({ state: { data } }) =>
      (isBusy(data?.import.state) || data?.import.state === "uploading") && LOOK_MS,
    staleTime: 0,
  });

function fetchImport(environment: string, id: string, signal?: AbortSignal): Promise<ImportAnswer> {
  return callApi(`${PATH}/${encodeURIComponent(id)}`, { environment, ...(signal && { signal }) });
}

/**
 * The current state of an import.
 * @throws {ApiError}
 */
export async function readImport(environment: string, id: number): Promise<Import> {
  return (await fetchImport(environment, String(id))).import;
}

interface RowsWanted {
  id: string;
  outcome: ImportOutcome | "";
  /** last line of the previous page */
  after: number;
  /** of the import; the rows' outcomes change with it */
  state: Import["state"];
}

/** A page of an import's rows. */
export const importRowsQuery = (environment: string, { id, outcome, after, state }: RowsWanted) =>
  queryOptions({
    queryKey: [...importsKey(environment), "rows", id, { outcome, after, state }],
    queryFn: ({ signal }) =>
      callApi<ImportRows>(`${PATH}/${id}/rows`, { environment, query: { outcome, after: String(after) }, signal }),
    placeholderData: keepPreviousData,
  });

interface Upload {
  /** also deletes the groups that the file does not name, up to this many: a number, or a percentage */
  sync: { maxDeletions: string } | undefined;
  signal: AbortSignal;
  /** gets the share of the file that was sent, up to 1 */
  onProgress: (sent: number) => void;
}

/**
 * Uploads a file in pieces, repeating each when the connection breaks; returns the id of the import, which is then checked.
 * @throws {ApiError}
 */
export async function uploadFile(
  environment: string,
  file: File,
  { sync, signal, onProgress }: Upload,
): Promise<number> {
  const mode = sync ? { mode: "sync", max_deletions: readMostDeletions(sync.maxDeletions) } : { mode: "upsert" };
  const body = { file_name: file.name, bytes: file.size, ...mode };
  // Repeating this is harmless: the service deletes an import without pieces.
  const options = { environment, method: "POST", body, signal, isRepeatable: true } as const;
  const { import: created } = await callApi<ImportAnswer>(PATH, options);
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
    if (signal.aborted) void askToCancelImport(environment, created.id).catch(() => undefined);
    throw error;
  }
  return created.id;
}

async function persistently(send: () => Promise<unknown>) {
  for (let attempt = 1; ; attempt++) {
    try {
      await send();
      return;
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

/**
 * Applies an import.
 * @throws {ApiError}
 */
export function askToApplyImport(environment: string, id: number): Promise<ImportAnswer> {
  return callApi(`${PATH}/${id}/apply`, { environment, method: "POST", body: {} });
}

/**
 * Cancels an import; applied rows stay applied.
 * @throws {ApiError}
 */
export function askToCancelImport(environment: string, id: number): Promise<ImportAnswer> {
  return callApi(`${PATH}/${id}/cancel`, { environment, method: "POST", body: {} });
}

/**
 * Begins an import that undoes another.
 * @throws {ApiError}
 */
export function askToUndoImport(environment: string, id: number): Promise<ImportAnswer> {
  return callApi(`${PATH}/undo`, { environment, method: "POST", body: { import_id: id } });
}

/** The newest open import that undoes another, if there is one. */
export async function findUndo(environment: string, id: number): Promise<Import | undefined> {
  const { imports } = await callApi<ImportList>(PATH, { environment });
  return imports.find(({ undoes, ended_at }) => undoes === id && ended_at === null);
}

/**
 * The rows that failed, as a file.
 * @throws {ApiError}
 */
export function fetchFailures(environment: string, id: number) {
  return fetchFile(`${PATH}/${id}/failed`, { environment });
}
