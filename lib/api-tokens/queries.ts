import { queryOptions } from "@tanstack/react-query";
import type { ApiTokenList, CreatedApiToken, NewApiToken } from "@/lib/api-tokens/schema";
import { callApi } from "@/lib/browser/api-client";

const PATH = "/api/admin/api-tokens";

/** The API tokens of all environments. */
export const allApiTokensKey = ["api-tokens"];

/** Everything of an environment's API tokens; invalidated as a whole by every change. */
export const apiTokensKey = (environment: string) => [...allApiTokensKey, environment];

/** The API tokens of an environment, the newest first. */
export const apiTokensQuery = (environment: string) =>
  queryOptions({
    queryKey: apiTokensKey(environment),
    queryFn: async ({ signal }) => (await callApi<ApiTokenList>(PATH, { environment, signal })).apiTokens,
  });

/**
 * Makes an API token; the answer holds the token, which cannot be had again.
 * @throws {ApiError}
 */
export function askToCreateApiToken(environment: string, body: NewApiToken): Promise<CreatedApiToken> {
  return callApi(PATH, { environment, method: "POST", body });
}

/**
 * Revokes an API token: the next request made with it is refused.
 * @throws {ApiError}
 */
export function askToRevokeApiToken(environment: string, id: number): Promise<unknown> {
  return callApi(`${PATH}/${id}`, { environment, method: "DELETE" });
}
