import type { ComponentProps } from "react";
import { cn } from "@/lib/browser/class-name";

/** The look that checkboxes and radio buttons share. */
export const BOX = cn(
  "size-4 shrink-0 appearance-none border border-control bg-center bg-no-repeat bg-surface",
  "checked:border-primary checked:bg-primary disabled:opacity-50 pointer-coarse:size-5",
);

// Not in BOX: radio buttons match :indeterminate while none of them is chosen.
const INDETERMINATE = "indeterminate:border-primary indeterminate:bg-primary indeterminate:bg-dash";

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
      className={cn(BOX, INDETERMINATE, "rounded checked:bg-check", className)}
      {...props}
    />
  );
}
