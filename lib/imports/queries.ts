import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi, fetchFile, isTransient } from "@/lib/browser/api-client";
import {
  type Import,
  type ImportAnswer,
  type ImportList,
  type ImportOutcome,
  type ImportRows,
  PIECE_BYTES,
} from "@/lib/imports/schema";

const PATH = "/api/admin/imports";
/** How often the dashboard looks how far an import is, in milliseconds. */
const LOOK_MS = 500;
/** How often a piece is sent before the upload is given up, and how long it waits in between, in milliseconds. */
const ATTEMPTS = 4;
const PAUSE_MS = 1_000;

/** Everything of an environment's imports. */
export const importsKey = (environment: string) => ["imports", environment];

/** The newest imports of an environment. */
export const importsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...importsKey(environment), "list"],
    queryFn: ({ signal }) => callApi<ImportList>(PATH, { environment, signal }),
    staleTime: 0,
  });

/** Whether the service works on it just now. */
export function isBusy(state: Import["state"] | undefined): boolean {
  return state === "checking" || state === "applying";
}

/** An import, looked at again and again while it is sent and while the service works on it. */
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
 * An import as it is now.
 * @throws {ApiError}
 */
export async function readImport(environment: string, id: number): Promise<Import> {
  return (await fetchImport(environment, String(id))).import;
}

interface RowsWanted {
  id: string;
  outcome: ImportOutcome | "";
  /** the line that ends the page before */
  after: number;
  /** of the import: what became of rows changes with it */
  state: Import["state"];
}

/** A page of the rows of an import. */
export const importRowsQuery = (environment: string, { id, outcome, after, state }: RowsWanted) =>
  queryOptions({
    queryKey: [...importsKey(environment), "rows", id, { outcome, after, state }],
    queryFn: ({ signal }) =>
      callApi<ImportRows>(`${PATH}/${id}/rows`, { environment, query: { outcome, after: String(after) }, signal }),
    placeholderData: keepPreviousData,
  });

/**
 * Sends a file, a piece at a time, each again when the connection breaks; gives the number of the import, which is then checked.
 * @throws {ApiError}
 */
export async function uploadFile(
  environment: string,
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (sent: number) => void },
): Promise<number> {
  const body = { fileName: file.name, bytes: file.size };
  // One that nothing is sent for does nothing, and the service clears it away.
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
    // Where that fails as well, the service clears it away some day.
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
    reader.onerror = () => reject(new Error("The file cannot be read any more: choose it again."));
    reader.readAsDataURL(part);
  });
}

/**
 * Has an import carried out.
 * @throws {ApiError}
 */
export function askToApplyImport(environment: string, id: number): Promise<ImportAnswer> {
  return callApi(`${PATH}/${id}/apply`, { environment, method: "POST", body: {} });
}

/**
 * Ends an import; what was done stays done.
 * @throws {ApiError}
 */
export function askToCancelImport(environment: string, id: number): Promise<ImportAnswer> {
  return callApi(`${PATH}/${id}/cancel`, { environment, method: "POST", body: {} });
}

/**
 * What could not be carried out, as a file.
 * @throws {ApiError}
 */
export function fetchFailures(environment: string, id: number) {
  return fetchFile(`${PATH}/${id}/failed`, { environment });
}
