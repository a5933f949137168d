"use client";

import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";

interface PopoverProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** the button that opens it */
  trigger: ReactElement;
  /** what the button shows */
  label: ReactNode;
  title: string;
  children: ReactNode;
}

/** A small form beside the button that opens it. */
export function Popover({ open, onOpenChange, trigger, label, title, children }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger}>{label}</Base.Trigger>
      <Base.Portal>
        <Base.Positioner align="start" sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className="w-72 max-w-[calc(100vw-16px)] rounded-md border border-border bg-surface p-3 shadow-lg outline-none transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0">
            <Base.Title className="sr-only">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
