import { randomUUID } from "node:crypto";
import { APIError, type createAuthMiddleware } from "better-auth/api";
import { record } from "@/lib/audit/service";
import { lockMembers } from "@/lib/auth/change-members";
import { signInAttempt } from "@/lib/auth/sign-in-attempt";
import { vouchFor } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";

export type Request = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** better-auth's cookie for a sign-in that waits for its second factor. */
const CHALLENGE_COOKIE = "two_factor";
const CHALLENGE_SECONDS = 600;

/** The kinds of authentication methods (RFC 8176, 2): what a person knows, has and is. */
const KINDS = [
  ["pwd", "pin", "kba"],
  ["hwk", "otp", "pop", "sc", "sms", "swk", "tel"],
  ["face", "fpt", "iris", "retina", "vbm"],
];

/** Whether an ID token's `amr` names several factors. */
export function provesSecondFactor(amr: unknown): boolean {
  if (!Array.isArray(amr)) return false;
  return amr.includes("mfa") || KINDS.filter((kind) => kind.some((method) => amr.includes(method))).length > 1;
}

/**
 * Asks for the second factor of a member who has one: before the account at the provider is linked, until the member
 * has given it once with this account, and whenever the provider proves none.
 * @throws {APIError} `second_factor`, with which {@link beginChallenge} follows
 */
export async function requireSecondFactor(userId: string) {
  const attempt = signInAttempt();
  const accounts = {
    where: { providerId: "oidc", accountId: attempt.subject ?? "" },
    select: { secondFactorAt: true },
  };
  const select = { twoFactorEnabled: true, accounts };
  const member = await prisma().member.findUniqueOrThrow({ where: { id: userId }, select });
  if (!member.twoFactorEnabled || (member.accounts[0]?.secondFactorAt && attempt.provesSecondFactor)) return;
  attempt.challenged = userId;
  throw new APIError("UNAUTHORIZED", { code: "second_factor" });
}

/** Makes the sign-in of this browser wait for a code, as better-auth's plugin does after a password. */
export async function beginChallenge(request: Request, memberId: string, subject: string) {
  const { context } = request;
  const { OIDC_ISSUER: issuer = "" } = env();
  const identifier = `2fa-${randomUUID()}`;
  const expiresAt = new Date(Date.now() + CHALLENGE_SECONDS * 1_000);
  for (const [name, value] of [
    [identifier, memberId],
    [`2fa-attempts-${identifier}`, "0"],
    // An issuer is a URL and has no space.
    [subjectOf(identifier), `${issuer} ${subject}`],
  ] as const) {
    await context.internalAdapter.createVerificationValue({ identifier: name, value, expiresAt });
  }
  const cookie = context.createAuthCookie(CHALLENGE_COOKIE, { maxAge: CHALLENGE_SECONDS });
  await request.setSignedCookie(cookie.name, identifier, context.secret, cookie.attributes);
}

/** The sign-in that waits for its second factor in this browser, if any. */
export async function challengeOf({ context, getSignedCookie }: Request): Promise<string | undefined> {
  if (context.session) return undefined;
  return (await getSignedCookie(context.createAuthCookie(CHALLENGE_COOKIE).name, context.secret)) || undefined;
}

/**
 * After the second factor, links the account at the provider with which the sign-in began or, if it is already linked,
 * stores that the second factor was given.
 * @throws {APIError} if another account was linked in the meantime
 */
export async function completeChallenge(userId: string, request: Request) {
  const challenge = await challengeOf(request);
  const now = await databaseNow();
  const waiting =
    challenge &&
    (await prisma().verification.findFirst({
      where: { identifier: subjectOf(challenge), expiresAt: { gt: now } },
    }));
  if (!waiting) return;
  const end = waiting.value.indexOf(" ");
  const issuer = waiting.value.slice(0, end);
  const key = { providerId: "oidc", accountId: waiting.value.slice(end + 1) };
  await prisma().$transaction(async (tx) => {
    await lockMembers(tx);
    await tx.verification.delete({ where: { id: waiting.id } });
    const data = { id: randomUUID(), userId, issuer, ...key, secondFactorAt: now };
    if ((await tx.account.createMany({ data, skipDuplicates: true })).count === 0) {
      const { count } = await tx.account.updateMany({
        where: { userId, issuer, ...key },
        data: { secondFactorAt: now },
      });
      if (count === 1) return;
      throw new APIError("FORBIDDEN", { message: "Another account of the provider was linked in the meantime." });
    }
    const { name } = await tx.member.findUniqueOrThrow({ where: { id: userId }, select: { name: true } });
    const requestId = request.headers?.get("x-request-id") ?? null;
    const author = vouchFor({ actorType: "member", actorId: userId, actorName: name, requestId });
    const after = { id: userId, name, provider: key.providerId, account: key.accountId };
    await record(tx, author, { action: "member.sign_in_linked", after });
  });
}

function subjectOf(challenge: string): string {
  return `oidc-${challenge}`;
}
