import { useId } from "react";
import { cn } from "@/lib/browser/class-name";

const GAP = 1;

interface BarsProps {
  /** the oldest first */
  values: readonly number[];
  /** says what the numbers are, with their sum: the only text that screen readers get */
  label: string;
  /** the size in pixels, which the drawing keeps or `className` overrides */
  width?: number;
  height?: number;
  className?: string;
}

/** A small bar chart; the newest bars are the strongest. Empty days keep a hairline. */
export function Bars({ values, label, width = 72, height = 20, className }: BarsProps) {
  const id = useId();
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  return (
    <svg
      role="img"
      aria-labelledby={id}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
      className={cn("shrink-0 text-spark forced-colors:text-[CanvasText]", className)}
    >
      <title id={id}>{label}</title>
      {values.map((value, at) => {
        const tall = value === 0 ? 0.75 : Math.max(2, (value / most) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day has no other key than its place
            key={at}
            x={at * step}
            y={height - tall}
            width={Math.max(1, step - GAP)}
            height={tall}
            rx={step > 4 ? 1 : 0}
            fill="currentColor"
            opacity={value === 0 ? 0.35 : 0.4 + (0.6 * (at + 1)) / values.length}
          />
        );
      })}
    </svg>
  );
}
