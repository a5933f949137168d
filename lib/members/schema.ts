import { z } from "zod";

/** What a member may do; each role may do what those before it may. */
const ROLES = ["viewer", "admin", "owner"] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

/** Whether a role reaches as far as another. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** What GET /api/admin/session answers. */
export interface SessionAnswer {
  member: { id: string; name: string; email: string; role: Role };
  environments: { slug: string; name: string; tag: "Customer" | "Testing" }[];
}

/** What GET /api/sign-in-options answers. */
export interface SignInOptions {
  /** the provider of single sign-on, by its name */
  oidc: { name: string } | null;
  /** whether there are members yet */
  setUp: boolean;
}
