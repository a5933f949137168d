import { useId } from "react";
import { cn } from "@/lib/browser/class-name";

const GAP = 1;
const HAIRLINE = 0.75;

interface BarsProps {
  /** the oldest first */
  values: readonly number[];
  /** what the numbers are, with their sum: the only text for screen readers */
  label: string;
  /** size in pixels, unless `className` overrides it */
  width?: number;
  height?: number;
  className?: string;
}

/**
 * A small bar chart, with the newest bars strongest and a hairline for empty days. Drawn with few shapes, as a list
 * has 50 charts.
 */
export function Bars({ values, label, width = 72, height = 20, className }: BarsProps) {
  const id = useId();
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  const barWidth = Math.max(1, step - GAP);
  let bars = "";
  let hairlines = "";
  for (const [at, value] of values.entries()) {
    const start = `M${round(at * step + barWidth / 2)} ${height}v`;
    if (value > 0) bars += start + round(-Math.max(2, (value / most) * height));
    else hairlines += start + -HAIRLINE;
  }
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
      {hairlines && <path d={hairlines} stroke="currentColor" strokeWidth={barWidth} opacity={0.35} />}
      {bars && (
        <>
          <linearGradient id={`${id}-by-age`} gradientUnits="userSpaceOnUse" x2={width}>
            <stop stopColor="currentColor" stopOpacity={0.4} />
            <stop offset="1" stopColor="currentColor" />
          </linearGradient>
          <path d={bars} stroke={`url(#${id}-by-age)`} strokeWidth={barWidth} />
        </>
      )}
    </svg>
  );
}

const round = (pixels: number) => Math.round(pixels * 100) / 100;
