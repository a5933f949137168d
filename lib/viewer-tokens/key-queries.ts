import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "@/lib/browser/api-client";
import type { keyListAnswer } from "@/lib/viewer-tokens/key-schema";
import { viewersKey } from "@/lib/viewer-tokens/queries";

export type ViewerKey = z.infer<typeof keyListAnswer>["keys"][number];

/** An environment's signing keys, newest first. */
export const viewerKeysQuery = (environment: string) =>
  queryOptions({
    queryKey: [...viewersKey(environment), "keys"],
    queryFn: async ({ signal }) =>
      (await callApi<z.infer<typeof keyListAnswer>>("/api/admin/viewer-keys", { environment, signal })).keys,
  });

/**
 * Publishes a new key, for a claim template or for viewer tokens.
 * @throws {ApiError} `conflict` while another key waits to sign
 */
export async function askToRotateViewerKey(environment: string, template: string | null): Promise<void> {
  await callApi("/api/admin/viewer-keys/rotate", { environment, method: "POST", body: { template } });
}

/** Revokes a key. */
export async function askToRevokeViewerKey(environment: string, kid: string): Promise<void> {
  await callApi("/api/admin/viewer-keys/revoke", { environment, method: "POST", body: { kid } });
}
