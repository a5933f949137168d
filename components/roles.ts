import type { Role } from "@/lib/auth/role";

/** Least privileged first. The API's `viewer` is called a reader here, as dashboards have viewers too. */
export const ROLES: { value: Role; label: string; hint: string }[] = [
  {
    value: "viewer",
    label: "Reader",
    hint: "Sees user groups and the activity. Tokens stay masked, and nothing can be changed.",
  },
  {
    value: "admin",
    label: "Admin",
    hint: "Changes user groups, rules and settings, sees and rotates tokens, manages API tokens.",
  },
  {
    value: "owner",
    label: "Owner",
    hint: "Does everything an admin does, creates and deletes environments, and manages members.",
  },
];

export function roleName(role: unknown): string {
  return ROLES.find(({ value }) => value === role)?.label ?? "";
}
