import { record } from "@/lib/audit/service";
import { changeMembers, endSessions } from "@/lib/auth/change-members";
import { type MemberCaller, memberAuthor } from "@/lib/auth/member-caller";
import { AppError } from "@/lib/errors";
import { findMember } from "@/lib/members/service";

/**
 * Unlinks a provider's account from a member, and ends the sessions it may have opened: all but the caller's own.
 * @throws {AppError} `not_found`
 */
export async function unlinkAccount({ id, accountId }: { id: string; accountId: string }, caller: MemberCaller) {
  await changeMembers(memberAuthor(caller), "owner", async (tx, by) => {
    const { name } = await findMember(tx, { id });
    const where = { id: accountId, userId: id, providerId: { not: "credential" } };
    const found = await tx.account.findFirst({ where });
    if (!found) throw new AppError("not_found", "This account is not linked to this member.");
    await tx.account.delete({ where: { id: accountId } });
    const sessions = await endSessions(tx, id, caller.sessionId);
    const before = { id, name, provider: found.providerId, account: found.accountId };
    await record(tx, by, {
      action: "member.sign_in_unlinked",
      before,
      after: { id, name, sessions },
    });
  });
}
