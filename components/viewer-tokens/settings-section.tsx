import { type ReactNode, useId } from "react";

interface SettingsSectionProps {
  title: string;
  hint: string;
  action?: ReactNode;
  children: ReactNode;
}

/** A section of the settings: a heading over a frame. */
export function SettingsSection({ title, hint, action, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div>
          <h2 id={id} className="font-semibold text-base">
            {title}
          </h2>
          <p className="text-text-muted text-xs">{hint}</p>
        </div>
        {action}
      </div>
      <div className="rounded-xl border border-border">{children}</div>
    </section>
  );
}
