import { ChoiceCards } from "@/components/ui/choice-cards";
import type { Role } from "@/lib/auth/role";

/** Least privileged first. */
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
  { value: "owner", label: "Owner", hint: "Does everything an admin does, and manages environments and members." },
];

/** Chooses a role, as the form field `role`. */
export function RoleChoice({ defaultValue }: { defaultValue: Role }) {
  return <ChoiceCards label="Role" name="role" defaultValue={defaultValue} options={ROLES} />;
}

export function chosenRole(fields: FormData): Role {
  return ROLES.find(({ value }) => value === fields.get("role"))?.value ?? "viewer";
}
