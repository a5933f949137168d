import { randomUUID } from "node:crypto";
import { record } from "@/lib/audit/service";
import { changeMembers, endSessions } from "@/lib/auth/change-members";
import { findIdentity, spendLinkCode, type UnlinkedIdentity } from "@/lib/auth/link-code";
import { type MemberCaller, memberAuthor } from "@/lib/auth/member-caller";
import { env } from "@/lib/config/env";
import { prisma } from "@/lib/db/prisma";
import { AppError, invalidFields } from "@/lib/errors";
import { findMember } from "@/lib/members/service";
import type { Account, Prisma } from "@/prisma/generated/client";

/** The code of a refused sign-in, which its sign-in page shows, and the member to link. */
interface Linking {
  id: string;
  code: string;
}

/**
 * Finds the account at the provider to which a code belongs, for the owner to see before linking it.
 * @throws {AppError} `not_found`, or `invalid_fields` for a code that is unknown or of another member
 */
export async function lookUpAccount(
  { id, code }: Linking,
  tx: Prisma.TransactionClient = prisma(),
): Promise<UnlinkedIdentity> {
  const { email } = await findMember(tx, { id });
  const identity = await findIdentity(tx, code);
  if (!identity || identity.issuer !== env().OIDC_ISSUER) {
    throw invalidFields([{ path: ["code"], message: "is unknown or has expired. Ask for a new one" }]);
  }
  const claimed = identity.email?.toLowerCase();
  if (claimed && claimed !== email && (await tx.member.findUnique({ where: { email: claimed } }))) {
    throw invalidFields([{ path: ["code"], message: `belongs to ${claimed}, another member` }]);
  }
  return identity;
}

/**
 * Links the account at the provider to which a code belongs.
 * @throws {AppError} as {@link lookUpAccount}, or `conflict` when one is linked
 */
export async function linkAccount({ id, code }: Linking, caller: MemberCaller): Promise<Account> {
  return changeMembers(memberAuthor(caller), "owner", async (tx, by) => {
    const { name } = await findMember(tx, { id });
    const identity = await lookUpAccount({ id, code }, tx);
    const key = { providerId: "oidc", accountId: identity.subject };
    await spendLinkCode(tx, code);
    // A sign-in may be linking one to this member now.
    const [account] = await tx.account.createManyAndReturn({
      data: { id: randomUUID(), userId: id, issuer: identity.issuer, ...key },
      skipDuplicates: true,
    });
    if (!account) throw new AppError("conflict", "An account is already linked. Unlink it first.");
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
    await record(tx, by, { action: "member.sign_in_unlinked", before, after: { id, name, sessions } });
  });
}
