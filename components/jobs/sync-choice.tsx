import { useId } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { USUAL_DELETIONS } from "@/lib/jobs/schema";

interface SyncChoiceProps {
  /** the most deletions, as typed; undefined where groups that the file does not name stay */
  most: string | undefined;
  onChange: (most: string | undefined) => void;
}

export function SyncChoice({ most, onChange }: SyncChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <Checkbox
          id={`${id}-sync`}
          checked={most !== undefined}
          onChange={({ target }) => onChange(target.checked ? USUAL_DELETIONS : undefined)}
        />
        <label htmlFor={`${id}-sync`}>Also delete user groups that the file does not name</label>
      </div>
      {most !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={`${id}-most`}>Delete at most</label>
          <Input
            id={`${id}-most`}
            className="w-24"
            value={most}
            onChange={({ target }) => onChange(target.value)}
            aria-describedby={`${id}-hint`}
          />
          <p id={`${id}-hint`} className="text-text-muted">
            user groups, as a number or a percentage. You see how many before anything is deleted.
          </p>
        </div>
      )}
    </div>
  );
}
