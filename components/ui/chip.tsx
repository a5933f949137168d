import type { ReactNode } from "react";
import { HUES, hueOf } from "@/components/ui/hue";
import { cn } from "@/lib/browser/class-name";

const TONES = {
  plain: "border border-border-strong text-text-secondary",
  success: "bg-success/7 text-success",
  warning: "bg-hue-3 text-hue-3-text",
  danger: "bg-danger/10 text-danger",
};

interface ChipProps {
  /** the text that determines the tint, such as the value shown */
  by?: string;
  tone?: keyof typeof TONES;
  className?: string;
  children: ReactNode;
}

/** A short value: tinted by its text, or by tone. */
export function Chip({ by, tone = "plain", className, children }: ChipProps) {
  return (
    <span
      className={cn(
        "inline-flex h-5 max-w-full items-center gap-1.5 rounded-full px-2 align-middle font-medium text-xs",
        "forced-colors:border",
        by === undefined ? TONES[tone] : HUES[hueOf(by)],
        className,
      )}
    >
      {children}
    </span>
  );
}
