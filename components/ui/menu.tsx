"use client";

import { lazy, type ReactNode, Suspense, useId } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import type * as parts from "@/components/ui/menu-parts";
import { useOpener } from "@/components/ui/use-opener";

const load = () => import("@/components/ui/menu-parts");
const MenuPopup = part("MenuPopup");
export const MenuItem = part("MenuItem");
export const MenuLink = part("MenuLink");
export const MenuChoice = part("MenuChoice");
export const MenuNote = part("MenuNote");
export const MenuSeparator = part("MenuSeparator");

type Parts = typeof parts;

function part<Name extends keyof Parts>(name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

interface MenuProps {
  /** the button that opens it */
  button: ButtonProps;
  align?: "start" | "end";
  children: ReactNode;
}

/** Actions behind a button. */
export function Menu({ button, align = "start", children }: MenuProps) {
  const id = useId();
  const { open, setOpen, isNeeded, byKeyboard, anchor, buttonProps } = useOpener("menu", load);
  return (
    <>
      <Button id={id} {...button} {...buttonProps} />
      {isNeeded && (
        <Suspense>
          <MenuPopup {...{ open, align, anchor, byKeyboard }} onOpenChange={setOpen} labelledBy={id}>
            {children}
          </MenuPopup>
        </Suspense>
      )}
    </>
  );
}
