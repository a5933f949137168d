import { randomUUID } from "node:crypto";
import { record } from "@/lib/audit/service";
import { changeMembers, endSessions } from "@/lib/auth/change-members";
import { takeIdentity } from "@/lib/auth/link-code";
import { type MemberCaller, memberAuthor } from "@/lib/auth/member-caller";
import { env } from "@/lib/config/env";
import { AppError, invalidFields } from "@/lib/errors";
import { findMember } from "@/lib/members/service";
import type { Account } from "@/prisma/generated/client";

/**
 * Links the account at the provider that a refused sign-in was of, by the code on its sign-in page.
 * @throws {AppError} `not_found`, `invalid_fields` for a code that is unknown or of someone else, or `conflict`
 */
export async function linkAccount({ id, code }: { id: string; code: string }, caller: MemberCaller): Promise<Account> {
  return changeMembers(memberAuthor(caller), "owner", async (tx, by) => {
    const { name, email } = await findMember(tx, { id });
    const identity = await takeIdentity(tx, code);
    if (!identity || identity.issuer !== env().OIDC_ISSUER) {
      throw invalidFields([{ path: ["code"], message: "is unknown or older than a day: ask for the one shown now" }]);
    }
    const claimed = identity.email?.toLowerCase();
    if (claimed && claimed !== email && (await tx.member.findUnique({ where: { email: claimed } }))) {
      throw invalidFields([{ path: ["code"], message: `is of ${claimed}, who is another member` }]);
    }
    const key = { providerId: "oidc", accountId: identity.subject };
    // A sign-in may be linking one to this member now.
    const [account] = await tx.account.createManyAndReturn({
      data: { id: randomUUID(), userId: id, issuer: identity.issuer, ...key },
      skipDuplicates: true,
    });
    if (!account) throw new AppError("conflict", "An account is linked already. Unlink it first.");
    const after = { id, name, provider: "oidc", account: identity.subject, email: identity.email };
    await record(tx, by, { action: "member.sign_in_linked", after });
    return account;
  });
}

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
