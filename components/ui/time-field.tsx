import { type ReactNode, useId, useState } from "react";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { type FieldKind, LAST_DAY, readLocal, writeLocal } from "@/components/ui/local-time";
import { zoneAt } from "@/components/ui/time-zone";

/** Messages for values that are incomplete or out of bounds. */
const PROBLEMS: Record<FieldKind, string> = {
  time: "Enter a day and a time, in a year from 1970 to 9999.",
  day: "Enter a day, in a year from 1970 to 9999.",
};

interface TimeFieldProps {
  label: string;
  /** for a day, the instant is its end */
  kind?: FieldKind;
  /** the initial instant, kept exactly until the field is changed */
  stored?: string | null;
  /** submits the instant under this name; blank for none */
  name?: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** gets null for none, and undefined for an invalid value */
  onChange?: (at: string | null | undefined) => void;
}

/** A field for an instant, in the chosen zone. */
export function TimeField(props: TimeFieldProps) {
  const { label, kind = "time", stored = null, name, hint, error, onChange } = props;
  const zoneId = useId();
  const [at, setAt] = useState<string | null | undefined>(stored);
  const read = (input: HTMLInputElement) => {
    const next = input.validity.badInput ? undefined : readLocal(input.value, stored, kind);
    // Also prevents the form from being submitted.
    input.setCustomValidity(next === undefined ? PROBLEMS[kind] : "");
    if (next === at) return;
    setAt(next);
    onChange?.(next);
  };
  const isTime = kind === "time";
  return (
    <Field label={label} hint={hint} error={at === undefined ? PROBLEMS[kind] : error}>
      {({ "aria-describedby": described, ...control }) => (
        <div className="flex items-center gap-2">
          <Input
            {...control}
            aria-describedby={[described, isTime && zoneId].filter(Boolean).join(" ") || undefined}
            type={isTime ? "datetime-local" : "date"}
            step={isTime ? 1 : undefined}
            max={isTime ? `${LAST_DAY}T23:59:59` : LAST_DAY}
            defaultValue={writeLocal(stored, kind)}
            onChange={(event) => read(event.currentTarget)}
            onBlur={(event) => read(event.currentTarget)}
          />
          {isTime && (
            <span id={zoneId} className="text-nowrap text-text-muted text-xs">
              {zoneAt(at ?? null)}
            </span>
          )}
          {name && <input type="hidden" name={name} value={at ?? ""} />}
        </div>
      )}
    </Field>
  );
}
