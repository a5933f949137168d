import type { Role } from "@/lib/auth/role";
import { type Author, type Authorised, authorise } from "@/lib/authority/authority";
import { prisma } from "@/lib/db/prisma";
import type { Prisma } from "@/prisma/generated/client";

/**
 * Changes members in a transaction of its own, one at a time, if the author still has this role.
 * @throws {AppError} `unauthorized` or `forbidden`
 */
export function changeMembers<T>(
  author: Author,
  needed: Role,
  work: (tx: Prisma.TransactionClient, by: Authorised) => Promise<T>,
): Promise<T> {
  return prisma().$transaction(async (tx) => {
    // One author's changes wait for each other, so that a flood cannot keep others from removing its author.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('changes of members'), hashtext(${author.actorId ?? ""}))`;
    await lockMembers(tx);
    return work(tx, await authorise(tx, author, needed));
  });
}

/**
 * Ends all sessions of a member but one, and sign-ins that wait for a code, within the transaction. Returns the number
 * of sessions.
 */
export async function endSessions(tx: Prisma.TransactionClient, userId: string, goesOn = ""): Promise<number> {
  await tx.verification.deleteMany({ where: { value: userId, identifier: { startsWith: "2fa-" } } });
  return (await tx.session.deleteMany({ where: { userId, id: { not: goesOn } } })).count;
}

/** Makes a member prove the second factor here once more with the linked account, whatever the provider proves. */
export async function forgetSecondFactor(tx: Prisma.TransactionClient, userId: string) {
  await tx.account.updateMany({ where: { userId }, data: { secondFactorAt: null } });
}

/** Blocks all other changes of members until the transaction ends, so that counts stay true. */
export async function lockMembers(tx: Prisma.TransactionClient) {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('members'))`;
}
