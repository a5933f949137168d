import { cn } from "@/lib/browser/class-name";

const [WIDTH, HEIGHT] = [1_000, 8];
/** The gap between parts, and a part's least width, so that one row of a million still shows. */
const [GAP, LEAST] = [3, 4];

interface StackedBarProps {
  /** `className` sets the colour; the bar needs a legend next to it */
  parts: { key: string; count: number; className: string }[];
  className: string;
}

/** The parts of a whole, side by side. */
export function StackedBar({ parts, className }: StackedBarProps) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  let end = 0;
  const rects = parts.map(({ key, count, className: look }) => {
    const x = Math.min(end, WIDTH - LEAST);
    end += (count / total) * WIDTH;
    return { key, x, width: Math.max(LEAST, end - x - GAP), look };
  });
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cn("w-full overflow-hidden rounded-full", className)}
    >
      {rects.map(({ key, x, width, look }, at) => (
        <rect
          key={key}
          x={x}
          width={at === rects.length - 1 ? WIDTH - x : width}
          height={HEIGHT}
          fill="currentColor"
          className={cn(look, "forced-colors:text-[CanvasText]")}
        />
      ))}
    </svg>
  );
}
