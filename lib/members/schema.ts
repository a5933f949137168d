import { z } from "zod";

/** What a member may do; each role may do what those before it may. */
const ROLES = ["viewer", "admin", "owner"] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

/** Whether a role reaches as far as another. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
