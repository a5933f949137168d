import type { ComponentProps } from "react";
import { cn } from "@/lib/browser/class-name";

interface SelectProps extends Omit<ComponentProps<"select">, "children"> {
  options: { value: string; label: string }[];
}

/** Native: works by keyboard, touch and in every screen reader. */
export function Select({ options, className, ...props }: SelectProps) {
  return (
    <select
      className={cn(
        "h-control rounded-md border border-control bg-surface px-2 text-sm text-text disabled:opacity-60 aria-invalid:border-danger",
        className,
      )}
      {...props}
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
