import type { UnlinkedIdentity } from "@/lib/auth/link-code";
import type { MemberCaller } from "@/lib/auth/member-caller";
import type { Role } from "@/lib/auth/role";
import { env } from "@/lib/config/env";
import { commit, version } from "@/lib/config/version";
import type { OfferedEnvironment } from "@/lib/environments/schema";
import type { readAccount } from "@/lib/members/account";
import type { GoodLink, listMade } from "@/lib/members/link";
import type {
  Account,
  FoundAccount,
  Invite,
  Link,
  LinkedAccount,
  MadeByMember,
  MemberSummary,
  SessionAnswer,
} from "@/lib/members/schema";
import type { SeenMember } from "@/lib/members/service";
import type { Account as LinkedRow, OneTimeLink } from "@/prisma/generated/client";

/** The signed-in member, the available environments, and what is running. */
export function serializeSession(
  { id, name, email, role }: MemberCaller,
  environments: OfferedEnvironment[],
): SessionAnswer {
  return {
    member: { id, name, email, role },
    environments: environments.map(({ slug, name, tag, hasGroups }) => ({ slug, name, tag, hasGroups })),
    deletedGroupsKeptHours: env().DELETED_GROUPS_KEPT / 3_600,
    version: version(),
    commit: commit(),
  };
}

/** The purpose of a one-time link, and the values it fixes. */
export function serializeLink({ purpose, email, role, member }: GoodLink): Link {
  return { purpose, email: member?.email ?? email, name: member?.name ?? null, role: member?.role ?? role };
}

/** A member in the list, as seen by a member of that role: only owners see linked accounts. */
export function serializeMember(member: SeenMember, viewer: Role): MemberSummary {
  const { id, name, email, role, disabledAt, twoFactorEnabled, createdAt, sessions, accounts } = member;
  return {
    id,
    name,
    email,
    role,
    state: disabledAt ? "disabled" : "active",
    twoFactor: twoFactorEnabled === true,
    accounts: viewer === "owner" ? accounts.map(serializeLinked) : [],
    createdAt: createdAt.toISOString(),
    lastSeenAt: sessions[0]?.updatedAt.toISOString() ?? null,
  };
}

/** An account at the provider that signs a member in. */
export function serializeLinked({ id, accountId, createdAt }: LinkedRow): LinkedAccount {
  return { id, subject: accountId, linkedAt: createdAt.toISOString() };
}

/** The account at the provider to which a code belongs. */
export function serializeFound({ subject, email, verified }: UnlinkedIdentity): FoundAccount {
  return { subject, email, verified };
}

/** An open invitation, without its link, which is not stored. */
export function serializeInvite({ id, email, role, createdBy, createdAt, expiresAt }: OneTimeLink): Invite {
  return {
    id,
    email: email ?? "",
    role: role ?? "viewer",
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

/** A member's API tokens, webhooks and links that still work. */
export function serializeMade({ apiTokens, webhooks, links }: Awaited<ReturnType<typeof listMade>>): MadeByMember {
  return {
    apiTokens: apiTokens.map(({ id, name, environment, scopes, lastUsedAt }) => ({
      id,
      name,
      environment,
      scopes: [...scopes],
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    webhooks,
    links: links.map(({ id, purpose, email, member, expiresAt }) => ({
      id,
      email: member?.email ?? email ?? "",
      expiresAt: expiresAt.toISOString(),
      purpose: purpose === "invite" ? "invite" : "reset_password",
    })),
  };
}

/** The caller's own account. */
export function serializeAccount(account: Awaited<ReturnType<typeof readAccount>>, sessionId: string): Account {
  const { name, email, role, twoFactorEnabled, twoFactors, sessions, accounts } = account;
  return {
    name,
    email,
    role,
    // Not yet if turning it on was interrupted.
    twoFactor: twoFactorEnabled === true && twoFactors.length > 0,
    accounts: accounts.map(serializeLinked),
    sessions: sessions.map(({ id, userAgent, ipAddress, createdAt, updatedAt }) => ({
      id,
      current: id === sessionId,
      userAgent,
      ipAddress,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    })),
  };
}
