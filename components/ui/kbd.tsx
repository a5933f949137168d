import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd
      className={cn(
        "inline-flex h-4.5 min-w-4.5 items-center justify-center rounded border border-border-strong bg-surface px-1",
        "font-sans text-2xs text-text-muted",
      )}
    >
      {children}
    </kbd>
  );
}
