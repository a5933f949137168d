import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { cn } from "@/lib/browser/class-name";

const look = cva(
  "inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium text-sm transition-colors duration-150 disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "forced-colors:border bg-indigo-600 text-white hover:not-disabled:bg-indigo-700",
        secondary: "border border-control bg-surface text-text hover:not-disabled:bg-hover",
        ghost: "text-text-muted hover:not-disabled:bg-hover hover:not-disabled:text-text",
        danger: "forced-colors:border bg-red-700 text-white hover:not-disabled:bg-red-800",
      },
      size: { text: "h-control px-3", icon: "size-control", row: "size-6 rounded pointer-coarse:size-control" },
    },
    defaultVariants: { variant: "secondary", size: "text" },
  },
);

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof look> {}

/** `variant` sets the emphasis, `size` fits text or an icon. */
export function Button({ variant, size, className, ...props }: ButtonProps) {
  return <button type="button" className={cn(look({ variant, size }), className)} {...props} />;
}

/** The look of a button, for a link. */
export function buttonLook(options: VariantProps<typeof look> = {}): string {
  return look(options);
}
