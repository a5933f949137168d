import type { Role } from "@/lib/members/schema";

/** What each role may do, the least first. */
export const ROLES: { value: Role; label: string; may: string }[] = [
  {
    value: "viewer",
    label: "Viewer",
    may: "Sees user groups and the activity. Tokens stay masked, and nothing can be changed.",
  },
  {
    value: "admin",
    label: "Admin",
    may: "Creates, edits and deletes user groups, sees and rotates their tokens, manages API tokens.",
  },
  { value: "owner", label: "Owner", may: "Does all of that, adds and deletes environments, and manages members." },
];

/** Chooses a role, under the name `role` of the form around it. */
export function RoleChoice({ defaultValue }: { defaultValue: Role }) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">Role</legend>
      {ROLES.map(({ value, label, may }) => (
        <label
          key={value}
          htmlFor={`role-${value}`}
          className="flex gap-3 rounded-md border border-border px-3 py-2 has-checked:border-accent has-checked:bg-accent/8"
        >
          <input
            type="radio"
            id={`role-${value}`}
            name="role"
            value={value}
            defaultChecked={value === defaultValue}
            aria-describedby={`role-${value}-may`}
            aria-label={label}
            className="mt-0.5 size-4 shrink-0 accent-indigo-600"
          />
          <span className="flex flex-col">
            <span className="font-medium">{label}</span>
            <span id={`role-${value}-may`} className="text-text-muted text-xs">
              {may}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The role that was chosen. */
export function chosenRole(fields: FormData): Role {
  return ROLES.find(({ value }) => value === fields.get("role"))?.value ?? "viewer";
}
