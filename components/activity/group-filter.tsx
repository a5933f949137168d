"use client";

import { FilterPopover } from "@/components/filter-popover";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

interface GroupFilterProps {
  teamId: number | null;
  onChange: (teamId: number | null) => void;
}

/** Narrows the history to one user group. */
export function GroupFilter({ teamId, onChange }: GroupFilterProps) {
  const label = teamId === null ? "All user groups" : `Team ${teamId}`;
  return (
    <FilterPopover
      button={{ className: "min-w-0 justify-start font-normal", children: label }}
      title="Filter by user group"
      onSubmit={(fields) => onChange(Number(fields.get("team")) || null)}
    >
      <Field label="Team" hint="The number beside the id on the user group’s page; it stays when the group is deleted.">
        {(control) => (
          <Input
            {...control}
            name="team"
            type="number"
            min={1}
            max={999_999_999}
            defaultValue={teamId ?? ""}
            className="tabular-nums"
          />
        )}
      </Field>
    </FilterPopover>
  );
}
