"use client";

import { type Ref, useState } from "react";
import { formatTime } from "@/components/relative-time";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { TimeField } from "@/components/ui/time-field";

const DAY_MS = 86_400_000;
const OPTIONS = [
  { value: "never", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
];

interface ExpiryFieldProps {
  ref: Ref<HTMLButtonElement>;
  /** an ISO date and time; null for never, blank until a date is chosen */
  onChange: (expiresAt: string | null) => void;
  error: string | undefined;
}

export function ExpiryField({ ref, onChange, error }: ExpiryFieldProps) {
  const [choice, setChoice] = useState("never");
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  const set = (next: string | null) => {
    setExpiresAt(next);
    onChange(next);
  };
  const choose = (next: string) => {
    setChoice(next);
    if (next === "never") set(null);
    else if (next === "date") set("");
    else set(new Date(Date.now() + Number(next) * DAY_MS).toISOString());
  };
  return (
    <>
      <Field
        label="Expires"
        hint={expiresAt ? `Works until ${formatTime(expiresAt)}.` : undefined}
        error={choice === "date" ? undefined : error}
      >
        {(control) => <Select {...control} ref={ref} value={choice} onChange={choose} options={OPTIONS} />}
      </Field>
      {choice === "date" && (
        <TimeField
          label="Last day"
          kind="day"
          firstDay={dayOf(new Date())}
          error={error && (expiresAt ? "Must be in the future." : "Choose a day.")}
          onChange={(at) => set(at ?? "")}
        />
      )}
    </>
  );
}

function dayOf(date: Date): string {
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return [year, month, day].map((part) => String(part).padStart(2, "0")).join("-");
}
