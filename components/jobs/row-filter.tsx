import { type ReactNode, useId } from "react";
import { OUTCOMES } from "@/components/jobs/words";
import { StackedBar } from "@/components/ui/stacked-bar";
import { cn } from "@/lib/browser/class-name";
import type { JobOutcome } from "@/lib/jobs/schema";

const COLORS: Record<JobOutcome, string> = {
  create: "text-success",
  created: "text-success",
  change: "text-spark",
  changed: "text-spark",
  same: "text-idle",
  delete: "text-production",
  deleted: "text-production",
  restore: "text-success",
  restored: "text-success",
  skipped: "text-warning",
  error: "text-danger",
};

interface RowFilterProps {
  counts: { outcome: JobOutcome; count: number }[];
  /** blank for all rows */
  value: JobOutcome | "";
  onChange: (outcome: JobOutcome | "") => void;
  /** next to the legend */
  children: ReactNode;
}

/** A bar of a job's rows by outcome, whose legend chooses which rows are shown. */
export function RowFilter({ counts, value, onChange, children }: RowFilterProps) {
  const name = useId();
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const choices = [{ outcome: "" as const, count: total }, ...counts];
  return (
    <div className="flex flex-col gap-3">
      <StackedBar
        className="h-2"
        parts={counts.map(({ outcome, count }) => ({
          ...{ key: outcome, count },
          className: cn(COLORS[outcome], value !== "" && value !== outcome && "opacity-30"),
        }))}
      />
      <div className="flex flex-wrap justify-between gap-2">
        <fieldset className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full max-sm:grid-cols-2">
          <legend className="sr-only">Rows shown</legend>
          {choices.map(({ outcome, count }) => (
            <label
              key={outcome}
              className={cn(
                "relative flex h-control items-center gap-2 rounded-md border border-border-strong bg-raised px-3",
                "transition-colors",
                "hover:bg-hover has-checked:border-accent has-checked:bg-selected has-focus-visible:outline-2",
                "has-focus-visible:outline-accent",
              )}
            >
              <input
                type="radio"
                name={name}
                checked={outcome === value}
                onChange={() => onChange(outcome)}
                className="absolute inset-0 cursor-default appearance-none opacity-0 outline-none"
              />
              {outcome !== "" && (
                <svg aria-hidden viewBox="0 0 8 8" className={cn("size-2", COLORS[outcome])}>
                  <rect width={8} height={8} rx={2} fill="currentColor" />
                </svg>
              )}
              <span className="font-medium">{outcome === "" ? "All rows" : OUTCOMES[outcome]}</span>
              <span className="text-text-muted tabular-nums max-sm:ml-auto">{count.toLocaleString("en")}</span>
            </label>
          ))}
        </fieldset>
        {children}
      </div>
    </div>
  );
}
