import type { NewApiToken } from "@/lib/api-tokens/schema";
import { apiTokenIndex, digestOf, newApiTokenFor, sealDigest } from "@/lib/api-tokens/token";
import { record } from "@/lib/audit/service";
import { usableKeys } from "@/lib/crypto/keyring";
import { prisma } from "@/lib/db/prisma";
import type { Author } from "@/lib/db/statements";
import { StartError } from "@/lib/errors";
import type { ApiToken, Prisma } from "@/prisma/generated/client";

/** The name under which the token of the API_TOKEN variable is kept. */
const PROVISIONED = "API_TOKEN";

/** Makes an API token and records it. The token is returned here and can be shown never again. */
export async function createApiToken(fields: NewApiToken, author: Author): Promise<string> {
  const environment = await findEnvironment(fields.environment);
  const token = newApiTokenFor(environment.tag);
  await prisma().$transaction((tx) => insert(tx, token, { ...fields, environmentId: environment.id }, author));
  return token;
}

/** An API token as it may be shown: all but the token. */
export interface ApiTokenSummary {
  id: number;
  environment: string;
  name: string;
  access: "read" | "write";
  createdBy: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** All API tokens, the newest first. */
export async function listApiTokens(): Promise<ApiTokenSummary[]> {
  const rows = await prisma().apiToken.findMany({ include: { environment: true }, orderBy: { id: "desc" } });
  return rows.map(({ id, environment, name, access, createdBy, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
    id,
    environment: environment.slug,
    name,
    access,
    createdBy,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  }));
}

/** Revokes an API token and records it: the next request made with it is refused. False when there is none to revoke. */
export async function revokeApiToken(id: number, author: Author): Promise<boolean> {
  return prisma().$transaction((tx) => revoke(tx, { id }, author));
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
    await revoke(tx, { name: PROVISIONED, createdBy: author.actorName }, author);
    const fields = { environmentId: environment.id, name: PROVISIONED, access: "write" as const, expiresAt: null };
    await insert(tx, token, fields, author);
  });
}

function checkProvisioned(known: ApiToken, environment: { id: number; slug: string }) {
  if (known.revokedAt) throw new StartError("API_TOKEN holds a token that has been revoked: set it to a new one.");
  if (known.environmentId === environment.id) return;
  throw new StartError(`API_TOKEN holds a token of another environment than ${environment.slug}: set it to a new one.`);
}

async function findEnvironment(slug: string) {
  const environment = await prisma().environment.findUnique({ where: { slug } });
  if (environment) return environment;
  const all = await prisma().environment.findMany({ orderBy: { id: "asc" } });
  throw new StartError(`There is no environment "${slug}": there is ${all.map((one) => one.slug).join(", ")}.`);
}

interface Fields {
  environmentId: number;
  name: string;
  access: "read" | "write";
  expiresAt: Date | null;
}

async function insert(tx: Prisma.TransactionClient, token: string, fields: Fields, author: Author) {
  const { environmentId, name, access, expiresAt } = fields;
  const digest = digestOf(token);
  const { id } = await tx.apiToken.create({
    data: {
      environmentId,
      name,
      access,
      expiresAt,
      tokenIndex: new Uint8Array(apiTokenIndex(digest)),
      digestSealed: new Uint8Array(sealDigest(digest)),
      createdBy: author.actorName,
    },
  });
  const after = { id, name, access, expires_at: expiresAt };
  await record(tx, author, { action: "api_token.created", environmentId, after });
}

async function revoke(tx: Prisma.TransactionClient, which: Prisma.ApiTokenWhereInput, author: Author) {
  const revoked = await tx.apiToken.updateManyAndReturn({
    where: { ...which, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  for (const { id, name, access, environmentId } of revoked) {
    await record(tx, author, { action: "api_token.revoked", environmentId, before: { id, name, access } });
  }
  return revoked.length > 0;
}
