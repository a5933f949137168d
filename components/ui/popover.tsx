"use client";

import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { useOpener } from "@/components/ui/use-opener";

const load = () => import("@/components/ui/popover-popup").then((module) => module.PopoverPopup);
const PopoverPopup = dynamic(load);

interface PopoverProps {
  /** the button that opens it */
  button: ButtonProps;
  title: string;
  /** what is in it, and is given what closes it */
  children: (close: () => void) => ReactNode;
}

/** A small form beside the button that opens it. */
export function Popover({ button, title, children }: PopoverProps) {
  const { open, setOpen, isNeeded, anchor, buttonProps } = useOpener("dialog", load);
  return (
    <>
      <Button {...button} {...buttonProps} />
      {isNeeded && (
        <PopoverPopup {...{ open, anchor, title }} onOpenChange={setOpen}>
          {children(() => setOpen(false))}
        </PopoverPopup>
      )}
    </>
  );
}
