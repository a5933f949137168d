import { roleFor, SCOPES, type Scope } from "@/lib/authority/scopes";

/** The roles of members; each includes the ones before it. */
export const ROLES = ["viewer", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

// Not in a schema: every page needs this, and few need zod.
const RANKS: Record<Role, number> = { viewer: 0, admin: 1, owner: 2 };

/** The scopes of a member's role. */
export function scopesOf(role: Role): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => hasRole(role, roleFor(scope))));
}

/** Whether a role includes another. */
export function hasRole(role: Role, needed: Role): boolean {
  return RANKS[role] >= RANKS[needed];
}
