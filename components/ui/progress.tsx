import { useId } from "react";

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
      <progress id={id} max={1} value={value} className="sr-only">
        {Math.floor(value * 100)}%
      </progress>
      <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-pressed forced-colors:border">
        <div
          data-mark=""
          className="h-full origin-left bg-spark transition-transform duration-150"
          ref={(bar) => scale(bar, value)}
        />
      </div>
    </div>
  );
}

/** The Content-Security-Policy blocks inline styles. */
function scale(bar: HTMLElement | null, value: number) {
  bar?.style.setProperty("transform", `scaleX(${value})`);
}
