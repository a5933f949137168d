import { FilterPopover } from "@/components/filter-popover";
import { Button } from "@/components/ui/button";
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
  return (
    <FilterPopover
      label={zone ? inWords({ from, to }) : "Any time"}
      title="Filter by time"
      onSubmit={(fields) => onChange({ from: readTime(fields.get("from")), to: readTime(fields.get("to")) })}
    >
      {(close) => (
        <>
          <div className="grid grid-cols-2 gap-2">
            {SPANS.map((span) => (
              <Button
                key={span.label}
                onClick={() => {
                  onChange({ from: new Date(Date.now() - span.hours * HOUR_MS), to: null });
                  close();
                }}
              >
                {span.label}
              </Button>
            ))}
          </div>
          <TimeField label="From" name="from" stored={from?.toISOString() ?? null} />
          <TimeField label="To" name="to" stored={to?.toISOString() ?? null} />
        </>
      )}
    </FilterPopover>
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
