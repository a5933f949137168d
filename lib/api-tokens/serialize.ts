import type { listUsedApiTokens } from "@/lib/api-tokens/calls";
import type { ApiTokenSummary } from "@/lib/api-tokens/summary";

/** The list of API tokens, without their secrets, with the calls of each per day. */
export function serializeApiTokens(tokens: Awaited<ReturnType<typeof listUsedApiTokens>>) {
  return { apiTokens: tokens.map(shown) };
}

/** The answer to a creation or replacement, which contains the token, or to a change. */
export function serializeApiToken<Result extends { apiToken: ApiTokenSummary }>({ apiToken, ...result }: Result) {
  return { apiToken: shown(apiToken), ...result };
}

/** The list is of one environment. */
function shown<Token extends ApiTokenSummary>({ environment, ...token }: Token): Omit<Token, "environment"> {
  return token;
}
