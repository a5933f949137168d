import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/lib/browser/class-name";

const TONES = {
  neutral: "border-border bg-sunken [&>svg]:text-text-muted",
  success: "border-success/25 bg-success/8 [&>svg]:text-success",
  warning: "border-warning/25 bg-warning/8 [&>svg]:text-warning",
  danger: "border-danger/25 bg-danger/8 [&>svg]:text-danger",
};
const ICONS = { neutral: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

interface NoticeProps {
  tone?: keyof typeof TONES;
  title?: string;
  children?: ReactNode;
  /** a button, at the right where there is room */
  action?: ReactNode;
  /** read out when it appears */
  role?: "alert" | "status";
}

export function Notice({ tone = "neutral", title, children, action, role }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div
      className={cn(
        "flex gap-3 rounded-lg border px-3 py-2.5 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0",
        TONES[tone],
      )}
      role={role}
    >
      <Icon aria-hidden />
      <div className="flex min-w-0 flex-1 gap-x-4 gap-y-2 max-sm:flex-col max-sm:items-start sm:items-center">
        <div className="flex w-full min-w-0 flex-col items-start gap-1 break-words">
          {title && <p className="font-medium">{title}</p>}
          {children}
        </div>
        {action}
      </div>
    </div>
  );
}
