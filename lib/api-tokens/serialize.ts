import type { ApiToken } from "@/lib/api-tokens/schema";
import type { ApiTokenSummary, NewToken } from "@/lib/api-tokens/service";

/** The list of API tokens, without their secrets. */
export function serializeApiTokens(tokens: ApiTokenSummary[]) {
  return { apiTokens: tokens.map(serializeApiToken) };
}

/** The answer to a creation, the only one that contains the token. */
export function serializeNewToken({ token, apiToken }: NewToken) {
  return { token, apiToken: serializeApiToken(apiToken) };
}

function serializeApiToken(token: ApiTokenSummary): ApiToken {
  return {
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    allowedNetworks: token.allowedNetworks,
    state: token.state,
    createdBy: token.createdBy,
    maker: token.maker,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    revokedAt: token.revokedAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  };
}
