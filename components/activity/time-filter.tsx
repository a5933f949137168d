import { ChevronDown } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Popover } from "@/components/ui/popover";
import { TimeField } from "@/components/ui/time-field";
import { timeFormat, useZone } from "@/components/ui/time-zone";

const HOUR_MS = 3_600_000;
const SPANS = [
  { label: "Last hour", hours: 1 },
  { label: "Last day", hours: 24 },
  { label: "Last week", hours: 168 },
  { label: "Last 30 days", hours: 720 },
];
const short = timeFormat({ dateStyle: "medium", timeStyle: "short" });

interface Times {
  from: Date | null;
  to: Date | null;
}

interface TimeFilterProps extends Times {
  onChange: (times: Times) => void;
}

export function TimeFilter({ from, to, onChange }: TimeFilterProps) {
  const zone = useZone();
  const label = zone ? inWords({ from, to }) : "Any time";
  return (
    <Popover
      button={{
        className: "max-w-full shrink gap-2 px-2.5 font-normal",
        children: (
          <>
            <span className="truncate">{label}</span>
            <ChevronDown aria-hidden />
          </>
        ),
      }}
      title="Filter by time"
    >
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const fields = new FormData(event.currentTarget);
            onChange({ from: readTime(fields.get("from")), to: readTime(fields.get("to")) });
            close();
          }}
          className="flex flex-col gap-3"
        >
          <div className="grid grid-cols-2 gap-2">
            {SPANS.map(({ label, hours }) => (
              <Button
                key={label}
                onClick={() => {
                  onChange({ from: new Date(Date.now() - hours * HOUR_MS), to: null });
                  close();
                }}
              >
                {label}
              </Button>
            ))}
          </div>
          <TimeField label="From" name="from" stored={from?.toISOString() ?? null} />
          <TimeField label="To" name="to" stored={to?.toISOString() ?? null} />
          <Button type="submit" variant="primary">
            Apply
          </Button>
        </form>
      )}
    </Popover>
  );
}

function inWords({ from, to }: Times): string {
  if (from && to) return `${short.format(from)} to ${short.format(to)}`;
  if (from) return `Since ${short.format(from)}`;
  if (to) return `Until ${short.format(to)}`;
  return "Any time";
}

function readTime(text: FormDataEntryValue | null): Date | null {
  return text ? new Date(String(text)) : null;
}
