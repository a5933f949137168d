import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

export function StepList({ children }: { children: ReactNode }) {
  return <ol className="rounded-xl border border-border">{children}</ol>;
}

interface StepProps {
  number: number;
  title: string;
  isDone?: boolean;
  /** the step to do now */
  isCurrent?: boolean;
  /** next to the title */
  actions?: ReactNode;
  children?: ReactNode;
}

export function Step({ number, title, isDone = false, isCurrent = false, actions, children }: StepProps) {
  const look = isCurrent ? "border-accent text-accent" : "border-border-strong text-text-secondary";
  return (
    <li
      aria-current={isCurrent ? "step" : undefined}
      className="flex min-w-0 flex-col gap-2 border-border border-b px-4 py-3 last:border-b-0 sm:px-5"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <div className="flex min-w-0 items-center gap-3">
          <span
            className={cn(
              "flex size-5.5 shrink-0 items-center justify-center rounded-full border-[1.5px] font-semibold text-2xs",
              "[&_svg]:size-3",
              isDone ? "border-success bg-success text-surface" : look,
            )}
          >
            {isDone ? <Check strokeWidth={3} role="img" aria-label="Done" /> : <span aria-hidden>{number}</span>}
          </span>
          <h2 className="font-semibold text-base">{title}</h2>
        </div>
        {actions && <div className="flex min-w-0 flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children && <div className="flex min-w-0 flex-col gap-2 sm:pl-8.5">{children}</div>}
    </li>
  );
}
