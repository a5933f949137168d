import type { z } from "zod";
import { bindingFor, requireUnaltered } from "@/lib/api-tokens/binding";
import { insertApiToken, type TokenFields } from "@/lib/api-tokens/insert";
import { disableWebhooksMadeBy } from "@/lib/api-tokens/made";
import { noSuchApiToken } from "@/lib/api-tokens/replacement";
import type { apiTokenNetworks, NewApiToken } from "@/lib/api-tokens/schema";
import {
  type ApiTokenSummary,
  PROVISIONED,
  SUMMARIZED,
  scopesOfToken,
  summarize,
  warningsFor,
} from "@/lib/api-tokens/summary";
import { record } from "@/lib/audit/service";
import { type Author, type Authorised, authorise } from "@/lib/authority/authority";
import { PRESETS, type Scope } from "@/lib/authority/scopes";
import { apiTokenIndex, digestOf, newApiTokenFor } from "@/lib/crypto/api-token";
import { usableKeys } from "@/lib/crypto/keyring";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { findEnvironment } from "@/lib/environments/service";
import { AppError, environmentDeleted, invalidFields, StartError } from "@/lib/errors";
import type { Environment } from "@/lib/store/look-up";
import type { ApiToken, Prisma } from "@/prisma/generated/client";

/** A new API token with its secret, which cannot be shown again. */
export interface NewToken {
  token: string;
  apiToken: ApiTokenSummary;
  /** sentences about probable mistakes */
  warnings: string[];
}

/**
 * Creates an API token and records it. Warns an author whose address is outside its networks.
 * @throws {AppError} `invalid_fields` when it has already expired, `not_found` when the environment was just deleted
 */
export async function createApiToken(
  environment: Pick<Environment, "id" | "tag">,
  fields: NewApiToken,
  author: Author,
  address?: string,
): Promise<NewToken> {
  const { name, scopes, allowedNetworks = [], expiresAt } = fields;
  const now = await databaseNow();
  if (expiresAt && expiresAt <= now) {
    throw invalidFields([{ path: ["expiresAt"], message: "must be in the future" }]);
  }
  const token = newApiTokenFor(environment.tag);
  const row = await prisma().$transaction(async (tx) => {
    // Take the foreign key's lock first: a concurrent deletion then answers 404 instead of failing.
    const locked = await tx.$queryRaw<object[]>`SELECT FROM environment WHERE id = ${environment.id} FOR KEY SHARE`;
    if (locked.length === 0) throw environmentDeleted();
    const by = await authorise(tx, author, "admin");
    return create(tx, token, { environmentId: environment.id, name, scopes, allowedNetworks, expiresAt }, by);
  });
  const apiToken = summarize(row, row.createdById === null ? null : "active", now);
  return { token, apiToken, warnings: warningsFor(allowedNetworks, address) };
}

/** All API tokens, newest first, or only an environment's. */
export async function listApiTokens(environment?: { id: number }): Promise<ApiTokenSummary[]> {
  const now = await databaseNow();
  const rows = await findNewest(environment ? { environmentId: environment.id } : {});
  const ids = [...new Set(rows.flatMap(({ createdById }) => createdById ?? []))];
  const members = await prisma().member.findMany({
    where: { id: { in: ids } },
    select: { id: true, disabledAt: true },
  });
  const makerOf = (row: ApiToken) => {
    if (row.createdById === null) return null;
    const member = members.find(({ id }) => id === row.createdById);
    return member ? (member.disabledAt ? "disabled" : "active") : "removed";
  };
  return rows.map((row) => summarize(row, makerOf(row), now));
}

/** A member's valid API tokens in all environments, newest first. */
export async function listApiTokensMadeBy(memberId: string): Promise<ApiTokenSummary[]> {
  const now = await databaseNow();
  const rows = await findNewest({ createdById: memberId, ...valid(now) });
  return rows.map((row) => summarize(row, "active", now));
}

/** In one snapshot: environments are read by a second query, and one may be deleted in between. */
function findNewest(where: Prisma.ApiTokenWhereInput) {
  return prisma().$transaction((tx) => tx.apiToken.findMany({ where, include: SUMMARIZED, orderBy: { id: "desc" } }), {
    isolationLevel: "RepeatableRead",
  });
}

/**
 * Revokes API tokens that a member created, within the transaction, and records it. Ended ones stay unchanged.
 * @throws {AppError} `invalid_fields` for a token that the member did not create
 */
export async function revokeApiTokensMadeBy(
  tx: Prisma.TransactionClient,
  { memberId, ids }: { memberId: string; ids: number[] },
  by: Authorised,
) {
  const made = { createdById: memberId };
  const now = await databaseNow(tx);
  const found = await tx.apiToken.findMany({ where: { ...made, id: { in: ids } }, select: { id: true } });
  const strays = ids.filter((id) => !found.some((one) => one.id === id));
  if (strays.length > 0) {
    const message = `contains API tokens that this member did not create: ${strays.join(", ")}`;
    throw invalidFields([{ path: ["revokeApiTokens"], message }]);
  }
  const all: number[] = [];
  for (const id of ids) all.push(...(await lockChain(tx, id)));
  return revoke(tx, { id: { in: all }, ...valid(now) }, by);
}

/** The condition of API tokens that are accepted. */
function valid(now: Date): Prisma.ApiTokenWhereInput {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}

/** Revokes an API token and records it, as {@link lockChain} says. Returns false when there is none to revoke. */
export async function revokeApiToken(id: number, author: Author): Promise<boolean> {
  return prisma().$transaction((tx) => lockAndRevoke(tx, { id }, author));
}

/** @throws {AppError} `not_found` for an API token of another environment */
export async function requireApiTokenOf(environment: { id: number }, id: number) {
  if (await prisma().apiToken.findFirst({ where: { id, environmentId: environment.id } })) return;
  throw new AppError("not_found", "No such API token in this environment.");
}

/**
 * Revokes an API token of this environment, disables the given webhooks that it made, and records both.
 * @throws {AppError} `not_found` when there is none to revoke, `invalid_fields` for a webhook that it did not make
 */
export async function revokeApiTokenOf(
  environment: { id: number },
  { id, disableWebhooks = [] }: { id: number; disableWebhooks?: number[] | undefined },
  author: Author,
) {
  const maker = { type: "api_token", id: String(id) } as const;
  await prisma().$transaction(async (tx) => {
    const which = { id, environmentId: environment.id };
    const disable = (by: Authorised) => disableWebhooksMadeBy(tx, { maker, ids: disableWebhooks }, by);
    if (await lockAndRevoke(tx, which, author, disable)) return;
    throw new AppError("not_found", "No such API token in this environment, or it is already revoked.");
  });
}

/**
 * Makes the API_TOKEN variable's token valid in its environment, replacing the previous one. Returns false if it has
 * expired, which must not end a service that others use.
 * @throws {StartError} when the environment is unknown, or the token was revoked or belongs to another environment
 */
export async function provisionApiToken(token: string, slug: string, author: Author): Promise<boolean> {
  const environment = await findEnvironment(slug);
  const digest = digestOf(token);
  const indexes = usableKeys().map((key) => new Uint8Array(apiTokenIndex(digest, key)));
  return prisma().$transaction(async (tx) => {
    // When several processes start together, one provisions and the others find it done.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('provision API_TOKEN'))`;
    const known = await tx.apiToken.findFirst({ where: { tokenIndex: { in: indexes } }, include: { successor: true } });
    if (known) return checkProvisioned(known, environment, await databaseNow(tx));
    const by = await authorise(tx, author, "admin");
    // Including values that replaced earlier ones, no matter who replaced them.
    const earlier = await tx.$queryRaw<{ id: number }[]>`
      WITH RECURSIVE provisioned AS (
        SELECT id FROM api_token WHERE name = ${PROVISIONED} AND created_by = ${author.actorName}
        UNION SELECT t.id FROM api_token t JOIN provisioned p ON t.replaces = p.id
      ) SELECT id FROM provisioned`;
    await revoke(tx, { id: { in: earlier.map(({ id }) => id) } }, by);
    const fields = { name: PROVISIONED, scopes: [...PRESETS.backend], allowedNetworks: [], expiresAt: null };
    await create(tx, token, { environmentId: environment.id, ...fields }, by);
    return true;
  });
}

function checkProvisioned(
  known: ApiToken & { successor: ApiToken | null },
  environment: { id: number; slug: string },
  now: Date,
): boolean {
  if (known.revokedAt) throw new StartError("API_TOKEN has been revoked. Set it to a new token.");
  const hasExpired = known.expiresAt !== null && known.expiresAt <= now;
  if (known.successor && hasExpired) {
    throw new StartError("API_TOKEN has been replaced, and its old value is no longer valid. Set it to the new value.");
  }
  if (known.environmentId === environment.id) return !hasExpired;
  throw new StartError(`API_TOKEN belongs to an environment other than ${environment.slug}. Set it to a new token.`);
}

async function create(
  tx: Prisma.TransactionClient,
  token: string,
  fields: Omit<TokenFields, "access" | "scopes" | "replaces"> & { scopes: Scope[] },
  author: Authorised,
) {
  const { environmentId, name, scopes, allowedNetworks, expiresAt } = fields;
  // For releases before scopes, which refuse the token anyway.
  const access = scopes.some((scope) => scope.startsWith("groups:") && scope !== "groups:read") ? "write" : "read";
  const row = await insertApiToken(tx, token, { ...fields, access }, author);
  const after = { id: row.id, name, scopes, allowed_networks: allowedNetworks, expires_at: expiresAt };
  await record(tx, author, { action: "api_token.created", environmentId, after });
  return row;
}

/** Runs `alongside` once the token is locked, before the author's own authority may end with it. */
async function lockAndRevoke(
  tx: Prisma.TransactionClient,
  { id, environmentId }: { id: number; environmentId?: number },
  author: Author,
  alongside?: (by: Authorised) => Promise<void>,
): Promise<boolean> {
  const ids = await lockChain(tx, id);
  const by = await authorise(tx, author, "admin");
  await alongside?.(by);
  return revoke(tx, { id: { in: ids }, ...(environmentId !== undefined && { environmentId }) }, by);
}

/**
 * Locks an API token, and returns the ids to revoke: its own, and, if it may replace itself, those of its other valid
 * values, because anyone with one value could have made the others.
 */
async function lockChain(tx: Prisma.TransactionClient, id: number): Promise<number[]> {
  const ids: number[] = [];
  for (let next: number | undefined = id; next !== undefined; ) {
    ids.push(next);
    // A replacement holds this lock: once it is ours, the value that replaced this one is known.
    await tx.$queryRaw`SELECT FROM api_token WHERE id = ${next} FOR NO KEY UPDATE`;
    const following: { id: number }[] = await tx.$queryRaw`
      SELECT id FROM api_token WHERE replaces = ${next} AND 'api-token:replace' = ANY (scopes)`;
    next = following[0]?.id;
  }
  const earlier = await tx.$queryRaw<{ id: number }[]>`
    WITH RECURSIVE earlier AS (
      SELECT id, replaces, expires_at FROM api_token WHERE id = ${id} AND 'api-token:replace' = ANY (scopes)
      UNION SELECT t.id, t.replaces, t.expires_at FROM api_token t JOIN earlier e ON t.id = e.replaces
    ) SELECT id FROM earlier WHERE id <> ${id} AND expires_at > now()`;
  return [...ids, ...earlier.map((one) => one.id)];
}

async function revoke(tx: Prisma.TransactionClient, which: Prisma.ApiTokenWhereInput, by: Authorised) {
  const revoked = await tx.apiToken.updateManyAndReturn({
    where: { ...which, revokedAt: null },
    data: { revokedAt: await databaseNow(tx) },
  });
  for (const { id, name, environmentId, ...token } of revoked) {
    const scopes = scopesOfToken(token);
    await record(tx, by, { action: "api_token.revoked", environmentId, before: { id, name, scopes } });
  }
  return revoked.length > 0;
}

/**
 * Changes the networks that an API token is accepted from, none for any address, and records it. Warns an author whose
 * address is outside them.
 * @throws {AppError} `not_found` when it has ended, `conflict` when it is from before scopes or its row was altered
 */
export async function changeNetworks(
  { id: environmentId }: { id: number },
  { id, allowedNetworks }: z.infer<typeof apiTokenNetworks>,
  author: Author,
  address?: string,
): Promise<Omit<NewToken, "token">> {
  const networks = allowedNetworks ?? [];
  return prisma().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT FROM api_token WHERE id = ${id} FOR NO KEY UPDATE`;
    const by = await authorise(tx, author, "admin");
    const old = await tx.apiToken.findFirst({ where: { id, environmentId }, include: SUMMARIZED });
    const now = await databaseNow(tx);
    if (!old || old.revokedAt || (old.expiresAt && old.expiresAt <= now)) throw noSuchApiToken();
    requireUnaltered(old);
    if (old.scopes.length === 0) {
      const message = "This API token is from before scopes and networks. Create another with networks.";
      throw new AppError("conflict", message);
    }
    const row = await tx.apiToken.update({
      where: { id },
      data: { allowedNetworks: networks, binding: bindingFor({ ...old, allowedNetworks: networks }) },
      include: SUMMARIZED,
    });
    const { name } = row;
    await record(tx, by, {
      action: "api_token.networks_changed",
      environmentId: row.environmentId,
      before: { id, name, allowed_networks: old.allowedNetworks },
      after: { id, name, allowed_networks: networks },
    });
    return { apiToken: summarize(row, null, now), warnings: warningsFor(networks, address) };
  });
}
