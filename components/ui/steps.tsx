import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

interface Step {
  title: string;
  /** ticked; the first step that is not is the current one */
  isDone?: boolean;
  action?: ReactNode;
  children?: ReactNode;
}

/** Numbered steps that tick themselves. */
export function Steps({ steps }: { steps: Step[] }) {
  const current = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol className="overflow-hidden rounded-xl border border-border">
      {steps.map(({ title, isDone = false, action, children }, at) => (
        <li
          key={title}
          aria-current={at === current ? "step" : undefined}
          className={cn(
            "grid grid-cols-[22px_minmax(0,1fr)] gap-x-4 border-border border-b px-4 py-4 last:border-b-0",
            "sm:grid-cols-[22px_minmax(0,1fr)_auto] sm:px-5",
          )}
        >
          <span
            className={cn(
              "flex size-5.5 items-center justify-center rounded-full border font-semibold text-2xs",
              isDone
                ? "border-transparent bg-success text-surface"
                : at === current
                  ? "border-accent text-accent"
                  : "border-border-strong text-text-secondary",
            )}
          >
            {isDone ? <Check aria-label="Done" className="size-3.5" /> : at + 1}
          </span>
          <div className="flex min-w-0 flex-col gap-1">
            <h2 className="font-semibold text-base">{title}</h2>
            {children}
          </div>
          {action && <div className="max-sm:col-start-2 max-sm:pt-2">{action}</div>}
        </li>
      ))}
    </ol>
  );
}
