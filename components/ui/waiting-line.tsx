import { cn } from "@/lib/browser/class-name";

interface WaitingLineProps {
  isWaiting: boolean;
  className?: string;
}

/** A thin line that moves while something is on its way, once that has taken 150 ms. It takes no room. */
export function WaitingLine({ isWaiting, className }: WaitingLineProps) {
  return (
    <div aria-hidden className={cn("pointer-events-none h-0", className)}>
      {isWaiting && (
        <div className="fade-in-late absolute inset-x-0 h-0.5 overflow-hidden">
          <div className="h-full w-2/5 animate-wait bg-spark" />
        </div>
      )}
    </div>
  );
}
