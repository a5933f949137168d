"use client";

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

interface TabsProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  tabs: {
    value: string;
    label: string;
    /** how many it holds, muted after the label */
    count?: string | undefined;
    panel: ReactNode;
    /** stays mounted while another tab shows */
    isKept?: boolean;
  }[];
}

export function Tabs({ label, value, onChange, tabs }: TabsProps) {
  return (
    <Base.Root value={value} onValueChange={onChange}>
      <Base.List aria-label={label} className="flex gap-5 overflow-x-auto border-border border-b">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px flex h-10 shrink-0 items-center border-transparent border-b-2 font-medium text-text-secondary transition-colors duration-120 hover:text-text focus-visible:-outline-offset-2 data-active:border-text data-active:text-text"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="ml-1.5 font-normal text-text-muted tabular-nums">{tab.count}</span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          keepMounted={tab.isKept ?? false}
          className="pt-5 outline-offset-4"
        >
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
