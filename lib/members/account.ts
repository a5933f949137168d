import { record } from "@/lib/audit/service";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import { type MemberCaller, memberAuthor } from "@/lib/members/caller";
import { endSessions, LINKED } from "@/lib/members/service";
import type { Account, Member, Session } from "@/prisma/generated/client";

/** A member's own account, with the linked ones and the live sessions, the latest used first. */
export async function readAccount({
  id,
}: MemberCaller): Promise<Member & { sessions: Session[]; accounts: Account[] }> {
  return prisma().member.findUniqueOrThrow({
    where: { id },
    include: {
      accounts: LINKED,
      sessions: { where: { expiresAt: { gt: await databaseNow() } }, orderBy: { updatedAt: "desc" } },
    },
  });
}

/** Renames the member who asks. */
export async function rename(caller: MemberCaller, name: string) {
  const { id } = caller;
  await prisma().$transaction(async (tx) => {
    const { count } = await tx.member.updateMany({ where: { id, name: { not: name } }, data: { name } });
    if (count === 0) return;
    const before = { id, name: caller.name };
    await record(tx, memberAuthor(caller), { action: "member.renamed", before, after: { id, name } });
  });
}

/**
 * Ends one of the caller's own sessions.
 * @throws {AppError} `not_found`
 */
export async function endSession(caller: MemberCaller, id: string) {
  await prisma().$transaction(async (tx) => {
    const { count } = await tx.session.deleteMany({ where: { id, userId: caller.id } });
    if (count === 0) throw new AppError("not_found", "There is no such session of yours: it may have ended.");
    await recordEnded(tx, caller, count);
  });
}

/** Ends all of the caller's sessions, or all others. */
export async function signOutEverywhere(caller: MemberCaller, { others }: { others: boolean }) {
  const { id: userId, sessionId } = caller;
  await prisma().$transaction(async (tx) => {
    await recordEnded(tx, caller, await endSessions(tx, userId, others ? sessionId : undefined));
  });
}

async function recordEnded(tx: Parameters<typeof record>[0], caller: MemberCaller, sessions: number) {
  await record(tx, memberAuthor(caller), { action: "member.sessions_ended", after: { id: caller.id, sessions } });
}
