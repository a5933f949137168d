import type { z } from "zod";
import type { Replacement } from "@/lib/api-tokens/replacement";
import type { selfReplacedAnswer } from "@/lib/api-tokens/schema";
import type { ApiTokenSummary } from "@/lib/api-tokens/summary";
import { json, type WholeAnswer } from "@/lib/endpoint/call";

/** The answer to a creation or replacement, which contains the token, or to a change. */
export function serializeApiToken<Result extends { apiToken: ApiTokenSummary }>({ apiToken, ...result }: Result) {
  return { apiToken: listed(apiToken), ...result };
}

/** The answer to an API token that replaced itself. */
export function answerSelfReplaced({ token, apiToken, previousValidUntil }: Replacement): WholeAnswer {
  const body: Omit<z.infer<typeof selfReplacedAnswer>, "success"> = {
    api_token: token,
    expires_at: apiToken.expiresAt?.toISOString() ?? null,
    previous_token_valid_until: previousValidUntil.toISOString(),
  };
  return json(body);
}

/** An API token in the list of one environment. */
export function listed<Token extends ApiTokenSummary>({ environment, ...token }: Token): Omit<Token, "environment"> {
  return token;
}
