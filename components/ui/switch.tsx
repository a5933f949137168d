import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

interface SwitchProps {
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}

/** A setting that is on or off. */
export function Switch({ checked, disabled, onChange, children }: SwitchProps) {
  return (
    <label className="flex min-h-6 items-center gap-2 text-text-secondary pointer-coarse:min-h-11">
      {children}
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className={cn(
          "relative h-4 w-7 shrink-0 appearance-none rounded-full border border-control bg-control transition-colors",
          "before:absolute before:top-0.5 before:left-0.5 before:size-2.5 before:rounded-full before:bg-white",
          "before:transition-transform checked:border-primary checked:bg-primary checked:before:translate-x-3",
          "disabled:opacity-50 forced-colors:before:bg-[CanvasText]",
        )}
      />
    </label>
  );
}
