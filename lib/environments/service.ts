import { record } from "@/lib/audit/service";
import { type Author, type Authorised, authorise } from "@/lib/authority/authority";
import { type Run, read, statement } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import type {
  EnvironmentDetails,
  EnvironmentUpdate,
  NewEnvironment,
  OfferedEnvironment,
} from "@/lib/environments/schema";
import { AppError, environmentDeleted, invalidFields, StartError } from "@/lib/errors";
import type { Environment } from "@/lib/store/look-up";
import type { Prisma } from "@/prisma/generated/client";

/** The limit when counting groups: a million take too long for a number that no one reads. */
const COUNTED_GROUPS = 10_000;

// Not FOR UPDATE, which would block group creations.
const LOCK = statement("lock_environment")`SELECT FROM environment WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * Serialises transactions that count or compare an environment's rows.
 * @throws {AppError} `not_found` for an environment that was just deleted
 */
export async function lockEnvironment(run: Run, environmentId: number) {
  if ((await run(LOCK, [environmentId])).length === 0) throw environmentDeleted();
}

/** All environments, oldest first. */
export async function listEnvironments(): Promise<Environment[]> {
  return prisma().environment.findMany({ select: { id: true, slug: true, tag: true }, orderBy: { id: "asc" } });
}

// Each is one look-up in user_group_environment_id_team_id_idx.
const LIST_OFFERED = statement("list_offered_environments")`
  SELECT e.slug, e.name, e.tag, EXISTS (SELECT FROM user_group g WHERE g.environment_id = e.id) AS "hasGroups"
  FROM environment e ORDER BY e.id`;

/** All environments, oldest first, and whether they contain groups. */
export function listOfferedEnvironments(): Promise<OfferedEnvironment[]> {
  return read<OfferedEnvironment>(LIST_OFFERED, []);
}

/**
 * The environment named by a command or a setting.
 * @throws {StartError} that lists the environments when none has this slug
 */
export async function findEnvironment(slug: string): Promise<Environment> {
  const all = await listEnvironments();
  const environment = all.find((one) => one.slug === slug);
  if (environment) return environment;
  throw new StartError(`Unknown environment "${slug}". Environments: ${all.map((one) => one.slug).join(", ")}.`);
}

/** An environment with its contents. */
type FullEnvironment = Omit<EnvironmentDetails, "createdAt"> & { createdAt: Date };

const VALID_TOKEN = "t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())";

const LIST_DETAILS = statement("list_environment_details")`
  SELECT e.slug, e.name, e.tag, e.embed_template AS "embedTemplate", e.created_at AS "createdAt",
    (SELECT count(*)::int FROM (
      SELECT FROM user_group g WHERE g.environment_id = e.id LIMIT ${COUNTED_GROUPS + 1}) counted) AS groups,
    (SELECT count(*)::int FROM api_token t WHERE t.environment_id = e.id AND ${VALID_TOKEN}) AS "apiTokens"
  FROM environment e WHERE $1::text IS NULL OR e.slug = $1 ORDER BY e.id`;

/** All environments with their contents, oldest first, or the one with this slug. */
export async function listEnvironmentDetails(slug: string | null = null): Promise<FullEnvironment[]> {
  const rows = await read<Omit<FullEnvironment, "groups"> & { groups: number }>(LIST_DETAILS, [slug]);
  return rows.map(({ groups, ...row }) => ({
    ...row,
    groups: { count: Math.min(groups, COUNTED_GROUPS), exact: groups <= COUNTED_GROUPS },
  }));
}

/**
 * Creates an environment and records it.
 * @throws {AppError} `invalid_fields` when its slug is taken
 */
export async function createEnvironment(fields: NewEnvironment, author: Author): Promise<FullEnvironment> {
  await prisma().$transaction(async (tx) => {
    const [created] = await tx.environment.createManyAndReturn({ data: [fields], skipDuplicates: true });
    if (!created) throw invalidFields([{ path: ["slug"], message: "is taken by another environment" }]);
    const by = await authorise(tx, author, "owner");
    await record(tx, by, { action: "environment.created", environmentId: created.id, after: snapshot(created) });
  });
  return findDetails(fields.slug);
}

/**
 * Changes the given fields, and records actual changes.
 * @throws {AppError} `not_found`
 */
export async function updateEnvironment(update: EnvironmentUpdate, author: Author): Promise<FullEnvironment> {
  await prisma().$transaction(async (tx) => {
    // Not FOR UPDATE, which would block group creations.
    await tx.$queryRaw`SELECT FROM environment WHERE slug = ${update.slug} FOR NO KEY UPDATE`;
    await updateWithin(tx, update, await authorise(tx, author, "admin"));
  });
  return findDetails(update.slug);
}

/** As {@link updateEnvironment}, in a transaction that has locked it. */
export async function updateWithin(
  tx: Prisma.TransactionClient,
  { slug, name, embedTemplate }: EnvironmentUpdate,
  by: Authorised,
) {
  const before = await tx.environment.findUnique({ where: { slug } });
  if (!before) throw unknownEnvironment();
  const template = embedTemplate === undefined ? before.embedTemplate : embedTemplate;
  const after = { ...before, name: name ?? before.name, embedTemplate: template };
  if (after.name === before.name && after.embedTemplate === before.embedTemplate) return;
  const { id: environmentId } = before;
  await tx.environment.update({ where: { slug }, data: { name: after.name, embedTemplate: after.embedTemplate } });
  const states = { before: snapshot(before), after: snapshot(after) };
  await record(tx, by, { action: "environment.updated", environmentId, ...states });
}

/**
 * Deletes an empty environment with its ended API tokens, and records it.
 * @throws {AppError} `not_found`, or `conflict` that names the obstacles
 */
export async function deleteEnvironment(slug: string, author: Author) {
  await prisma().$transaction(async (tx) => {
    // One deletion at a time: two concurrent ones would each see the other's environment remain.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('delete environment'))`;
    const environment = await tx.environment.findUnique({ where: { slug } });
    if (!environment) throw unknownEnvironment();
    // Checked before the lock too: an environment in use is refused without blocking anyone.
    await requireEmpty(tx, environment);
    // Waits for groups and API tokens being created in it, and blocks later ones.
    await tx.$queryRaw`SELECT FROM environment WHERE id = ${environment.id} FOR UPDATE`;
    await requireEmpty(tx, environment);
    const by = await authorise(tx, author, "owner");
    await tx.apiToken.deleteMany({ where: { environmentId: environment.id } });
    await tx.environment.delete({ where: { id: environment.id } });
    const before = snapshot(environment);
    await record(tx, by, { action: "environment.deleted", environmentId: environment.id, before });
  });
}

/**
 * Refuses to delete an environment with contents; one statement, so that a group being deleted is seen in exactly one
 * table.
 */
async function requireEmpty(tx: Prisma.TransactionClient, { id, name }: { id: number; name: string }) {
  const [contents] = await tx.$queryRawUnsafe<{ groups: number; deleted: number; tokens: number; others: number }[]>(
    `SELECT
      (SELECT count(*)::int FROM (
        SELECT FROM user_group g WHERE g.environment_id = $1 LIMIT ${COUNTED_GROUPS + 1}) counted) AS groups,
      (SELECT count(*)::int FROM (
        SELECT FROM deleted_group d WHERE d.environment_id = $1 LIMIT ${COUNTED_GROUPS + 1}) counted) AS deleted,
      (SELECT count(*)::int FROM api_token t WHERE t.environment_id = $1 AND ${VALID_TOKEN}) AS tokens,
      (SELECT count(*)::int FROM environment e WHERE e.id <> $1) AS others`,
    id,
  );
  const { groups, deleted, tokens, others } = contents ?? { groups: 0, deleted: 0, tokens: 0, others: 0 };
  const obstacles: string[] = [];
  if (others === 0) obstacles.push("is the only environment: add another one first");
  if (groups > 0) obstacles.push(`holds ${many(groups, "user group")}: delete them first`);
  if (deleted > 0)
    obstacles.push(`holds ${many(deleted, "deleted user group")} that can still be restored: erase them, or try later`);
  if (tokens > 0) obstacles.push(`has ${many(tokens, "valid API token")}: revoke them first`);
  if (obstacles.length === 0) return;
  throw new AppError("conflict", `Nothing was deleted: ${name} ${obstacles.join(", and ")}.`);
}

function many(count: number, noun: string): string {
  if (count > COUNTED_GROUPS) return `more than ${COUNTED_GROUPS.toLocaleString("en")} ${noun}s`;
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

async function findDetails(slug: string): Promise<FullEnvironment> {
  const [row] = await listEnvironmentDetails(slug);
  if (!row) throw unknownEnvironment();
  return row;
}

function unknownEnvironment(): AppError {
  return new AppError("not_found", "Unknown environment. It may have been deleted.");
}

/** An environment as recorded in the history. */
function snapshot(row: { slug: string; name: string; tag: string; embedTemplate: string | null }) {
  return { slug: row.slug, name: row.name, tag: row.tag, embed_template: row.embedTemplate };
}
