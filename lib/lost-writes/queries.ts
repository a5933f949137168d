import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import type { Loss } from "@/lib/lost-writes/schema";

const PATH = "/api/admin/lost-writes";
const AGAIN_MS = 30_000;

/** Root query key of losses. */
export const lostWritesKey = ["lost-writes"];

/** Losses that no owner has accepted. */
export const lostWritesQuery = queryOptions({
  queryKey: lostWritesKey,
  queryFn: async ({ signal }) => (await callApi<{ losses: Loss[] }>(PATH, { signal })).losses,
  staleTime: AGAIN_MS,
  refetchInterval: AGAIN_MS,
});

/**
 * Accepts losses.
 * @throws {ApiError}
 */
export function askToAcceptLosses(ids: number[]): Promise<unknown> {
  return callApi(`${PATH}/accept`, { method: "POST", body: { ids } });
}
