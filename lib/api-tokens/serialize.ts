import type { UsedApiTokens } from "@/lib/api-tokens/calls";
import type { ChangedApiToken } from "@/lib/api-tokens/network-change";
import type { Replacement } from "@/lib/api-tokens/replacement";
import type { ApiToken, ListedApiToken } from "@/lib/api-tokens/schema";
import type { NewToken } from "@/lib/api-tokens/service";
import type { ApiTokenSummary } from "@/lib/api-tokens/summary";

/** The list of API tokens, without their secrets, with the calls of each per day. */
export function serializeApiTokens({ tokens, from, callsOf }: UsedApiTokens) {
  const apiTokens = tokens.map((token): ListedApiToken => {
    return { ...serializeApiToken(token), calls: { from, days: callsOf(token.id) } };
  });
  return { apiTokens };
}

/** The answer to a creation, which contains the token. */
export function serializeNewToken({ token, apiToken, warnings }: NewToken) {
  return { token, apiToken: serializeApiToken(apiToken), warnings };
}

/** The answer to a change of networks. */
export function serializeChangedToken({ apiToken, warnings }: ChangedApiToken) {
  return { apiToken: serializeApiToken(apiToken), warnings };
}

/** The answer to a replacement, which contains the new token. */
export function serializeReplacement({ previousValidUntil, ...made }: Replacement) {
  return { ...serializeNewToken(made), previousValidUntil: previousValidUntil.toISOString() };
}

function serializeApiToken(token: ApiTokenSummary): ApiToken {
  const { refused } = token;
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    scopes: [...token.scopes],
    allowedNetworks: token.allowedNetworks,
    state: token.state,
    createdBy: token.createdBy,
    maker: token.maker,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    revokedAt: token.revokedAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    replaces: token.replaces,
    replacedBy: token.replacedBy,
    refused: refused && { count: refused.count, from: refused.from, at: refused.at.toISOString() },
    expiresInDays: token.expiresInDays,
  };
}
