import { cn } from "@/lib/browser/class-name";

const WIDTH = 1_000;
/** So that one group in a million still shows. */
const LEAST = 12;

/** The share of all groups, as a bar. */
export function Share({ part }: { part: number }) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} 6`}
      preserveAspectRatio="none"
      className={cn(
        "h-1.5 w-full overflow-hidden rounded-full bg-pressed text-idle",
        "forced-colors:border forced-colors:text-[CanvasText]",
      )}
    >
      {part > 0 && <rect width={Math.max(LEAST, Math.min(1, part) * WIDTH)} height={6} fill="currentColor" />}
    </svg>
  );
}
