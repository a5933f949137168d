import type { ComponentProps } from "react";
import { ROLES } from "@/components/roles";
import { ChoiceCards } from "@/components/ui/choice-cards";
import type { Role } from "@/lib/auth/role";

/** Chooses a role, as the form field `role`. */
export function RoleChoice(props: Pick<ComponentProps<typeof ChoiceCards>, "defaultValue" | "onChange">) {
  return <ChoiceCards label="Role" name="role" options={ROLES} {...props} />;
}

export function chosenRole(fields: FormData): Role {
  return ROLES.find(({ value }) => value === fields.get("role"))?.value ?? "viewer";
}
