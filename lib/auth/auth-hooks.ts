import { APIError, createAuthMiddleware, getIP, getSessionFromCtx, isAPIError } from "better-auth/api";
import type { HistoryAction } from "@/lib/audit/actions";
import { record } from "@/lib/audit/service";
import { type Attempted, clearAttempts, countAttempt } from "@/lib/auth/attempts";
import { changeMembers, endSessions, forgetSecondFactor } from "@/lib/auth/change-members";
import { recordFailure } from "@/lib/auth/failed-sign-in";
import { codeFor } from "@/lib/auth/link-code";
import {
  beginChallenge,
  challengeOf,
  completeChallenge,
  type Request,
  requireSecondFactor,
} from "@/lib/auth/oidc-second-factor";
import { isSoonGuessed, SOON_GUESSED } from "@/lib/auth/password-strength";
import { codeSpent, proveSecondFactor, spendCode, type Verifier } from "@/lib/auth/second-factor";
import { signInAttempt } from "@/lib/auth/sign-in-attempt";
import { type Authorised, vouchFor } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { prisma } from "@/lib/db/prisma";
import { log } from "@/lib/telemetry/log";

/** The dashboard's fields for starting single sign-on; better-auth accepts more, and some bypass our rules. */
const SINGLE_SIGN_ON = new Set(["provider", "callbackURL", "errorCallbackURL"]);

/** History actions of better-auth's own routes. */
const ACTIONS = new Map<string, HistoryAction>([
  ["/two-factor/verify-totp", "member.two_factor_enabled"],
  ["/two-factor/disable", "member.two_factor_disabled"],
  ["/two-factor/generate-backup-codes", "member.backup_codes_made"],
]);

/** Routes on which a signed-in member gives the password, and on some a code too. */
const WITH_PASSWORD = new Set([
  "/change-password",
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/generate-backup-codes",
]);
const WITH_CODE = new Set(["/two-factor/disable", "/two-factor/generate-backup-codes"]);
const VERIFIES = new Set(["/two-factor/verify-totp", "/two-factor/verify-backup-code"]);

const CALLBACK = "/callback/:id";

/** Holds the link code for the sign-in page. By a URL, attackers could show a member the code of their own account. */
const LINK_CODE_COOKIE = "link_code";

/**
 * Refuses requests that better-auth would accept: skipping the second factor next time, bringing an ID token, removing
 * the second factor without a code, a weak new password, and unlimited guesses.
 */
export const refuseShortcuts = (verifier: () => Verifier) =>
  createAuthMiddleware(async (request) => {
    const { path, body } = request;
    if (body?.trustDevice)
      throw new APIError("BAD_REQUEST", { message: "Trusted devices are not supported. Leave out trustDevice." });
    if (path === "/sign-in/social") {
      const extra = Object.keys(body ?? {}).find((name) => !SINGLE_SIGN_ON.has(name));
      if (extra) throw new APIError("BAD_REQUEST", { message: `${extra.slice(0, 100)} is not accepted here.` });
    }
    const session = WITH_PASSWORD.has(path) || VERIFIES.has(path) ? await getSessionFromCtx(request) : null;
    // Only our own calls carry no request. Other callers could try codes uncounted.
    if (
      request.request &&
      session?.user.twoFactorEnabled &&
      VERIFIES.has(path) &&
      (await isVerified(session.user.id))
    ) {
      throw new APIError("BAD_REQUEST", {
        message: "The second factor is already on. To use a code, sign out and sign in again.",
      });
    }
    if (
      session &&
      path === "/change-password" &&
      (await isSoonGuessed(String(body?.newPassword ?? ""), session.user))
    ) {
      throw new APIError("BAD_REQUEST", { code: "PASSWORD_SOON_GUESSED", message: SOON_GUESSED });
    }
    const attempted = attemptedBy(request, session?.user.id);
    if (attempted) await countAttempt(attempted);
    if (session?.user.twoFactorEnabled && WITH_CODE.has(path)) {
      await proveSecondFactor(verifier(), session.user.id, {
        password: body?.password,
        code: body?.code,
        headers: request.headers,
      });
      if (path === "/two-factor/disable") await forgetSecondFactor(prisma(), session.user.id);
    }
  });

/** Whether the second factor works. If turning it on was interrupted, a member has one that another code verifies. */
async function isVerified(userId: string): Promise<boolean> {
  return (await prisma().twoFactor.count({ where: { userId, verified: true } })) > 0;
}

/** The account that a request tries to open, if any. */
function attemptedBy(request: Request, memberId: string | undefined): Attempted | undefined {
  const { path, body } = request;
  if (path === "/sign-in/email" && typeof body?.email === "string") {
    return { email: body.email.toLowerCase(), address: addressOf(request) };
  }
  return WITH_PASSWORD.has(path) && memberId !== undefined ? { memberId } : undefined;
}

function addressOf({ headers, context }: Request): string {
  return (headers && getIP(headers, context.options)) ?? "unknown";
}

/** The request, as better-auth's table hooks see it. */
type Context = Request | null;

/** Admits a member after a correct password, code or provider sign-in, unless disabled; a code works only once. */
export async function admit({ userId }: { userId: string }, request: Context) {
  const isCallback = request?.path === CALLBACK;
  await refuseDisabled(userId).catch(async (error: unknown) => {
    if (isCallback && isAPIError(error)) await recordRefused(userId, "disabled", request);
    throw error;
  });
  if (isCallback) return requireSecondFactor(userId);
  if (!request || !VERIFIES.has(request.path ?? "") || request.context.session) return;
  const { path, body } = request;
  if (path === "/two-factor/verify-totp" && !(await spendCode(userId, String(body?.code)))) {
    await recordRefused(userId, "code", request);
    throw codeSpent("CODE_SPENT");
  }
  await completeChallenge(userId, request);
}

/**
 * Ends a new session if, after verification, the password was replaced or the member disabled: that
 * change ended the existing sessions only. Runs once the session exists, under a lock that waits for the change:
 * either the check sees the change, or the change sees the session.
 */
export async function keepIfStillRight({ id, userId }: { id: string; userId: string }, request: Context) {
  const { passwordHash: hash } = signInAttempt();
  if (request?.path !== "/sign-in/email" || hash === undefined) return;
  const right = await prisma().$queryRaw<unknown[]>`
    SELECT FROM account a JOIN member m ON m.id = a.member_id
    WHERE m.id = ${userId} AND m.disabled_at IS NULL AND a.provider_id = 'credential' AND a.password = ${hash}
    FOR SHARE`;
  if (right.length > 0) return;
  await prisma().session.deleteMany({ where: { id } });
  throw wrongPassword();
}

/** Refuses a disabled member with the wrong-password message, which does not reveal that the account exists. */
export async function refuseDisabled(id: string) {
  const member = await prisma().member.findUnique({ where: { id }, select: { disabledAt: true } });
  if (member && !member.disabledAt) return;
  throw wrongPassword();
}

function wrongPassword(): APIError {
  return new APIError("UNAUTHORIZED", { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" });
}

/** Refuses a second account at a provider: an email address may pass to another person there, a sub never does. */
export async function refuseSecondAccount(userId: string, providerId: string) {
  if (!(await prisma().account.findFirst({ where: { userId, providerId }, select: { id: true } }))) return;
  signInAttempt().reason = "second_account";
  const reason = "the member is linked to another account of the provider";
  log().warn({ member: userId, reason }, "single sign-on was refused");
  throw new APIError("FORBIDDEN", {
    code: "account_not_linked",
    message: "Another account of the provider is linked.",
  });
}

/**
 * Sets a new password, once better-auth has verified the current one, and ends everything the old one opened, in one
 * transaction; better-auth then writes the same hash.
 */
export async function takePassword({ password }: { password?: string | null | undefined }, request: Context) {
  const { session } = request?.context ?? {};
  if (request?.path !== "/change-password" || !session || !password) return;
  const { id, name } = session.user;
  const author = { ...authorOf({ id, name }, request.headers), sessionId: session.session.id };
  await changeMembers(author, "viewer", async (tx, by) => {
    await tx.account.updateMany({ where: { userId: id, providerId: "credential" }, data: { password } });
    const sessions = await endSessions(tx, id, session.session.id);
    await tx.oneTimeLink.deleteMany({ where: { memberId: id } });
    await record(tx, by, { action: "member.password_changed", after: { id, name, sessions } });
  });
}

/** Records a request's change, or its failed sign-in. */
export const finish = createAuthMiddleware(async (request) => {
  const { path, headers, context } = request;
  const { session, returned } = context;
  if (path === CALLBACK) return finishSingleSignOn(request);
  if (isAPIError(returned)) return recordFailed(request, returned.body?.code);
  const attempted = attemptedBy(request, session?.user.id);
  if (attempted) await clearAttempts(attempted);
  const action = ACTIONS.get(path);
  if (!action || !session) return;
  const { id, name, twoFactorEnabled } = session.user;
  // Only the first code turns the second factor on; before it, the second factor was off.
  if (path === "/two-factor/verify-totp" && twoFactorEnabled) return;
  await prisma().$transaction((tx) => record(tx, authorOf({ id, name }, headers), { action, after: { id, name } }));
});

/** Adds the reason to a refused single sign-on, for the sign-in page, or makes it wait for the second factor. */
async function finishSingleSignOn(request: Request) {
  const { subject, challenged, reason, unproven } = signInAttempt();
  if (challenged && subject) return beginChallenge(request, challenged, subject);
  const { returned } = request.context;
  const location = isAPIError(returned) && new Headers(returned.headers).get("location");
  if (!location || !/[?&]error=/.test(location)) return;
  const { OIDC_ISSUER: issuer } = env();
  const code = unproven && subject && issuer && (await codeFor({ issuer, subject, ...unproven }));
  if (code) {
    const cookie = request.context.createAuthCookie(LINK_CODE_COOKIE, { httpOnly: false, maxAge: 86_400 });
    request.setCookie(cookie.name, code, cookie.attributes);
  }
  const why = code ? (unproven.verified ? "no_member" : "not_verified") : reason;
  throw request.redirect(`${location}${why ? `&reason=${why}` : ""}`);
}

async function recordFailed(request: Request, code: unknown) {
  const { path, body } = request;
  const select = { id: true, name: true, disabledAt: true };
  if (path === "/sign-in/email" && code === "INVALID_EMAIL_OR_PASSWORD") {
    const email = String(body?.email).toLowerCase();
    const { disabledAt, ...member } = (await prisma().member.findUnique({ where: { email }, select })) ?? {};
    const reason = disabledAt ? "disabled" : "password";
    await recordFailure({ member: "id" in member ? member : undefined, reason, ...sourceOf(request) });
  }
  if (code !== "INVALID_CODE" && code !== "INVALID_BACKUP_CODE") return;
  const id = await challengedMember(request);
  if (id) await recordRefused(id, "code", request);
}

async function recordRefused(id: string, reason: "code" | "disabled", request: Request) {
  const member = await prisma().member.findUnique({ where: { id }, select: { id: true, name: true } });
  if (member) await recordFailure({ member, reason, ...sourceOf(request) });
}

function sourceOf(request: Request) {
  return { address: addressOf(request), requestId: request.headers?.get("x-request-id") ?? null };
}

/** The member with a sign-in in this browser that waits for its second factor. */
async function challengedMember(request: Request): Promise<string | undefined> {
  const identifier = await challengeOf(request);
  if (!identifier) return undefined;
  return (await prisma().verification.findFirst({ where: { identifier }, select: { value: true } }))?.value;
}

/** Records that a member can now sign in through the provider. */
export async function recordLinked(
  { userId, providerId, accountId }: { userId: string; providerId: string; accountId: string },
  request: Context,
) {
  const member = await prisma().member.findUniqueOrThrow({ where: { id: userId }, select: { id: true, name: true } });
  await prisma().$transaction((tx) =>
    record(tx, authorOf(member, request?.headers), {
      action: "member.sign_in_linked",
      after: { ...member, provider: providerId, account: accountId },
    }),
  );
}

function authorOf({ id, name }: { id: string; name: string }, headers: Headers | undefined): Authorised {
  const requestId = headers?.get("x-request-id") ?? null;
  return vouchFor({ actorType: "member", actorId: id, actorName: name, requestId });
}
