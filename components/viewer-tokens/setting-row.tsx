import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";

interface SettingRowProps {
  title: string;
  hint: ReactNode;
  /** undefined for members who cannot change it */
  onChange: (() => void) | undefined;
  /** the value */
  children: ReactNode;
}

/** A setting with its value. */
export function SettingRow({ title, hint, onChange, children }: SettingRowProps) {
  return (
    <div className="grid gap-x-6 gap-y-2 border-border border-b px-4 py-3.5 last:border-b-0 sm:grid-cols-[13rem_minmax(0,1fr)_auto]">
      <div>
        <h3 className="font-medium">{title}</h3>
        <p className="text-text-muted text-xs">{hint}</p>
      </div>
      <div className="min-w-0 text-text-secondary">{children}</div>
      {onChange && (
        <div>
          <Button size="small" onClick={onChange}>
            Change…<span className="sr-only"> {title.toLowerCase()}</span>
          </Button>
        </div>
      )}
    </div>
  );
}
