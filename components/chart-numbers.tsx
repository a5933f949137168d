import type { ReactNode } from "react";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { cn } from "@/lib/browser/class-name";

const parts = onDemand(() => import("@/components/numbers-table"));
const NumbersTable = parts.part("NumbersTable");

/** One number of a chart. */
export interface ChartNumber {
  /** its time as displayed */
  shown: string;
  /** its time for a spreadsheet */
  copied: string;
  value: number;
}

interface ChartNumbersProps {
  /** what the numbers are, such as "Calls of billing" */
  title: string;
  columns: readonly [string, string];
  rows: () => ChartNumber[];
  align?: "start" | "end";
  className?: string;
  /** the chart itself, or a button's text */
  children: ReactNode;
}

/** A chart that opens its numbers as a table, which can be copied. */
export function ChartNumbers({ title, columns, rows, align = "start", className, children }: ChartNumbersProps) {
  return (
    <Popover
      title={title}
      align={align}
      needs={parts}
      button={{
        variant: "ghost",
        size: "small",
        title: "Show numbers",
        "aria-label": `Show numbers: ${title}`,
        className: cn("cursor-pointer", className),
        children,
      }}
    >
      {() => <NumbersTable title={title} columns={columns} rows={rows()} />}
    </Popover>
  );
}

const DAY_MS = 86_400_000;
const dayFormat = new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });

/** Numbers of one UTC day each, the first on `from`. */
export function numbersOfDays(from: string, values: readonly number[]): ChartNumber[] {
  return values.map((value, at) => {
    const day = new Date(Date.parse(from) + at * DAY_MS);
    return { shown: dayFormat.format(day), copied: day.toISOString().slice(0, 10), value };
  });
}
