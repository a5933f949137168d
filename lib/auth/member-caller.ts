import type { Caller } from "@/lib/auth/caller";
import { rememberSession } from "@/lib/auth/known-sessions";
import { hasRole, type Role, scopesOf } from "@/lib/auth/role";
import type { Author } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { prisma } from "@/lib/db/prisma";
import { AppError, viewerOnly } from "@/lib/errors";
import type { Environment } from "@/lib/store/look-up";

const DAY_MS = 86_400_000;

/** A member making a request, and the request's environment. */
export interface MemberCaller {
  id: string;
  name: string;
  email: string;
  role: Role;
  sessionId: string;
  requestId: string;
  /** undefined when X-Environment names an unknown one */
  environment: Environment | undefined;
}

interface SessionCall {
  cookie: string;
  /** value of X-Environment */
  slug: string;
  requestId: string;
}

/** Finds the member of a session; undefined when it has ended or its member is disabled. */
export async function authenticateMember({ cookie, slug, requestId }: SessionCall): Promise<MemberCaller | undefined> {
  // Loaded late: a process that only serves API tokens starts in half the time and uses 40 MB less.
  const { findSession } = await import("@/lib/auth/session");
  const [found, environment] = await Promise.all([
    findSession(cookie),
    prisma().environment.findUnique({ where: { slug }, select: { id: true, slug: true, tag: true } }),
  ]);
  const isGood = found !== null && !found.user.disabledAt && !isTooOld(found.session);
  rememberSession(cookie, isGood);
  if (!isGood) return undefined;
  const { id, name, email, role } = found.user;
  const session = { sessionId: found.session.id, requestId, environment: environment ?? undefined };
  return { id, name, email, role: role as Role, ...session };
}

/** Uses this machine's clock, as {@link findSession} translates times to it. */
function isTooOld({ signedInAt }: { signedInAt?: Date | null | undefined }): boolean {
  return !signedInAt || Date.now() - signedInAt.getTime() >= env().SESSION_MAX_DAYS * DAY_MS;
}

/**
 * Converts a member to a caller of the API.
 * @throws {AppError} `not_found` when the environment does not exist
 */
export function asApiCaller(member: MemberCaller): Caller {
  const { id, name, role, requestId, sessionId } = member;
  return {
    actorType: "member",
    actorId: id,
    actorName: name,
    scopes: scopesOf(role),
    predatesScopes: false,
    environment: environmentOf(member),
    requestId,
    sessionId,
  };
}

/**
 * Refuses a member with too low a role.
 * @throws {AppError} `forbidden`
 */
export function requireRole({ role }: MemberCaller, needed: Role) {
  if (hasRole(role, needed)) return;
  if (role === "viewer") throw viewerOnly();
  throw new AppError("forbidden", "Only owners can do this. Ask an owner.");
}

/**
 * The environment of a request.
 * @throws {AppError} `not_found` when X-Environment names an unknown one
 */
export function environmentOf({ environment }: MemberCaller): Environment {
  if (environment) return environment;
  throw new AppError("not_found", "Unknown environment. X-Environment must be the slug of an environment.");
}

/** The member as the history records it. */
export function memberAuthor({ id, name, requestId, sessionId }: MemberCaller): Author {
  return { actorType: "member", actorId: id, actorName: name, requestId, sessionId };
}

/** The error for a missing or ended session. */
export function signedOut(): AppError {
  return new AppError("unauthorized", "Sign in to continue. There is no session, or it has ended.");
}
