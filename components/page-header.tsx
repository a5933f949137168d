import type { ReactNode } from "react";
import { PageTitle } from "@/components/page-title";
import { useEnvironment } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";

interface PageHeaderProps {
  title: string;
  /** the screen's name in the tab, if not the title */
  screen?: string;
  /** next to the title, muted */
  note?: ReactNode;
  actions?: ReactNode;
  /** on a phone the actions stay at the bottom of the window */
  isAtHand?: boolean;
  /** what the page is for, in a sentence below the title */
  children?: ReactNode;
}

const AT_HAND = cn(
  "max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:border-border max-sm:border-t max-sm:bg-raised",
  "max-sm:px-4 max-sm:pt-2 max-sm:pb-3 max-sm:shadow-popup max-sm:empty:hidden max-sm:[&>*]:h-11 max-sm:[&>*]:flex-1",
);

export function PageHeader({ title, screen = title, note, actions, isAtHand, children }: PageHeaderProps) {
  const environment = useEnvironment();
  return (
    <div className={cn("flex flex-wrap items-start justify-between gap-x-4 gap-y-3", children ? "pb-5" : "pb-3")}>
      <PageTitle screen={screen} environment={environment?.name} />
      <div className="min-w-0">
        <div className="flex min-h-control flex-wrap content-center items-baseline gap-x-3">
          <h1 className="min-w-0 break-words font-semibold text-xl max-sm:text-lg">{title}</h1>
          {note && <div className="text-text-muted tabular-nums">{note}</div>}
        </div>
        {children && <p className="max-w-180 text-text-secondary">{children}</p>}
      </div>
      {actions && (
        <div data-at-hand={isAtHand} className={cn("flex flex-wrap items-center gap-2", isAtHand && AT_HAND)}>
          {actions}
        </div>
      )}
    </div>
  );
}
