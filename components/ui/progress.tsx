import { type ComponentProps, useId } from "react";
import { cn } from "@/lib/browser/class-name";

interface ProgressProps {
  label: string;
  /** 0 to 1 */
  value: number;
  /** next to the label, in figures */
  note?: string;
}

export function Progress({ label, value, note }: ProgressProps) {
  const id = useId();
  return (
    <div className="flex max-w-xl flex-col gap-2">
      <div className="flex flex-wrap justify-between gap-x-4">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <span className="text-text-muted tabular-nums">{note ?? `${Math.floor(value * 100)}%`}</span>
      </div>
      <Bar id={id} value={value} className="h-1.5 w-full text-spark" />
    </div>
  );
}

/** A bar for a share of 1, in the text colour. */
export function Bar({ className, ...props }: ComponentProps<"progress">) {
  return (
    <progress
      className={cn(
        "block appearance-none overflow-hidden rounded-full bg-pressed forced-colors:appearance-auto",
        "[&::-moz-progress-bar]:bg-current [&::-webkit-progress-bar]:bg-pressed [&::-webkit-progress-value]:bg-current",
        className,
      )}
      {...props}
    />
  );
}
