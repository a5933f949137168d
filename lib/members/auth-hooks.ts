import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from "better-auth/api";
import { record } from "@/lib/audit/service";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import type { Author } from "@/lib/db/statements";
import { isSoonGuessed, SOON_GUESSED } from "@/lib/members/password";
import { endChallenges } from "@/lib/members/service";

/** What the dashboard sends to start a single sign-on; better-auth takes more, some of it a way around our rules. */
const SINGLE_SIGN_ON = new Set(["provider", "callbackURL", "errorCallbackURL"]);

/** The half minute of a code with the one before and the one after, which are taken as well. */
const CODE_MS = 90_000;

/** What becomes of a member through better-auth's own routes, as the history calls it. */
const ACTIONS = new Map([
  ["/change-password", "member.password_changed"],
  ["/two-factor/verify-totp", "member.two_factor_enabled"],
  ["/two-factor/disable", "member.two_factor_disabled"],
  ["/two-factor/generate-backup-codes", "member.backup_codes_made"],
]);

/**
 * Refuses what better-auth would let a client ask for: to skip the second factor next time, to bring its own ID token, and
 * a new password that is soon guessed.
 */
export const refuseShortcuts = createAuthMiddleware(async (request) => {
  const { path, body } = request;
  if (path === "/change-password") {
    const session = await getSessionFromCtx(request);
    if (session && (await isSoonGuessed(String(body?.newPassword ?? ""), session.user))) {
      throw new APIError("BAD_REQUEST", { code: "PASSWORD_SOON_GUESSED", message: `It ${SOON_GUESSED}.` });
    }
  }
  if (body?.trustDevice) throw new APIError("BAD_REQUEST", { message: "No device is trusted here: leave this out." });
  if (path !== "/sign-in/social") return;
  const extra = Object.keys(body ?? {}).find((name) => !SINGLE_SIGN_ON.has(name));
  if (extra) throw new APIError("BAD_REQUEST", { message: `${extra.slice(0, 100)} is not taken here.` });
});

/** What a hook of better-auth's on a table is told of the request. */
type Context = {
  path?: string;
  body?: { code?: unknown } | undefined;
  headers?: Headers | undefined;
  context: { session: unknown };
} | null;

/** Lets somebody in whose password, code or provider was found good: no disabled member, and no code a second time. */
export async function admit({ userId }: { userId: string }, request: Context) {
  await refuseDisabled(userId);
  if (request?.path !== "/two-factor/verify-totp" || request.context.session) return;
  if (await spendCode(`totp ${userId} ${request.body?.code}`)) return;
  throw new APIError("UNAUTHORIZED", {
    code: "INVALID_CODE",
    message: "This code was used before: wait for the next.",
  });
}

/** Refuses a disabled member in the words of a wrong password: whether there is such an account is nobody's business. */
export async function refuseDisabled(id: string) {
  const member = await prisma().member.findUnique({ where: { id }, select: { disabledAt: true } });
  if (member && !member.disabledAt) return;
  throw new APIError("UNAUTHORIZED", { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" });
}

/** Uses up a code for as long as it would be good; false when somebody has before (RFC 6238, 5.2). */
async function spendCode(id: string): Promise<boolean> {
  const now = await databaseNow();
  const expiresAt = new Date(now.getTime() + CODE_MS);
  await prisma().verification.deleteMany({ where: { id, expiresAt: { lte: now } } });
  const spent = { id, identifier: "spent code", value: "", expiresAt };
  return (await prisma().verification.createMany({ data: spent, skipDuplicates: true })).count === 1;
}

/** Records what a signed-in member has changed through better-auth; it has no transaction of ours to be part of. */
export const recordAuthChange = createAuthMiddleware(async ({ path, headers, context }) => {
  const { session, returned } = context;
  const action = ACTIONS.get(path);
  if (!action || !session || isAPIError(returned)) return;
  const { id, name, twoFactorEnabled } = session.user;
  // Only the first code turns the second factor on; as it was asked for, it was still off.
  if (path === "/two-factor/verify-totp" && twoFactorEnabled) return;
  await prisma().$transaction(async (tx) => {
    if (path === "/change-password") {
      // Whoever is half-way in with the old password stays out, and so does who holds a link that was made before.
      await endChallenges(tx, id);
      await tx.oneTimeLink.deleteMany({ where: { memberId: id } });
    }
    await record(tx, authorOf({ id, name }, headers), { action, after: { id, name } });
  });
});

/** Records that a member can sign in through the provider from now on. */
export async function recordLinked({ userId, providerId }: { userId: string; providerId: string }, request: Context) {
  const member = await prisma().member.findUniqueOrThrow({ where: { id: userId }, select: { id: true, name: true } });
  await prisma().$transaction((tx) =>
    record(tx, authorOf(member, request?.headers), {
      action: "member.sign_in_linked",
      after: { ...member, provider: providerId },
    }),
  );
}

function authorOf({ id, name }: { id: string; name: string }, headers: Headers | undefined): Author {
  return { actorType: "member", actorId: id, actorName: name, requestId: headers?.get("x-request-id") ?? null };
}
