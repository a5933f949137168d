import { record } from "@/lib/audit/service";
import { changeMembers, endSessions } from "@/lib/auth/change-members";
import { type MemberCaller, memberAuthor } from "@/lib/auth/member-caller";
import type { Authorised } from "@/lib/authority/authority";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import { LINKED } from "@/lib/members/service";

/** A member's own account, with linked accounts and live sessions, most recently used first. */
export async function readAccount({ id }: MemberCaller) {
  return prisma().member.findUniqueOrThrow({
    where: { id },
    include: {
      accounts: LINKED,
      twoFactors: { where: { verified: true }, select: { id: true } },
      sessions: { where: { expiresAt: { gt: await databaseNow() } }, orderBy: { updatedAt: "desc" } },
    },
  });
}

/** Renames the calling member. */
export async function rename(caller: MemberCaller, name: string) {
  const { id } = caller;
  await changeMembers(memberAuthor(caller), "viewer", async (tx, by) => {
    const { count } = await tx.member.updateMany({ where: { id, name: { not: name } }, data: { name } });
    if (count === 0) return;
    const before = { id, name: caller.name };
    await record(tx, by, { action: "member.renamed", before, after: { id, name } });
  });
}

/**
 * Ends one of the caller's own sessions.
 * @throws {AppError} `not_found`
 */
export async function endSession(caller: MemberCaller, id: string) {
  await changeMembers(memberAuthor(caller), "viewer", async (tx, by) => {
    const { count } = await tx.session.deleteMany({ where: { id, userId: caller.id } });
    if (count === 0) throw new AppError("not_found", "No such session. It may have ended.");
    await recordEnded(tx, by, count);
  });
}

/** Ends all of the caller's sessions, or all others. */
export async function signOutEverywhere(caller: MemberCaller, { others }: { others: boolean }) {
  const { id, sessionId } = caller;
  await changeMembers(memberAuthor(caller), "viewer", async (tx, by) => {
    await recordEnded(tx, by, await endSessions(tx, id, others ? sessionId : undefined));
  });
}

async function recordEnded(tx: Parameters<typeof record>[0], by: Authorised, sessions: number) {
  await record(tx, by, { action: "member.sessions_ended", after: { id: by.actorId, sessions } });
}
