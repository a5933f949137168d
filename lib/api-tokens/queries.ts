import { queryOptions } from "@tanstack/react-query";
import type {
  ApiTokenList,
  ChangedApiTokenAnswer,
  CreatedApiToken,
  MadeWebhooks,
  NewApiTokenInput,
  ReplacedApiToken,
} from "@/lib/api-tokens/schema";
import { callApi } from "@/lib/browser/api-client";

const PATH = "/api/admin/api-tokens";

/** Query key of all API tokens. */
export const allApiTokensKey = ["api-tokens"];

/** Root query key of an environment's API tokens; every change invalidates it. */
export const apiTokensKey = (environment: string) => [...allApiTokensKey, environment];

/** The API tokens of an environment, newest first. */
export const apiTokensQuery = (environment: string) =>
  queryOptions({
    queryKey: apiTokensKey(environment),
    queryFn: async ({ signal }) => (await callApi<ApiTokenList>(PATH, { environment, signal })).apiTokens,
  });

/** Creates an API token; the answer contains the token, which is shown only once. */
export function askToCreateApiToken(environment: string, body: NewApiTokenInput): Promise<CreatedApiToken> {
  return callApi(PATH, { environment, method: "POST", body });
}

/** Changes the networks that an API token is accepted from; none for any address. */
export function askToChangeNetworks(
  environment: string,
  id: number,
  networks: string[],
): Promise<ChangedApiTokenAnswer> {
  const body = { allowedNetworks: networks.length > 0 ? networks : null };
  return callApi(`${PATH}/${id}`, { environment, method: "PATCH", body });
}

/** Replaces an API token; the answer contains the new value, which is shown only once. */
export function askToReplaceApiToken(
  environment: string,
  id: number,
  overlapSeconds: number,
): Promise<ReplacedApiToken> {
  return callApi(`${PATH}/${id}/replace`, { environment, method: "POST", body: { overlapSeconds } });
}

/** Revokes an API token: the next request with it is refused. Disables webhooks that it made. */
export function askToRevokeApiToken(environment: string, id: number, disableWebhooks: number[]): Promise<unknown> {
  return callApi(`${PATH}/${id}`, { environment, method: "DELETE", body: { disableWebhooks } });
}

/** The enabled webhooks that an API token made. */
export const madeByApiTokenQuery = (environment: string, id: number) =>
  queryOptions({
    queryKey: [...apiTokensKey(environment), id, "made"],
    queryFn: async ({ signal }) =>
      (await callApi<{ webhooks: MadeWebhooks }>(`${PATH}/${id}/made`, { environment, signal })).webhooks,
    // Read again for each dialog: an earlier answer may be outdated.
    gcTime: 0,
  });
