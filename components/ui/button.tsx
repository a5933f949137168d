import { cva, type VariantProps } from "class-variance-authority";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/lib/browser/class-name";

/** Class names that make a link look like a button. */
export const buttonLook = cva(
  [
    "inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium",
    "text-sm transition-colors [&_svg]:size-4 [&_svg]:shrink-0",
    "disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:opacity-50",
  ],
  {
    variants: {
      variant: {
        primary: "bg-primary text-white shadow-primary hover:not-disabled:bg-primary-hover forced-colors:border",
        secondary: [
          "border border-border-strong bg-raised text-text shadow-button",
          "hover:not-disabled:bg-hover aria-expanded:bg-pressed [&_svg]:text-text-muted",
        ],
        ghost: [
          "text-text-secondary",
          "hover:not-disabled:bg-hover hover:not-disabled:text-text aria-expanded:bg-pressed aria-expanded:text-text",
        ],
        danger: "bg-danger-fill text-white shadow-primary hover:not-disabled:bg-danger-fill-hover forced-colors:border",
      },
      size: {
        text: "h-control px-3",
        small: "h-6.5 gap-1 px-2 text-xs pointer-coarse:h-control [&_svg]:size-3.5",
        icon: "size-control",
        row: "size-6 rounded pointer-coarse:size-control",
      },
    },
    defaultVariants: { variant: "secondary", size: "text" },
  },
);

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof buttonLook> {
  /** before the text, or alone */
  icon?: LucideIcon | undefined;
}

/** `variant` sets the emphasis, `size` fits text or an icon. */
export function Button({ variant, size, icon: Icon, className, children, ...props }: ButtonProps) {
  return (
    <button type="button" className={cn(buttonLook({ variant, size }), className)} {...props}>
      {Icon && <Icon aria-hidden />}
      {children}
    </button>
  );
}

/** A small button with only an icon, named by `aria-label`. */
export function IconButton(props: ButtonProps) {
  return <Button variant="ghost" size="row" {...props} />;
}
