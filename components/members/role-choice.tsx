import { ChoiceCards } from "@/components/ui/choice-cards";
import type { Role } from "@/lib/auth/role";

/** What each role may do, the least first. */
export const ROLES: { value: Role; label: string; hint: string }[] = [
  {
    value: "viewer",
    label: "Viewer",
    hint: "Sees user groups and the activity. Tokens stay masked, and nothing can be changed.",
  },
  {
    value: "admin",
    label: "Admin",
    hint: "Creates, edits and deletes user groups, sees and rotates their tokens, manages API tokens.",
  },
  { value: "owner", label: "Owner", hint: "Does all of that, adds and deletes environments, and manages members." },
];

/** Chooses a role, under the name `role` of the form around it. */
export function RoleChoice({ defaultValue }: { defaultValue: Role }) {
  return <ChoiceCards label="Role" name="role" defaultValue={defaultValue} options={ROLES} />;
}

/** The role that was chosen. */
export function chosenRole(fields: FormData): Role {
  return ROLES.find(({ value }) => value === fields.get("role"))?.value ?? "viewer";
}
