import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";
import type { publicKeySet } from "@/lib/viewer-tokens/key-schema";
import type { groupOriginsAnswer, ViewerSettings, viewerSettingsAnswer } from "@/lib/viewer-tokens/settings-schema";

export type { ViewerSettings };

/** Root query key of an environment's settings, origins and keys for viewer tokens; every change invalidates it. */
export const viewersKey = (environment: string) => ["viewers", environment];

/** An environment's settings for viewer tokens. */
export const viewerSettingsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...viewersKey(environment), "settings"],
    queryFn: ({ signal }) => fetchViewerSettings(environment, signal),
  });

/** An environment's settings for viewer tokens. */
export async function fetchViewerSettings(environment: string, signal?: AbortSignal): Promise<ViewerSettings> {
  const answer = await callApi<z.infer<typeof viewerSettingsAnswer>>("/api/viewer-settings", { environment, signal });
  return answer.settings;
}

/**
 * Changes some of the settings, and keeps the others as they are now, not as they were when the dialog opened.
 * @throws {ApiError} `invalid_fields`
 */
export async function askToChangeViewerSettings(
  environment: string,
  change: (now: ViewerSettings) => Partial<ViewerSettings>,
): Promise<void> {
  const now = await fetchViewerSettings(environment);
  const body = { ...now, ...change(now) };
  await callApi("/api/viewer-settings", { environment, method: "PUT", body });
}

/** Where a group's dashboards may be embedded; null for anywhere. */
export interface GroupOrigins {
  /** null for the environment's */
  own: string[] | null;
  effective: string[] | null;
}

/** Where a group's dashboards may be embedded. */
export const ownOriginsQuery = (environment: string, { teamId, providedId }: GroupReference) =>
  queryOptions({
    queryKey: [...viewersKey(environment), "origins", teamId],
    queryFn: async ({ signal }): Promise<GroupOrigins> => {
      const options = { environment, query: { user_group_id: providedId }, signal };
      const path = "/api/user-groups/allowed-origins";
      const { allowed_origins, effective_origins } = await callApi<z.infer<typeof groupOriginsAnswer>>(path, options);
      return { own: allowed_origins, effective: effective_origins };
    },
  });

/**
 * Sets where a group's dashboards may be embedded; null for the environment's origins.
 * @throws {ApiError} `invalid_fields`
 */
export async function askToSetGroupOrigins(
  environment: string,
  { providedId }: GroupReference,
  allowed_origins: string[] | null,
): Promise<void> {
  const body = { user_group_id: providedId, allowed_origins };
  await callApi("/api/user-groups/allowed-origins", { environment, method: "PUT", body });
}

/**
 * The environment's preview page with a viewer token of the group. It holds a secret, so it is never cached.
 * @throws {ApiError} `conflict` when the environment has no preview page, `not_active`
 */
export async function askToViewAs(environment: string, { providedId }: GroupReference): Promise<string> {
  const options = { environment, method: "POST", body: { user_group_id: providedId }, isRepeatable: true } as const;
  return (await callApi<{ url: string }>("/api/user-groups/view-as", options)).url;
}

/** Whether viewer tokens were ever minted in an environment: the first token makes the first public key. */
export const hasMintedQuery = (environment: string) =>
  queryOptions({
    queryKey: [...viewersKey(environment), "minted"],
    queryFn: async ({ signal }) => {
      const path = `/e/${environment}/.well-known/jwks.json`;
      return (await callApi<z.infer<typeof publicKeySet>>(path, { signal })).keys.length > 0;
    },
  });
