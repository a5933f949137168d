import { createHash } from "node:crypto";
import { listWebhooksMadeBy } from "@/lib/api-tokens/made";
import { listApiTokensMadeBy } from "@/lib/api-tokens/service";
import { record } from "@/lib/audit/service";
import { clearAttempts, forgetAttempts } from "@/lib/auth/attempts";
import { changeMembers, endSessions, lockMembers } from "@/lib/auth/change-members";
import { hashPassword } from "@/lib/auth/password";
import { isSoonGuessed, SOON_GUESSED } from "@/lib/auth/password-strength";
import { type Author, authorise, vouchFor } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { randomToken } from "@/lib/crypto/random-token";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { purge } from "@/lib/db/purge";
import { AppError, invalidFields } from "@/lib/errors";
import { type Invitation, LINK_FIELDS, type LinkAcceptance, type LinkPurpose } from "@/lib/members/schema";
import { createMember, findMember, hasMembers, type MemberKey, setPassword } from "@/lib/members/service";
import type { Member, OneTimeLink, Prisma } from "@/prisma/generated/client";

const HOUR_MS = 3_600_000;
const LIFETIME_MS: Record<LinkPurpose, number> = {
  setup: 24 * HOUR_MS,
  invite: 7 * 24 * HOUR_MS,
  reset_password: HOUR_MS,
};

/** A usable link, and the member for whom it resets a password. */
export type GoodLink = OneTimeLink & { member: Member | null };

/** The URL to open; the token follows the #, which browsers never send to a server, log or other site. */
export function linkUrl(base: string, token: string): string {
  return `${base}/welcome#${token}`;
}

/** Makes a token for the first owner, replacing earlier ones; undefined once there are members. */
export async function makeSetUpLink(author: Author): Promise<string | undefined> {
  return changeMembers(author, "owner", async (tx) =>
    (await tx.member.count()) > 0 ? undefined : makeLink(tx, { purpose: "setup" }, author),
  );
}

/**
 * Makes an invitation's token, replacing one for the same address.
 * @throws {AppError} `invalid_fields` when the address belongs to a member
 */
export async function invite({ email, role }: Invitation, author: Author): Promise<string> {
  return changeMembers(author, "owner", async (tx, by) => {
    if (await tx.member.findUnique({ where: { email } })) {
      throw invalidFields([{ path: ["email"], message: "is already a member" }]);
    }
    await record(tx, by, { action: "member.invited", after: { email, role } });
    return makeLink(tx, { purpose: "invite", email, role }, author);
  });
}

/** The open invitations, newest first. */
export async function listInvites(): Promise<OneTimeLink[]> {
  return prisma().oneTimeLink.findMany({ where: { purpose: "invite", ...(await usable()) }, orderBy: { id: "desc" } });
}

/**
 * The API tokens, webhooks and links that a member created and that still work.
 * @throws {AppError} `not_found`
 */
export async function listMade(id: string) {
  await findMember(prisma(), { id });
  const [apiTokens, webhooks, links] = await Promise.all([
    listApiTokensMadeBy(id),
    listWebhooksMadeBy({ type: "member", id }),
    prisma().oneTimeLink.findMany({
      where: { createdById: id, ...(await usable()) },
      include: { member: true },
      orderBy: { id: "desc" },
    }),
  ]);
  return { apiTokens, webhooks, links };
}

/**
 * Withdraws an invitation: its link stops working.
 * @throws {AppError} `not_found`
 */
export async function withdrawInvite(id: number, author: Author) {
  await changeMembers(author, "owner", async (tx, by) => {
    const open = { id, purpose: "invite" as const, ...(await usable(tx)) };
    const found = await tx.oneTimeLink.findFirst({ where: open });
    const { count } = await tx.oneTimeLink.deleteMany({ where: open });
    if (!found || count === 0) {
      throw new AppError("not_found", "No such invitation. It was accepted or withdrawn, or has expired.");
    }
    const { email, role } = found;
    await record(tx, by, { action: "member.invite_withdrawn", before: { email, role } });
  });
}

/**
 * Makes a token for a member's new password, replacing the previous one.
 * @throws {AppError} `not_found`, or `conflict` for a disabled member
 */
export async function makeResetLink(which: MemberKey, author: Author): Promise<string> {
  return changeMembers(author, "owner", async (tx, by) => {
    const { id, name, disabledAt } = await findMember(tx, which);
    if (disabledAt) throw new AppError("conflict", "This member is disabled. Enable the member first.");
    await record(tx, by, { action: "member.password_link_made", after: { id, name } });
    return makeLink(tx, { purpose: "reset_password", memberId: id }, author);
  });
}

/**
 * Finds the link of a token.
 * @throws {AppError} `not_found` when it is unknown, used, expired or no longer applicable
 */
export async function findLink(token: string): Promise<GoodLink> {
  const link = await prisma().oneTimeLink.findFirst({
    where: { digest: digestOf(token), ...(await usable()) },
    include: { member: true },
  });
  if (!link || (link.purpose === "setup" && (await hasMembers()))) throw unknownLink();
  return link;
}

/**
 * Uses a link once: creates the first owner or an invited member, or sets a new password. Returns the email address to
 * sign in with.
 * @throws {AppError} `not_found` like {@link findLink}, `invalid_fields`, or `conflict` when the invited address is a
 * member's
 */
export async function acceptLink(acceptance: LinkAcceptance, requestId: string): Promise<string> {
  const link = await findLink(acceptance.token);
  checkFields(link.purpose, acceptance);
  const { password, name = link.member?.name ?? "", email = link.email ?? link.member?.email ?? "" } = acceptance;
  if (await isSoonGuessed(password, { name, email })) {
    throw invalidFields([{ path: ["password"], message: SOON_GUESSED }]);
  }
  // Hashing is slow on purpose: only for a valid token, and not while a transaction holds the lock.
  const passwordHash = await hashPassword(password);
  const signInEmail = await prisma().$transaction(async (tx) => {
    await lockMembers(tx);
    const { count } = await tx.oneTimeLink.updateMany({
      where: { id: link.id, ...(await usable(tx)) },
      data: { usedAt: await databaseNow(tx) },
    });
    if (count === 0) throw unknownLink();
    await requireMaker(tx, link);
    return ACCEPT[link.purpose](tx, { link, acceptance, passwordHash, requestId });
  });
  // Otherwise someone guessing the old password could keep the member from signing in with the new one.
  await clearAttempts({ email: signInEmail });
  return signInEmail;
}

/** A link grants no more than its maker may grant now. */
async function requireMaker(tx: Prisma.TransactionClient, { createdBy, createdById }: GoodLink) {
  if (createdById === null) return;
  const maker: Author = {
    actorType: "member",
    actorId: createdById,
    actorName: createdBy,
    requestId: null,
    sessionId: null,
  };
  await authorise(tx, maker, "owner").catch((error: unknown) => {
    throw error instanceof AppError ? unknownLink() : error;
  });
}

/** Deletes expired links, and sign-in data: sessions, pending sign-ins and counted attempts. */
export async function purgeExpired() {
  await purge({ table: "one_time_link", where: "expires_at <= now() OR used_at IS NOT NULL" });
  const age = `make_interval(days => ${env().SESSION_MAX_DAYS})`;
  await purge({ table: "session", where: `expires_at <= now() OR signed_in_at <= now() - ${age}` });
  await purge({ table: "verification", where: "expires_at <= now()" });
  await forgetAttempts();
}

interface Accepted {
  link: GoodLink;
  acceptance: LinkAcceptance;
  passwordHash: string;
  requestId: string;
}

/** The action of each purpose, in the transaction that has used the link; returns the email address to sign in with. */
const ACCEPT: Record<LinkPurpose, (tx: Prisma.TransactionClient, accepted: Accepted) => Promise<string>> = {
  async setup(tx, { acceptance: { name = "", email = "" }, passwordHash, requestId }) {
    if ((await tx.member.count()) > 0) throw unknownLink();
    await createMember(tx, { name, email, role: "owner", passwordHash }, { requestId });
    return email;
  },
  async invite(tx, { link: { email, role }, acceptance: { name = "" }, passwordHash, requestId }) {
    if (!email || !role) throw unknownLink();
    if (await tx.member.findUnique({ where: { email } })) {
      throw new AppError("conflict", `${email} is already a member. Sign in, or ask an owner for a reset link.`);
    }
    await createMember(tx, { name, email, role, passwordHash }, { requestId });
    return email;
  },
  async reset_password(tx, { link, passwordHash, requestId }) {
    const member = link.memberId && (await tx.member.findUnique({ where: { id: link.memberId, disabledAt: null } }));
    if (!member) throw unknownLink();
    const { id, name, email } = member;
    await setPassword(tx, id, passwordHash);
    await endSessions(tx, id);
    await tx.twoFactor.updateMany({ where: { userId: id }, data: { failedVerificationCount: 0, lockedUntil: null } });
    const own = vouchFor({ actorType: "member", actorId: id, actorName: name, requestId });
    await record(tx, own, { action: "member.password_reset", after: { id, name } });
    return email;
  },
};

async function makeLink(
  tx: Prisma.TransactionClient,
  { purpose, email = null, role = null, memberId = null }: Partial<OneTimeLink> & { purpose: LinkPurpose },
  author: Author,
): Promise<string> {
  const token = randomToken("ugl_");
  await tx.oneTimeLink.deleteMany({ where: { purpose, email, memberId } });
  const expiresAt = new Date((await databaseNow(tx)).getTime() + LIFETIME_MS[purpose]);
  const wanted = { digest: digestOf(token), purpose, email, role, memberId, expiresAt };
  await tx.oneTimeLink.create({ data: { ...wanted, createdBy: author.actorName, createdById: author.actorId } });
  return token;
}

function digestOf(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(token).digest());
}

async function usable(tx?: Prisma.TransactionClient) {
  return { usedAt: null, expiresAt: { gt: await databaseNow(tx) } };
}

function unknownLink(): AppError {
  return new AppError(
    "not_found",
    "This link no longer works: it was used, has expired or was replaced by a newer one. Ask the sender for a new one.",
    { isBadCredential: true },
  );
}

function checkFields(purpose: LinkPurpose, acceptance: LinkAcceptance) {
  const wanted: readonly string[] = LINK_FIELDS[purpose];
  const issues = (["name", "email"] as const)
    .filter((field) => wanted.includes(field) !== (acceptance[field] !== undefined))
    .map((field) => ({
      path: [field],
      message: wanted.includes(field) ? "is required" : "is not accepted for this link",
    }));
  if (issues.length > 0) throw invalidFields(issues);
}
