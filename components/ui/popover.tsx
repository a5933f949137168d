"use client";

import { lazy, type ReactNode, Suspense } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { useOpener } from "@/components/ui/use-opener";

const load = () => import("@/components/ui/popover-popup");
const PopoverPopup = lazy(async () => ({ default: (await load()).PopoverPopup }));

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
        <Suspense>
          <PopoverPopup {...{ open, anchor, title }} onOpenChange={setOpen}>
            {children(() => setOpen(false))}
          </PopoverPopup>
        </Suspense>
      )}
    </>
  );
}
