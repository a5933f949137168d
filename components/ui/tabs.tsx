import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { cn } from "@/lib/browser/class-name";

interface TabsProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  tabs: {
    value: string;
    label: ReactNode;
    /** number of things in the tab, muted after the label */
    count?: string | undefined;
    panel: ReactNode;
    /** stays mounted while another tab shows */
    isKept?: boolean;
  }[];
}

/** Tabs: the arrow keys move between them, Enter or Space shows one. (Base UI's are ten times the size.) */
export function Tabs({ label, value, onChange, tabs }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
    const at = buttons.indexOf(event.target as HTMLElement);
    const last = buttons.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
      event.key
    ];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    buttons[to]?.focus();
  };
  return (
    <div>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        tabIndex={-1}
        className="flex gap-5 overflow-x-auto border-border border-b outline-none"
      >
        {tabs.map((tab) => {
          const isChosen = tab.value === value;
          return (
            <button
              key={tab.value}
              type="button"
              role="tab"
              id={`${id}-${tab.value}`}
              aria-selected={isChosen}
              aria-controls={isChosen ? `${id}-${tab.value}-panel` : undefined}
              tabIndex={isChosen ? 0 : -1}
              onClick={() => onChange(tab.value)}
              className={cn(
                "-mb-px flex h-10 shrink-0 items-center border-transparent border-b-2 font-medium text-text-secondary",
                "transition-colors",
                "hover:text-text focus-visible:-outline-offset-2 aria-selected:border-text aria-selected:text-text",
              )}
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="ml-1.5 font-normal text-text-muted tabular-nums">{tab.count}</span>
              )}
            </button>
          );
        })}
      </div>
      {tabs
        .filter((tab) => tab.value === value || tab.isKept)
        .map((tab) => (
          <div
            key={tab.value}
            role="tabpanel"
            id={`${id}-${tab.value}-panel`}
            aria-labelledby={`${id}-${tab.value}`}
            hidden={tab.value !== value}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it follows its tab, also where it holds no control
            tabIndex={0}
            className="pt-5 outline-offset-4"
          >
            {tab.panel}
          </div>
        ))}
    </div>
  );
}
