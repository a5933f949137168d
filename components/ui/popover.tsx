import type { ReactNode } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { type Loading, onDemand, together } from "@/components/ui/on-demand";
import { useOpener } from "@/components/ui/use-opener";

const parts = onDemand(() => import("@/components/ui/popover-popup"));
const PopoverPopup = parts.part("PopoverPopup");

interface PopoverProps {
  button: ButtonProps;
  title: string;
  align?: "start" | "end";
  /** loads with it */
  needs?: Loading;
  /** gets a function that closes the popover */
  children: (close: () => void) => ReactNode;
}

/** A small form next to its button. */
export function Popover({ button, title, align = "start", needs, children }: PopoverProps) {
  const loading = needs ? together(parts, needs) : parts;
  const { open, setOpen, onOpenChange, isNeeded, anchor, buttonProps } = useOpener("dialog", loading);
  return (
    <>
      <Button {...button} {...buttonProps} />
      {isNeeded && (
        <PopoverPopup open={open} anchor={anchor} title={title} align={align} onOpenChange={onOpenChange}>
          {children(() => setOpen(false))}
        </PopoverPopup>
      )}
    </>
  );
}
