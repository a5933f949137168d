import { requireUnaltered } from "@/lib/api-tokens/binding";
import { insertApiToken } from "@/lib/api-tokens/insert";
import type { NewToken } from "@/lib/api-tokens/service";
import { scopesOfToken, summarize } from "@/lib/api-tokens/summary";
import { record } from "@/lib/audit/service";
import { type Asked, authorOf } from "@/lib/auth/caller";
import { type Author, type Authorised, authorise, authoriseScope } from "@/lib/authority/authority";
import { newApiTokenFor } from "@/lib/crypto/api-token";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import { readExpiry } from "@/lib/json/instant";
import type { Prisma } from "@/prisma/generated/client";

/** The new value of an API token. */
export interface Replacement extends NewToken {
  previousValidUntil: Date;
}

interface Which {
  id: number;
  /** undefined for any */
  environmentId?: number;
}

/**
 * Replaces an API token by a new value with the same name, scopes, networks and expiry, and records it. The old one
 * stays valid for the overlap in seconds, but never beyond its expiry.
 * @throws {AppError} `not_found` when it has ended, `conflict` when it was replaced before or its row was altered
 */
export function replaceApiToken(which: Which, overlap: number, author: Author): Promise<Replacement> {
  return replace(which, overlap, { isItself: false, authorised: (tx) => authorise(tx, author, "admin") });
}

/**
 * Replaces the calling API token, as {@link replaceApiToken} does; its maker stays.
 * @throws {AppError} also `conflict` while its previous value is valid: a program never has three valid values
 */
export function replaceItself({ caller, input }: Asked<{ overlap_seconds: number }>): Promise<Replacement> {
  const which = { id: Number(caller.actorId), environmentId: caller.environment.id };
  return replace(which, input.overlap_seconds, {
    isItself: true,
    authorised: (tx) => authoriseScope(tx, authorOf(caller), which.environmentId, "api-token:replace"),
  });
}

interface By {
  isItself: boolean;
  authorised(tx: Prisma.TransactionClient): Promise<Authorised>;
}

async function replace(which: Which, overlap: number, { isItself, authorised }: By): Promise<Replacement> {
  return prisma().$transaction(async (tx) => {
    // Locks the environment first, as deleting one does.
    await tx.$queryRaw`
      SELECT FROM environment WHERE id = (SELECT environment_id FROM api_token WHERE id = ${which.id}) FOR KEY SHARE`;
    await tx.$queryRaw`SELECT FROM api_token WHERE id = ${which.id} FOR NO KEY UPDATE`;
    const by = await authorised(tx);
    const include = { environment: true, successor: true } as const;
    const old = await tx.apiToken.findFirst({ where: which, include });
    const now = await databaseNow(tx);
    if (!old || old.revokedAt) throw noSuchApiToken();
    if (old.successor) {
      const { id, revokedAt } = old.successor;
      const advice = revokedAt
        ? "Its new value has been revoked: create another API token."
        : `Replace its new value instead, which has the id ${id}.`;
      throw new AppError("conflict", `This API token has already been replaced. ${advice}`);
    }
    if (old.expiresAt && old.expiresAt <= now) throw noSuchApiToken();
    // On its own: a third relation above would make Prisma send two queries at once.
    const isValid = { revokedAt: null, expiresAt: { gt: now } };
    if (isItself && (await tx.apiToken.findFirst({ where: { successor: { id: old.id }, ...isValid } }))) {
      throw new AppError("conflict", "The previous value is still valid. Replace this one after it has ended.");
    }
    requireUnaltered(old);

    const { id, environmentId, name, access, allowedNetworks } = old;
    const expiresAt = old.expiresAt && readExpiry(old.expiresAt);
    const scopes = old.scopes.length > 0 ? old.scopes : undefined;
    const overlapEnd = new Date(now.getTime() + overlap * 1_000);
    const previousValidUntil = expiresAt && expiresAt < overlapEnd ? expiresAt : overlapEnd;
    await tx.apiToken.update({ where: { id }, data: { expiresAt: previousValidUntil } });
    const token = newApiTokenFor(old.environment.tag);
    const { createdBy, createdById } = old;
    const maker = isItself ? { maker: { createdBy, createdById } } : {};
    const fields = { environmentId, name, access, scopes, allowedNetworks, expiresAt, replaces: id, ...maker };
    const row = await insertApiToken(tx, token, fields, by);
    await tx.apiToken.update({ where: { id: row.id }, data: { expiryAnnounced: old.expiryAnnounced } });
    const same = { name, scopes: scopesOfToken(old) };
    await record(tx, by, {
      action: "api_token.replaced",
      environmentId,
      before: { id, ...same, expires_at: expiresAt },
      after: {
        id: row.id,
        ...same,
        allowed_networks: allowedNetworks,
        expires_at: expiresAt,
        previous_valid_until: previousValidUntil,
      },
    });
    const apiToken = summarize(row, row.createdById === null ? null : "active", now);
    return { token, apiToken, warnings: [], previousValidUntil };
  });
}

export function noSuchApiToken(): AppError {
  return new AppError("not_found", "No such API token in this environment, or it is no longer valid.");
}
