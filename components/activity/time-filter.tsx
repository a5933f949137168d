"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Popover } from "@/components/ui/popover";

const HOUR_MS = 3_600_000;
const SPANS = [
  { label: "Last hour", hours: 1 },
  { label: "Last day", hours: 24 },
  { label: "Last week", hours: 168 },
  { label: "Last 30 days", hours: 720 },
];
const short = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

interface Times {
  from: Date | null;
  to: Date | null;
}

interface TimeFilterProps extends Times {
  onChange: (times: Times) => void;
}

/** Narrows the history to a time. */
export function TimeFilter({ from, to, onChange }: TimeFilterProps) {
  const [open, setOpen] = useState(false);
  const set = (times: Times) => {
    onChange(times);
    setOpen(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    set({ from: readTime(fields.get("from")), to: readTime(fields.get("to")) });
  };
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      title="Filter by time"
      trigger={<Button className="min-w-0 justify-start font-normal" />}
      label={<span className="truncate">{inWords({ from, to })}</span>}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <div className="grid grid-cols-2 gap-2">
          {SPANS.map(({ label, hours }) => (
            <Button key={label} onClick={() => set({ from: new Date(Date.now() - hours * HOUR_MS), to: null })}>
              {label}
            </Button>
          ))}
        </div>
        <Field label="From">
          {(control) => <Input {...control} name="from" type="datetime-local" step={1} defaultValue={written(from)} />}
        </Field>
        <Field label="To">
          {(control) => <Input {...control} name="to" type="datetime-local" step={1} defaultValue={written(to)} />}
        </Field>
        <Button type="submit" variant="primary">
          Apply
        </Button>
      </form>
    </Popover>
  );
}

function inWords({ from, to }: Times): string {
  if (from && to) return `${short.format(from)} to ${short.format(to)}`;
  if (from) return `Since ${short.format(from)}`;
  if (to) return `Until ${short.format(to)}`;
  return "Any time";
}

/** A moment as the browser's field has it: by the clock where one is. */
function written(date: Date | null): string {
  if (!date) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function readTime(text: FormDataEntryValue | null): Date | null {
  return text ? new Date(String(text)) : null;
}
