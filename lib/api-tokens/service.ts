import type { NewApiToken } from "@/lib/api-tokens/schema";
import { record } from "@/lib/audit/service";
import { apiTokenIndex, bindingOf, digestOf, newApiTokenFor, sealDigest } from "@/lib/crypto/api-token";
import { usableKeys } from "@/lib/crypto/keyring";
import { type Author, type Authorised, authorise } from "@/lib/db/authority";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { findEnvironment } from "@/lib/environments/service";
import { AppError, invalidFields, StartError } from "@/lib/errors";
import type { ApiToken, Prisma } from "@/prisma/generated/client";

/** The name under which the token of the API_TOKEN variable is kept. */
const PROVISIONED = "API_TOKEN";

/** An API token as it may be shown: all but the token. */
export interface ApiTokenSummary {
  id: number;
  /** the slug of its environment */
  environment: string;
  name: string;
  access: "read" | "write";
  state: "valid" | "expired" | "revoked";
  createdBy: string;
  /** whether the member who made it can still sign in; null for one the operator made, or the service itself */
  maker: "active" | "disabled" | "removed" | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** A new API token with the token itself, which can be shown never again. */
export interface NewToken {
  token: string;
  apiToken: ApiTokenSummary;
}

/**
 * Makes an API token and records it.
 * @throws {AppError} `invalid_fields` when it has expired already, `not_found` when the environment has been deleted meanwhile
 */
export async function createApiToken(
  environment: { id: number; tag: "Customer" | "Testing" },
  fields: NewApiToken,
  author: Author,
): Promise<NewToken> {
  const now = await databaseNow();
  if (fields.expiresAt && fields.expiresAt <= now) {
    throw invalidFields([{ path: ["expiresAt"], message: "must be in the future" }]);
  }
  const token = newApiTokenFor(environment.tag);
  const row = await prisma().$transaction(async (tx) => {
    // The lock that its foreign key takes, taken first: an environment that is being deleted is an answer, not an error.
    const locked = await tx.$queryRaw<object[]>`SELECT FROM environment WHERE id = ${environment.id} FOR KEY SHARE`;
    if (locked.length === 0) throw new AppError("not_found", "This environment has just been deleted.");
    const by = await authorise(tx, author, "admin");
    return insert(tx, token, { ...fields, environmentId: environment.id }, by);
  });
  return { token, apiToken: summarize(row, row.createdById === null ? null : "active", now) };
}

/** All API tokens, the newest first; those of one environment, if it is given. */
export async function listApiTokens(environment?: { id: number }): Promise<ApiTokenSummary[]> {
  const now = await databaseNow();
  const rows = await prisma().apiToken.findMany({
    where: environment ? { environmentId: environment.id } : {},
    include: { environment: true },
    orderBy: { id: "desc" },
  });
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

/** The valid API tokens that a member made, in all environments, the newest first. */
export async function listApiTokensMadeBy(memberId: string): Promise<ApiTokenSummary[]> {
  const now = await databaseNow();
  const rows = await prisma().apiToken.findMany({
    where: { createdById: memberId, ...valid(now) },
    include: { environment: true },
    orderBy: { id: "desc" },
  });
  return rows.map((row) => summarize(row, "active", now));
}

/**
 * Revokes these API tokens of a member's making within the transaction, and records it. What has ended stays as it is.
 * @throws {AppError} `invalid_fields` for one that the member did not make
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
    const message = `names API tokens that this member did not make: ${strays.join(", ")}`;
    throw invalidFields([{ path: ["revokeApiTokens"], message }]);
  }
  return revoke(tx, { ...made, id: { in: ids }, ...valid(now) }, by);
}

function valid(now: Date): Prisma.ApiTokenWhereInput {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}

/** Revokes an API token and records it: the next request made with it is refused. False when there is none to revoke. */
export async function revokeApiToken(id: number, author: Author): Promise<boolean> {
  return prisma().$transaction((tx) => lockAndRevoke(tx, { id }, author));
}

/**
 * Revokes an API token of this environment and records it.
 * @throws {AppError} `not_found` when there is none to revoke
 */
export async function revokeApiTokenOf(environment: { id: number }, id: number, author: Author) {
  const revoked = await prisma().$transaction((tx) => lockAndRevoke(tx, { id, environmentId: environment.id }, author));
  if (revoked) return;
  throw new AppError(
    "not_found",
    "There is no such API token to revoke in this environment: it may have been revoked before.",
  );
}

/**
 * Sees to it that the token of the API_TOKEN variable is valid in its environment, in place of the one it named before.
 * @throws {StartError} when the environment is unknown, or the token was revoked or belongs to another environment
 */
export async function provisionApiToken(token: string, slug: string, author: Author) {
  const environment = await findEnvironment(slug);
  const digest = digestOf(token);
  const indexes = usableKeys().map((key) => new Uint8Array(apiTokenIndex(digest, key)));
  await prisma().$transaction(async (tx) => {
    // Several processes may start at once: one provisions, the others find it done.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('provision API_TOKEN'))`;
    const known = await tx.apiToken.findFirst({ where: { tokenIndex: { in: indexes } } });
    if (known) return checkProvisioned(known, environment);
    const by = await authorise(tx, author, "admin");
    await revoke(tx, { name: PROVISIONED, createdBy: author.actorName }, by);
    const fields = { environmentId: environment.id, name: PROVISIONED, access: "write" as const, expiresAt: null };
    await insert(tx, token, fields, by);
  });
}

function checkProvisioned(known: ApiToken, environment: { id: number; slug: string }) {
  if (known.revokedAt) throw new StartError("API_TOKEN holds a token that has been revoked: set it to a new one.");
  if (known.environmentId === environment.id) return;
  throw new StartError(`API_TOKEN holds a token of another environment than ${environment.slug}: set it to a new one.`);
}

interface Fields {
  environmentId: number;
  name: string;
  access: "read" | "write";
  expiresAt: Date | null;
}

async function insert(tx: Prisma.TransactionClient, token: string, fields: Fields, author: Authorised) {
  const { environmentId, name, access, expiresAt } = fields;
  const digest = digestOf(token);
  const index = apiTokenIndex(digest);
  const row = await tx.apiToken.create({
    include: { environment: true },
    data: {
      environmentId,
      name,
      access,
      expiresAt,
      tokenIndex: new Uint8Array(index),
      binding: new Uint8Array(bindingOf(index, { environmentId, access })),
      digestSealed: new Uint8Array(sealDigest(digest)),
      createdBy: author.actorName,
      createdById: author.actorType === "member" ? author.actorId : null,
    },
  });
  const after = { id: row.id, name, access, expires_at: expiresAt };
  await record(tx, author, { action: "api_token.created", environmentId, after });
  return row;
}

async function lockAndRevoke(
  tx: Prisma.TransactionClient,
  { id, environmentId }: { id: number; environmentId?: number },
  author: Author,
): Promise<boolean> {
  await tx.$queryRaw`SELECT FROM api_token WHERE id = ${id} FOR NO KEY UPDATE`;
  const by = await authorise(tx, author, "admin");
  return revoke(tx, { id, ...(environmentId !== undefined && { environmentId }) }, by);
}

async function revoke(tx: Prisma.TransactionClient, which: Prisma.ApiTokenWhereInput, by: Authorised) {
  const revoked = await tx.apiToken.updateManyAndReturn({
    where: { ...which, revokedAt: null },
    data: { revokedAt: await databaseNow(tx) },
  });
  for (const { id, name, access, environmentId } of revoked) {
    await record(tx, by, { action: "api_token.revoked", environmentId, before: { id, name, access } });
  }
  return revoked.length > 0;
}

function summarize(
  { environment, ...token }: ApiToken & { environment: { slug: string } },
  maker: ApiTokenSummary["maker"],
  now: Date,
): ApiTokenSummary {
  const { id, name, access, createdBy, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  const state = revokedAt ? "revoked" : expiresAt && expiresAt <= now ? "expired" : "valid";
  return {
    id,
    environment: environment.slug,
    name,
    access,
    state,
    createdBy,
    maker,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  };
}
