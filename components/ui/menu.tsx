import { type ReactNode, useCallback, useId } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { type Loading, onDemand, together } from "@/components/ui/on-demand";
import { useOpener } from "@/components/ui/use-opener";

const parts = onDemand(() => import("@/components/ui/menu-parts"));
const MenuPopup = parts.part("MenuPopup");
export const MenuItems = parts.part("MenuItems");
export const MenuLink = parts.part("MenuLink");
export const MenuChoice = parts.part("MenuChoice");
export const MenuNote = parts.part("MenuNote");
export const MenuSeparator = parts.part("MenuSeparator");

interface MenuProps {
  button: ButtonProps;
  align?: "start" | "end";
  /** loads with it */
  needs?: Loading;
  children: ReactNode;
}

export function Menu({ button, align = "start", needs, children }: MenuProps) {
  const ownId = useId();
  const id = button.id ?? ownId;
  const { open, setOpen, onOpenChange, isNeeded, byKeyboard, anchor, buttonProps } = useOpener(
    "menu",
    needs ? together(parts, needs) : parts,
  );
  const { ref: outerRef } = button;
  const ref = useCallback(
    (element: HTMLButtonElement | null) => {
      anchor.current = element;
      if (typeof outerRef === "function") return outerRef(element);
      if (outerRef) outerRef.current = element;
    },
    [anchor, outerRef],
  );
  return (
    <>
      <Button id={id} {...button} {...buttonProps} ref={ref} />
      {isNeeded && (
        <MenuPopup
          open={open}
          align={align}
          anchor={anchor}
          byKeyboard={byKeyboard}
          onOpenChange={onOpenChange}
          onClose={() => setOpen(false)}
          labelledBy={id}
        >
          {children}
        </MenuPopup>
      )}
    </>
  );
}
