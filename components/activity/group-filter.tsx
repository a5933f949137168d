"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Popover } from "@/components/ui/popover";

interface GroupFilterProps {
  teamId: number | null;
  onChange: (teamId: number | null) => void;
}

/** Narrows the history to one user group. */
export function GroupFilter({ teamId, onChange }: GroupFilterProps) {
  const [open, setOpen] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onChange(Number(new FormData(event.currentTarget).get("team")) || null);
    setOpen(false);
  };
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      title="Filter by user group"
      trigger={<Button className="min-w-0 justify-start font-normal" />}
      label={teamId === null ? "All user groups" : `Team ${teamId}`}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Team"
          hint="The number beside the id on the user group’s page; it stays when the group is deleted."
        >
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
        <Button type="submit" variant="primary">
          Apply
        </Button>
      </form>
    </Popover>
  );
}
