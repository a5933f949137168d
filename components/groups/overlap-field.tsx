import { useState } from "react";
import { Segmented } from "@/components/ui/segmented";

type Overlap = "0" | "3600" | "86400" | "604800";

const OPTIONS: { value: Overlap; label: string }[] = [
  { value: "0", label: "Now" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "24 hours" },
  { value: "604800", label: "7 days" },
];
const REASONS: { value: "planned" | "leaked"; label: string }[] = [
  { value: "planned", label: "Planned" },
  { value: "leaked", label: "It leaked" },
];

/** How long replaced tokens work by default, in seconds. */
export const USUAL_OVERLAP = 86_400;

interface OverlapFieldProps {
  /** in seconds */
  value: number;
  onChange: (seconds: number) => void;
}

/** When replaced tokens stop working, and the consequences. After a leak, the default is now. */
export function OverlapField({ value, onChange }: OverlapFieldProps) {
  const [reason, setReason] = useState<"planned" | "leaked">("planned");
  const chosen = OPTIONS.find((option) => Number(option.value) === value) ?? OPTIONS[0];
  return (
    <div className="flex flex-col gap-3">
      <Labelled text="Reason">
        <Segmented
          label="Reason"
          value={reason}
          options={REASONS}
          onChange={(next) => {
            setReason(next);
            onChange(next === "leaked" ? 0 : USUAL_OVERLAP);
          }}
        />
      </Labelled>
      <Labelled text="Old token stops">
        <Segmented
          label="Old token stops"
          value={chosen?.value ?? "0"}
          options={OPTIONS}
          onChange={(next) => onChange(Number(next))}
        />
      </Labelled>
      <p aria-live="polite" className="text-text-secondary">
        {value === 0
          ? STOPPED
          : `Both tokens work for ${chosen?.label}, so open pages keep working while you put the new one in place.`}
        {value > 0 && reason === "leaked" && " Until then, anyone with the leaked token can use it."}
      </p>
    </div>
  );
}

/** What a rotation without an overlap means. */
export const STOPPED =
  "The current token stops working immediately. Dashboards embedded with it no longer know who is viewing until they " +
  "get the new one.";

/** A visible label, hidden from screen readers: the control names itself. */
function Labelled({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
      <span aria-hidden className="font-medium">
        {text}
      </span>
      {children}
    </div>
  );
}
