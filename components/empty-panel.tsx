import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

interface EmptyPanelProps {
  icon: LucideIcon;
  title: string;
  /** buttons: what to do next */
  actions?: ReactNode;
  children: ReactNode;
}

/** Replaces an empty list and says how to fill it. */
export function EmptyPanel({ icon: Icon, title, actions, children }: EmptyPanelProps) {
  return (
    <div
      className={cn(
        "mx-auto mt-2 flex w-full max-w-2xl flex-col items-center gap-4 rounded-xl border border-border px-6 py-12",
        "text-center",
      )}
    >
      <span
        aria-hidden
        className={cn(
          "flex size-10 items-center justify-center rounded-lg border border-border-strong bg-raised text-text-muted",
          "shadow-button",
        )}
      >
        <Icon className="size-5" />
      </span>
      <div className="flex w-full max-w-md flex-col gap-1 break-words text-text-muted">
        <h2 className="font-semibold text-base text-text">{title}</h2>
        {children}
      </div>
      {actions && <div className="flex max-w-full flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
