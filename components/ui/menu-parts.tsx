import { Menu as Base } from "@base-ui/react/menu";
import { Check, type LucideIcon } from "lucide-react";
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from "react";
import type { PopupChange } from "@/components/ui/use-opener";
import { cn } from "@/lib/browser/class-name";

const ITEM = cn(
  "flex min-h-8 cursor-default select-none items-center gap-2 rounded px-2 py-1 text-sm outline-none",
  "data-highlighted:bg-hover data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0 pointer-coarse:min-h-10",
);

interface MenuPopupProps {
  open: boolean;
  onOpenChange: (open: boolean, change: PopupChange) => void;
  onClose: () => void;
  /** the button it opens next to */
  anchor: RefObject<HTMLButtonElement | null>;
  /** the id of its label */
  labelledBy: string;
  align: "start" | "end";
  /** highlights the first item immediately */
  byKeyboard: boolean;
  children: ReactNode;
}

export function MenuPopup(props: MenuPopupProps) {
  const { open, onOpenChange, onClose, anchor, labelledBy, align, byKeyboard, children } = props;
  const isAtStart = useRef(true);
  const chooseFirst = ({ target, currentTarget }: FocusEvent) => {
    if (!byKeyboard || !isAtStart.current || target !== currentTarget) return;
    isAtStart.current = false;
    currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
  };
  useEffect(() => {
    if (!open) isAtStart.current = true;
  }, [open]);
  const leaveByTab = (event: KeyboardEvent) => {
    if (event.key !== "Tab") return;
    event.preventDefault();
    onClose();
  };
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      {/* A landmark, as all content must be in one. */}
      <Base.Portal render={<section aria-label="Menu" />}>
        <Base.Positioner anchor={anchor} align={align} sideOffset={4} className="z-50 outline-none">
          <Base.Popup
            aria-labelledby={labelledBy}
            onFocus={chooseFirst}
            onKeyDown={leaveByTab}
            className="popup min-w-44 p-1"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** A menu item's label and action. */
interface MenuAction {
  label: string;
  icon: LucideIcon;
  danger?: boolean;
  run: () => unknown;
}

/** An item for each action, skipping false ones. */
export function MenuItems({ items }: { items: (MenuAction | false)[] }) {
  return items.map(
    (one) =>
      one && (
        <Base.Item key={one.label} onClick={one.run} className={cn(ITEM, one.danger && "text-danger")}>
          <one.icon aria-hidden />
          {one.label}
        </Base.Item>
      ),
  );
}

interface MenuLinkProps {
  icon: LucideIcon;
  render: ReactElement;
  children: ReactNode;
}

export function MenuLink({ icon: Icon, render, children }: MenuLinkProps) {
  return (
    <Base.LinkItem render={render} closeOnClick className={ITEM}>
      <Icon aria-hidden />
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
