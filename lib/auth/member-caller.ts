import type { Caller } from "@/lib/auth/caller";
import { rememberSession } from "@/lib/auth/known-sessions";
import { hasRole, type Role } from "@/lib/auth/role";
import { env } from "@/lib/config/env";
import type { Author } from "@/lib/db/authority";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";

const DAY_MS = 86_400_000;

/** A member who makes a request, and the environment it is about. */
export interface MemberCaller {
  id: string;
  name: string;
  email: string;
  role: Role;
  sessionId: string;
  requestId: string;
  /** undefined where X-Environment names none that there is */
  environment: Environment | undefined;
}

export interface Environment {
  id: number;
  slug: string;
  name: string;
  tag: "Customer" | "Testing";
}

interface SessionCall {
  cookie: string;
  /** what X-Environment says */
  slug: string;
  requestId: string;
}

/** Finds out whose session this is: nobody's, when it has ended or its member is disabled. */
export async function authenticateMember({ cookie, slug, requestId }: SessionCall): Promise<MemberCaller | undefined> {
  // Loaded late: a process that answers API tokens alone does without it, starts in half the time and takes 40 MB less.
  const { findSession } = await import("@/lib/auth/session");
  const [found, environment] = await Promise.all([
    findSession(cookie),
    prisma().environment.findUnique({ where: { slug }, select: { id: true, slug: true, name: true, tag: true } }),
  ]);
  const isGood = found !== null && !found.user.disabledAt && !isTooOld(found.session);
  rememberSession(cookie, isGood);
  if (!isGood) return undefined;
  const { id, name, email, role } = found.user;
  return {
    id,
    name,
    email,
    role: role as Role,
    sessionId: found.session.id,
    requestId,
    environment: environment ?? undefined,
  };
}

/** Compared with this machine's clock, as {@link findSession} translates times to it. */
function isTooOld({ signedInAt }: { signedInAt?: Date | null | undefined }): boolean {
  return !signedInAt || Date.now() - signedInAt.getTime() >= env().SESSION_MAX_DAYS * DAY_MS;
}

/**
 * The member as a caller of the API, whose answers hold tokens.
 * @throws {AppError} `forbidden` for a viewer, `not_found` when there is no such environment
 */
export function asApiCaller(member: MemberCaller): Caller {
  requireRole(member, "admin");
  const { id, name, requestId, sessionId } = member;
  return {
    actorType: "member",
    actorId: id,
    actorName: name,
    access: "write",
    environment: environmentOf(member),
    requestId,
    sessionId,
  };
}

/**
 * Refuses a member whose role does not reach that far.
 * @throws {AppError} `forbidden`
 */
export function requireRole({ role }: MemberCaller, needed: Role) {
  if (hasRole(role, needed)) return;
  const message =
    role === "viewer"
      ? "Viewers do not see tokens and change nothing: ask an owner for another role."
      : "Only owners may do this: ask one of them.";
  throw new AppError("forbidden", message);
}

/**
 * The environment a request is about.
 * @throws {AppError} `not_found` when X-Environment names none that there is
 */
export function environmentOf({ environment }: MemberCaller): Environment {
  if (environment) return environment;
  throw new AppError("not_found", "There is no such environment: X-Environment must be the slug of one.");
}

/** The member as the history records it. */
export function memberAuthor({ id, name, requestId, sessionId }: MemberCaller): Author {
  return { actorType: "member", actorId: id, actorName: name, requestId, sessionId };
}

/** The answer to a session that there is not, or not any more. */
export function signedOut(): AppError {
  return new AppError("unauthorized", "Sign in to go on: there is no session, or it has ended.");
}
