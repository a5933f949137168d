import { randomUUID } from "node:crypto";
import { revokeApiTokensMadeBy } from "@/lib/api-tokens/service";
import { record } from "@/lib/audit/service";
import { changeMembers, endSessions, lockMembers } from "@/lib/auth/change-members";
import { hashPassword, isSoonGuessed, SOON_GUESSED } from "@/lib/auth/password";
import type { Role } from "@/lib/auth/role";
import { type Author, type Authorised, vouchFor } from "@/lib/db/authority";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { AppError, StartError } from "@/lib/errors";
import type { MemberChange, MemberRemoval } from "@/lib/members/schema";
import type { Member, Prisma } from "@/prisma/generated/client";

/** How a member is named: by the dashboard with the id, on the command line with the address. */
export type MemberKey = { id: string } | { email: string };

interface NewMember {
  name: string;
  email: string;
  role: Role;
  passwordHash: string;
}

/** The accounts at a provider that let a member in, the first one linked first. */
export const LINKED = { where: { providerId: { not: "credential" } }, orderBy: { createdAt: "asc" } } as const;

const LAST_SEEN = {
  sessions: { select: { updatedAt: true }, orderBy: { updatedAt: "desc" }, take: 1 },
  accounts: LINKED,
} as const;

/** A member with the latest sign of life and the linked accounts. */
export type SeenMember = Prisma.MemberGetPayload<{ include: typeof LAST_SEEN }>;

/** All members, the first one first. */
export async function listMembers(): Promise<SeenMember[]> {
  return prisma().member.findMany({ include: LAST_SEEN, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
}

/** Whether there is anybody who could sign in. */
export async function hasMembers(): Promise<boolean> {
  return (await prisma().member.findFirst({ select: { id: true } })) !== null;
}

/**
 * Creates the first owner, for a set-up without a person; nothing once there are members.
 * @throws {StartError} for a password that is soon guessed
 */
export async function createFirstOwner({ email, password }: { email: string; password: string }, author: Author) {
  if (await hasMembers()) return;
  if (await isSoonGuessed(password, { name: "", email })) throw new StartError(`ADMIN_PASSWORD ${SOON_GUESSED}.`);
  // Hashing takes long on purpose: not while a transaction holds the lock.
  const passwordHash = await hashPassword(password);
  await prisma().$transaction(async (tx) => {
    // Several processes may start at once: one creates, the others find it done.
    await lockMembers(tx);
    if ((await tx.member.count()) > 0) return;
    await createMember(tx, { name: email, email, role: "owner", passwordHash }, vouchFor(author));
  });
}

/** Creates a member within the transaction, and records it: by the author, or without one as the member's own doing. */
export async function createMember(
  tx: Prisma.TransactionClient,
  { passwordHash, ...fields }: NewMember,
  author: Authorised | { requestId: string },
) {
  const id = randomUUID();
  // Whoever named the address vouches for it: an owner, or the person who set the service up.
  await tx.member.create({ data: { id, ...fields, emailVerified: true } });
  await setPassword(tx, id, passwordHash);
  const own = vouchFor({ actorType: "member", actorId: id, actorName: fields.name, requestId: author.requestId });
  await record(tx, "actorType" in author ? author : own, { action: "member.created", after: { id, ...fields } });
}

/** Sets the password that a member signs in with, within the transaction. */
export async function setPassword(tx: Prisma.TransactionClient, userId: string, passwordHash: string) {
  const credential = { userId, providerId: "credential" };
  await tx.account.deleteMany({ where: credential });
  await tx.account.create({ data: { id: randomUUID(), accountId: userId, password: passwordHash, ...credential } });
}

/** Takes back what links a member has made and nobody has used: they would let in somebody of that member's choice. */
async function endLinksOf(tx: Prisma.TransactionClient, id: string) {
  await tx.oneTimeLink.deleteMany({ where: { createdById: id, usedAt: null } });
}

/**
 * Changes a member's role, disables or enables a member, and revokes the API tokens of theirs that are named; a disabled member is
 * signed out.
 * @throws {AppError} `not_found`, `conflict` when no active owner would be left, or `invalid_fields`
 */
export async function changeMember(
  which: MemberKey,
  { role, disabled, revokeApiTokens: ids = [] }: MemberChange,
  author: Author,
) {
  return changeMembers(author, "owner", async (tx, by) => {
    const member = await findMember(tx, which);
    const { id, name } = member;
    // First, as in a removal.
    await revokeApiTokensMadeBy(tx, { memberId: id, ids }, by);
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
 * Removes a member with all sessions and ways to sign in, and revokes the API tokens of theirs that are named; the history keeps
 * the name.
 * @throws {AppError} `not_found`, `conflict` when no active owner would be left, or `invalid_fields`
 */
export async function removeMember({ id, revokeApiTokens: ids = [] }: MemberRemoval, author: Author) {
  await changeMembers(author, "owner", async (tx, by) => {
    const member = await findMember(tx, { id });
    const { name, email, role } = member;
    // First, in the order in which a revocation takes its locks: the token, then the session of whoever revokes it.
    await revokeApiTokensMadeBy(tx, { memberId: id, ids }, by);
    await endSessions(tx, id);
    await endLinksOf(tx, id);
    await tx.member.delete({ where: { id } });
    await keepAnOwner(tx, member);
    await record(tx, by, { action: "member.removed", before: { id, name, email, role } });
  });
}

/**
 * Takes away a member's second factor, for somebody who has lost it and the backup codes.
 * @throws {AppError} `not_found`
 */
export async function resetTwoFactor(which: MemberKey, author: Author) {
  await changeMembers(author, "owner", async (tx, by) => {
    const { id, name } = await findMember(tx, which);
    await tx.twoFactor.deleteMany({ where: { userId: id } });
    await tx.member.update({ where: { id }, data: { twoFactorEnabled: false } });
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
  throw new AppError("not_found", "There is no such member.");
}

async function keepAnOwner(tx: Prisma.TransactionClient, changed: Member) {
  if (changed.role !== "owner" || changed.disabledAt) return;
  if ((await tx.member.count({ where: { role: "owner", disabledAt: null } })) > 0) return;
  throw new AppError("conflict", "This is the last active owner: make another member an owner first.");
}
