import type { ApiToken as AnsweredApiToken } from "@/lib/api-tokens/schema";
import { isWithin, networkList } from "@/lib/authority/authority";
import { ACCESS_SCOPES } from "@/lib/authority/scopes";
import { beginningOf } from "@/lib/crypto/api-token";
import { readExpiry } from "@/lib/json/instant";
import type { ApiToken, Prisma } from "@/prisma/generated/client";

type Times = "expiresAt" | "revokedAt" | "lastUsedAt" | "askedAt" | "polledAt";

/** An API token without its secret. */
export interface ApiTokenSummary
  extends Omit<AnsweredApiToken, Times | "createdAt" | "scopes" | "refused">,
    Record<Times, Date | null> {
  /** slug of its environment */
  environment: string;
  scopes: readonly string[];
  createdAt: Date;
  /** requests refused because they came from outside its networks, and the last one */
  refused: { count: number; from: string; at: Date } | null;
}

/** The stored name of the API_TOKEN variable's token. */
export const PROVISIONED = "API_TOKEN";

/** The relations that {@link summarize} needs with a row. */
export const SUMMARIZED = {
  environment: { select: { slug: true, tag: true } },
  successor: { select: { id: true, revokedAt: true } },
} as const satisfies Prisma.ApiTokenInclude;

/** Days before an expiry at which it is announced; a token created with fewer days left is announced at the next. */
export const ANNOUNCED_DAYS = [3, 14];
const DAY_MS = 86_400_000;

export function summarize(
  { environment, successor, ...token }: Prisma.ApiTokenGetPayload<{ include: typeof SUMMARIZED }>,
  maker: ApiTokenSummary["maker"],
  now: Date,
): ApiTokenSummary {
  const { id, name, allowedNetworks, createdBy, createdAt, expiresAt, revokedAt, replaces } = token;
  const { lastUsedAt, askedAt, polledAt, hint, refusedCount, refusedFrom, refusedAt } = token;
  const replacedBy = successor && !successor.revokedAt ? successor.id : null;
  const state = revokedAt ? "revoked" : expiresAt && expiresAt <= now ? "expired" : "valid";
  return {
    id,
    environment: environment.slug,
    name,
    // No hint for a token that is, or may be, the API_TOKEN variable's.
    hint: hint ?? (name === PROVISIONED && token.createdById === null ? null : beginningOf(environment.tag)),
    scopes: scopesOfToken(token),
    allowedNetworks,
    state,
    createdBy,
    maker,
    createdAt,
    expiresAt: expiresAt && readExpiry(expiresAt),
    revokedAt,
    lastUsedAt,
    askedAt,
    polledAt,
    replaces,
    replacedBy,
    refused: refusedFrom !== null && refusedAt ? { count: refusedCount, from: refusedFrom, at: refusedAt } : null,
    expiresInDays: state === "valid" && replacedBy === null ? daysLeft(token, now) : null,
  };
}

/** Days until an announced expiry, rounded up. */
function daysLeft({ createdAt, expiresAt, replaces }: ApiToken, now: Date): number | null {
  if (!expiresAt) return null;
  const leftAt = (time: Date) => (expiresAt.getTime() - time.getTime()) / DAY_MS;
  const left = leftAt(now);
  const isDue = ANNOUNCED_DAYS.some((days) => left <= days && (replaces !== null || leftAt(createdAt) > days));
  return isDue ? Math.ceil(left) : null;
}

export function scopesOfToken({ scopes, access }: Pick<ApiToken, "scopes" | "access">): readonly string[] {
  // Prisma reads the NULL of tokens that predate scopes as an empty list.
  return scopes.length > 0 ? scopes : ACCESS_SCOPES[access];
}

/** Warnings about networks that are set from this address. */
export function warningsFor(networks: string[], address: string | undefined): string[] {
  if (address === undefined || networks.length === 0 || isWithin(networkList(networks), address)) return [];
  return [`Your own address ${address} is not in these networks.`];
}
