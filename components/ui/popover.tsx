"use client";

import type { ReactNode } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { useOpener } from "@/components/ui/use-opener";

const parts = onDemand(() => import("@/components/ui/popover-popup"));
const PopoverPopup = parts.part("PopoverPopup");

interface PopoverProps {
  button: ButtonProps;
  title: string;
  /** gets a function that closes it */
  children: (close: () => void) => ReactNode;
}

/** A small form next to its button. */
export function Popover({ button, title, children }: PopoverProps) {
  const { open, setOpen, onOpenChange, isNeeded, anchor, buttonProps } = useOpener("dialog", parts);
  return (
    <>
      <Button {...button} {...buttonProps} />
      {isNeeded && (
        <PopoverPopup {...{ open, anchor, title, onOpenChange }}>{children(() => setOpen(false))}</PopoverPopup>
      )}
    </>
  );
}
