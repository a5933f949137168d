import { FilterPopover } from "@/components/filter-popover";
import { TextField } from "@/components/ui/text-field";

interface GroupFilterProps {
  teamId: number | null;
  onChange: (teamId: number | null) => void;
}

export function GroupFilter({ teamId, onChange }: GroupFilterProps) {
  return (
    <FilterPopover
      label={teamId === null ? "All user groups" : `Team ${teamId}`}
      title="Filter by user group"
      onSubmit={(fields) => onChange(Number(fields.get("team")) || null)}
    >
      {() => (
        <TextField
          label="Team"
          hint="The number next to the id on the user group’s page. Works for deleted groups too."
          name="team"
          type="number"
          min={1}
          max={999_999_999}
          defaultValue={teamId ?? ""}
          className="tabular-nums"
        />
      )}
    </FilterPopover>
  );
}
