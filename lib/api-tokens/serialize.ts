import type { UsedApiTokens } from "@/lib/api-tokens/calls";
import type { ApiTokenSummary } from "@/lib/api-tokens/summary";

/** The list of API tokens, without their secrets, with the calls of each per day. */
export function serializeApiTokens({ tokens, from, callsOf }: UsedApiTokens) {
  return { apiTokens: tokens.map((token) => ({ ...shown(token), calls: { from, days: callsOf(token.id) } })) };
}

/** The answer to a creation or replacement, which contains the token, or to a change. */
export function serializeApiToken<Result extends { apiToken: ApiTokenSummary }>({ apiToken, ...result }: Result) {
  return { apiToken: shown(apiToken), ...result };
}

/** The list is of one environment. */
function shown({ environment, ...token }: ApiTokenSummary) {
  return token;
}
