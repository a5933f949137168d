import { cn } from "@/lib/browser/class-name";

/** How a group is used, or why it is not. */
export type Use = "in use" | "idle" | "never" | "old token" | "suspended" | "ended";

export const USE_WORDS: Record<Use, string> = {
  "in use": "In use",
  idle: "Idle",
  never: "Never used",
  "old token": "Old token in use",
  suspended: "Suspended",
  ended: "Ended",
};

/** A state's mark, distinct in shape as well as colour. Its word must be next to it, or set `label`. */
export function UseMark({ use, label, className }: { use: Use; label?: boolean; className?: string }) {
  return (
    <svg
      viewBox="0 0 8 8"
      role={label ? "img" : undefined}
      aria-hidden={label ? undefined : true}
      aria-label={label ? USE_WORDS[use] : undefined}
      className={cn("size-2 shrink-0 overflow-visible forced-colors:text-[CanvasText]", COLORS[use], className)}
    >
      {SHAPES[use]}
    </svg>
  );
}

const COLORS: Record<Use, string> = {
  "in use": "text-success",
  idle: "text-idle",
  never: "text-idle",
  "old token": "text-warning",
  suspended: "text-danger",
  ended: "text-danger",
};

const RING = { cx: 4, cy: 4, r: 3.25, fill: "none", stroke: "currentColor", strokeWidth: 1.5 };
const SHAPES: Record<Use, React.ReactNode> = {
  "in use": <circle cx={4} cy={4} r={4} fill="currentColor" />,
  idle: <circle {...RING} />,
  never: <circle {...RING} strokeWidth={1.25} strokeDasharray="1.6 1.3" />,
  "old token": <path d="M4 0 8.5 8H-.5Z" fill="currentColor" />,
  suspended: <rect width={8} height={8} rx={1.5} fill="currentColor" />,
  ended: (
    <rect x={0.75} y={0.75} width={6.5} height={6.5} rx={1.5} fill="none" stroke="currentColor" strokeWidth={1.5} />
  ),
};
