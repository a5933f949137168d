"use client";

import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { cn } from "@/lib/class-name";

const ITEM =
  "flex min-h-8 cursor-default select-none items-center gap-2 rounded px-2 py-1 text-sm outline-none data-highlighted:bg-hover data-disabled:opacity-50 pointer-coarse:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0";

interface MenuProps {
  /** the button that opens it */
  trigger: ReactElement;
  /** what the button shows */
  label: ReactNode;
  align?: "start" | "end";
  children: ReactNode;
}

/** Actions behind a button. */
export function Menu({ trigger, label, align = "start", children }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger}>{label}</Base.Trigger>
      <MenuPopup align={align}>{children}</MenuPopup>
    </Base.Root>
  );
}

/** What opens: within a menu whose button stands elsewhere. */
export function MenuPopup({ align, children }: { align: "start" | "end"; children: ReactNode }) {
  return (
    // A landmark, as everything on a page stands in one.
    <Base.Portal render={<section aria-label="Menu" />}>
      <Base.Positioner align={align} sideOffset={4} className="z-50 outline-none">
        <Base.Popup className="min-w-44 max-w-[calc(100vw-16px)] rounded-md border border-border bg-surface p-1 shadow-lg outline-none transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0">
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

interface MenuItemProps {
  onClick: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

export function MenuItem({ onClick, danger = false, disabled = false, children }: MenuItemProps) {
  return (
    <Base.Item onClick={onClick} disabled={disabled} className={cn(ITEM, danger && "text-danger")}>
      {children}
    </Base.Item>
  );
}

/** An item that leads to another page. */
export function MenuLink({ render, children }: { render: ReactElement; children: ReactNode }) {
  return (
    <Base.LinkItem render={render} closeOnClick className={ITEM}>
      {children}
    </Base.LinkItem>
  );
}

interface MenuChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; label: ReactNode }[];
}

/** One of several, the chosen one marked. */
export function MenuChoice({ label, value, onChange, options }: MenuChoiceProps) {
  return (
    <Base.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      {options.map((option) => (
        <Base.RadioItem key={option.value} value={option.value} closeOnClick className={ITEM}>
          <span className="flex min-w-0 flex-1 items-center gap-2">{option.label}</span>
          <Base.RadioItemIndicator>
            <Check aria-hidden />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

export function MenuNote({ children }: { children: ReactNode }) {
  return <div className="px-2 py-1.5 text-text-muted text-xs">{children}</div>;
}

export function MenuSeparator() {
  return <Base.Separator className="mx-1 my-1 h-px bg-border" />;
}
