import { cn } from "@/lib/browser/class-name";

interface RotationLineProps {
  /** whether the new token has been used */
  isSeen: boolean;
  /** whether the old token still works */
  isOverlapping?: boolean;
  className?: string;
}

/**
 * A drawing of a rotation: the old token ends or keeps working, and the new one is awaited, then seen. It needs text
 * next to it.
 */
export function RotationLine({ isSeen, isOverlapping = false, className }: RotationLineProps) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 144 16"
      className={cn("h-4 w-36 shrink-0 overflow-visible fill-none forced-colors:text-[CanvasText]", className)}
    >
      <path d="M0 8h48" className="stroke-text-muted" strokeWidth={1.5} />
      {isOverlapping ? (
        <path d="M48 8 54 1h90" className="stroke-warning forced-colors:stroke-[CanvasText]" strokeWidth={1.5} />
      ) : (
        <path d="m44 4 8 8m0-8-8 8" className="stroke-text" strokeWidth={1.5} strokeLinecap="round" />
      )}
      {isSeen ? (
        <>
          <path d="M55 8h18" className="stroke-control" strokeWidth={1.5} strokeDasharray="2 2.5" />
          <path d="M78 8h66" className="stroke-spark forced-colors:stroke-[CanvasText]" strokeWidth={1.75} />
          <circle cx={78} cy={8} r={4.5} className="fill-spark forced-colors:fill-[CanvasText]" />
        </>
      ) : (
        <>
          <path d="M55 8h83" className="stroke-control" strokeWidth={1.5} strokeDasharray="2 2.5" />
          <circle cx={141} cy={8} r={3.5} className="fill-raised stroke-control" strokeWidth={1.5} />
        </>
      )}
    </svg>
  );
}
