import { randomUUID } from "node:crypto";
import { disableWebhooksMadeBy } from "@/lib/api-tokens/made";
import { revokeApiTokensMadeBy } from "@/lib/api-tokens/service";
import { record } from "@/lib/audit/service";
import { changeMembers, endSessions, forgetSecondFactor, lockMembers } from "@/lib/auth/change-members";
import { hashPassword } from "@/lib/auth/password";
import { isSoonGuessed } from "@/lib/auth/password-strength";
import type { Role } from "@/lib/auth/role";
import { type Author, type Authorised, vouchFor } from "@/lib/authority/authority";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { AppError, StartError } from "@/lib/errors";
import type { MemberChange, MemberRemoval } from "@/lib/members/schema";
import type { Member, Prisma } from "@/prisma/generated/client";

/** A member's key: the id from the dashboard, the address from the command line. */
export type MemberKey = { id: string } | { email: string };

/** A member's accounts at providers, oldest first. */
export const LINKED = { where: { providerId: { not: "credential" } }, orderBy: { createdAt: "asc" } } as const;

const LAST_SEEN = {
  sessions: { select: { updatedAt: true }, orderBy: { updatedAt: "desc" }, take: 1 },
  accounts: LINKED,
} as const;

/** A member with the latest activity and the linked accounts. */
export type SeenMember = Prisma.MemberGetPayload<{ include: typeof LAST_SEEN }>;

/** All members, oldest first. */
export async function listMembers(): Promise<SeenMember[]> {
  return prisma().member.findMany({ include: LAST_SEEN, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
}

/** Whether any member exists. */
export async function hasMembers(): Promise<boolean> {
  return (await prisma().member.findFirst({ select: { id: true } })) !== null;
}

/**
 * Creates the first owner for an unattended set-up; does nothing once there are members.
 * @throws {StartError} for a password that is easy to guess
 */
export async function createFirstOwner({ email, password }: { email: string; password: string }, author: Author) {
  if (await hasMembers()) return;
  if (await isSoonGuessed(password, { name: "", email })) {
    throw new StartError("ADMIN_PASSWORD is easy to guess: use several words, or a password manager.");
  }
  // Hashing is slow on purpose: not while a transaction holds the lock.
  const passwordHash = await hashPassword(password);
  await prisma().$transaction(async (tx) => {
    // When several processes start together, one creates the owner and the others find it.
    await lockMembers(tx);
    if ((await tx.member.count()) > 0) return;
    await createMember(tx, { name: email, email, role: "owner", passwordHash }, vouchFor(author));
  });
}

/** Creates a member within the transaction and records it; without an author, the member is the author. */
export async function createMember(
  tx: Prisma.TransactionClient,
  { passwordHash, ...fields }: { name: string; email: string; role: Role; passwordHash: string },
  author: Authorised | { requestId: string },
) {
  const id = randomUUID();
  // An owner, or the person setting up, vouches for the address.
  await tx.member.create({ data: { id, ...fields, emailVerified: true } });
  await setPassword(tx, id, passwordHash);
  const own = vouchFor({ actorType: "member", actorId: id, actorName: fields.name, requestId: author.requestId });
  await record(tx, "actorType" in author ? author : own, { action: "member.created", after: { id, ...fields } });
}

/** Sets a member's password, within the transaction. */
export async function setPassword(tx: Prisma.TransactionClient, userId: string, passwordHash: string) {
  const credential = { userId, providerId: "credential" };
  await tx.account.deleteMany({ where: credential });
  await tx.account.create({ data: { id: randomUUID(), accountId: userId, password: passwordHash, ...credential } });
}

/** Deletes a member's unused links, which would admit people of that member's choice. */
async function endLinksOf(tx: Prisma.TransactionClient, id: string) {
  await tx.oneTimeLink.deleteMany({ where: { createdById: id, usedAt: null } });
}

/** Ends the given API tokens and webhooks that a member made. */
async function endMade(
  tx: Prisma.TransactionClient,
  id: string,
  { revokeApiTokens = [], disableWebhooks = [] }: Pick<MemberChange, "revokeApiTokens" | "disableWebhooks">,
  by: Authorised,
) {
  // In a revocation's lock order: the tokens, their webhooks, then their authority.
  await tx.$queryRaw`SELECT FROM api_token WHERE id = ANY (${revokeApiTokens}::int[]) ORDER BY id FOR NO KEY UPDATE`;
  await disableWebhooksMadeBy(tx, { maker: { type: "member", id }, ids: disableWebhooks }, by);
  await revokeApiTokensMadeBy(tx, { memberId: id, ids: revokeApiTokens }, by);
}

/**
 * Changes a member's role, or disables or enables a member, and ends the given tokens and webhooks; a disabled member
 * is signed out.
 * @throws {AppError} `not_found`, `conflict` when no active owner would remain, or `invalid_fields`
 */
export async function changeMember(which: MemberKey, { role, disabled, ...ended }: MemberChange, author: Author) {
  return changeMembers(author, "owner", async (tx, by) => {
    const member = await findMember(tx, which);
    const { id, name } = member;
    // First, in the same lock order as a removal.
    await endMade(tx, id, ended, by);
    if (role !== undefined && role !== member.role) {
      await tx.member.update({ where: { id }, data: { role } });
      const before = { id, name, role: member.role };
      await record(tx, by, { action: "member.role_changed", before, after: { id, name, role } });
      if (role !== "owner") await endLinksOf(tx, id);
    }
    if (disabled !== undefined && disabled !== (member.disabledAt !== null)) {
      await tx.member.update({ where: { id }, data: { disabledAt: disabled ? await databaseNow(tx) : null } });
      if (disabled) {
        await endSessions(tx, id);
        await endLinksOf(tx, id);
        await tx.oneTimeLink.deleteMany({ where: { memberId: id } });
      }
      const action = disabled ? "member.disabled" : "member.enabled";
      await record(tx, by, { action, after: { id, name } });
    }
    await keepAnOwner(tx, member);
    return tx.member.findUniqueOrThrow({ where: { id }, include: LAST_SEEN });
  });
}

/**
 * Removes a member with all sessions and ways to sign in, and ends the given tokens and webhooks; the history keeps the
 * name.
 * @throws {AppError} `not_found`, `conflict` when no active owner would remain, or `invalid_fields`
 */
export async function removeMember({ id, ...ended }: MemberRemoval, author: Author) {
  await changeMembers(author, "owner", async (tx, by) => {
    const member = await findMember(tx, { id });
    const { name, email, role } = member;
    // First, in a revocation's lock order: the token, then its author's session.
    await endMade(tx, id, ended, by);
    await endSessions(tx, id);
    await endLinksOf(tx, id);
    await tx.member.delete({ where: { id } });
    await keepAnOwner(tx, member);
    await record(tx, by, { action: "member.removed", before: { id, name, email, role } });
  });
}

/**
 * Removes a member's second factor, for a member who has lost it and the backup codes.
 * @throws {AppError} `not_found`
 */
export async function resetTwoFactor(which: MemberKey, author: Author) {
  await changeMembers(author, "owner", async (tx, by) => {
    const { id, name } = await findMember(tx, which);
    await tx.twoFactor.deleteMany({ where: { userId: id } });
    await tx.member.update({ where: { id }, data: { twoFactorEnabled: false } });
    await forgetSecondFactor(tx, id);
    await record(tx, by, { action: "member.two_factor_reset", after: { id, name } });
  });
}

/**
 * Finds a member to change within the transaction.
 * @throws {AppError} `not_found`
 */
export async function findMember(tx: Prisma.TransactionClient, which: MemberKey): Promise<Member> {
  const member = await tx.member.findUnique({ where: which });
  if (member) return member;
  throw new AppError("not_found", "No such member.");
}

async function keepAnOwner(tx: Prisma.TransactionClient, changed: Member) {
  if (changed.role !== "owner" || changed.disabledAt) return;
  if ((await tx.member.count({ where: { role: "owner", disabledAt: null } })) > 0) return;
  throw new AppError("conflict", "This is the last active owner. Make another member an owner first.");
}
