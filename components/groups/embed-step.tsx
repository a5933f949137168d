import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

interface EmbedStepProps {
  number: number;
  isDone?: boolean;
  children: ReactNode;
}

export function EmbedSteps({ children }: { children: ReactNode }) {
  return <ol className="self-start rounded-xl border border-border">{children}</ol>;
}

export function EmbedStep({ number, isDone = false, children }: EmbedStepProps) {
  return (
    <li className="grid grid-cols-[22px_minmax(0,1fr)] gap-3 border-border border-b p-4 last:border-b-0 sm:gap-4.5 sm:px-5">
      <span
        aria-hidden
        className={cn(
          "flex size-5.5 items-center justify-center rounded-full border-[1.5px] font-semibold text-2xs [&_svg]:size-3",
          isDone ? "border-success bg-success text-surface" : "border-border-strong text-text-secondary",
        )}
      >
        {isDone ? <Check strokeWidth={3} /> : number}
      </span>
      <div className="flex min-w-0 flex-col gap-1">{children}</div>
    </li>
  );
}
