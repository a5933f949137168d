import type { ComponentProps } from "react";
import { cn } from "@/lib/browser/class-name";

export const INPUT_LOOK = cn(
  "w-full rounded-md border border-control bg-surface px-2.5 text-sm transition-colors text-text",
  "placeholder:text-text-muted read-only:bg-sunken disabled:opacity-60 aria-invalid:border-danger",
  "focus-visible:outline-offset-0 focus-visible:border-accent",
);

interface InputProps extends ComponentProps<"input"> {
  /** turns off autocompletion and spell checking */
  isLiteral?: boolean;
}

export function Input({ isLiteral = false, className, ...props }: InputProps) {
  const literal = isLiteral && { autoComplete: "off", spellCheck: false };
  return <input {...literal} className={cn(INPUT_LOOK, "h-control", className)} {...props} />;
}

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea className={cn(INPUT_LOOK, "py-1.5", className)} {...props} />;
}
