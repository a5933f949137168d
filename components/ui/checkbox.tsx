import type { ComponentProps } from "react";
import { cn } from "@/lib/browser/class-name";

interface CheckboxProps extends Omit<ComponentProps<"input">, "type"> {
  indeterminate?: boolean;
}

export function Checkbox({ indeterminate = false, className, ...props }: CheckboxProps) {
  return (
    <input
      type="checkbox"
      ref={(box) => {
        if (box) box.indeterminate = indeterminate;
      }}
      className={cn("size-4 shrink-0 accent-indigo-600", className)}
      {...props}
    />
  );
}
