"use client";

import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react";
import type { onDemand } from "@/components/ui/on-demand";

type Loading = Pick<ReturnType<typeof onDemand>, "load" | "loadOrTell">;

/** Why a popup wants to open or close, as Base UI tells it. */
export interface PopupChange {
  reason: string;
  event: Event;
  cancel: () => void;
}

/** The state of a button that opens a popup, which is loaded once somebody is about to press it. */
export function useOpener(popup: "menu" | "dialog", { load, loadOrTell }: Loading) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // It stays from then on, so that it can fade away.
  const [isNeeded, setNeeded] = useState(false);
  const [byKeyboard, setByKeyboard] = useState(false);
  const prepare = () => void load().catch(() => undefined);
  const show = async (keyboard: boolean) => {
    if (!(await loadOrTell())) return;
    setByKeyboard(keyboard);
    setNeeded(true);
    setOpen(true);
  };
  /** For the popup, which takes a press on the button for one outside: the button closes it by itself. */
  const onOpenChange = (next: boolean, { reason, event, cancel }: PopupChange) => {
    const isButton = event.target instanceof Node && anchor.current?.contains(event.target);
    if (reason === "outside-press" && isButton) cancel();
    else setOpen(next);
  };
  return {
    open,
    setOpen,
    onOpenChange,
    isNeeded,
    /** it was opened by a key, whose user goes on by keys */
    byKeyboard,
    anchor,
    buttonProps: {
      ref: anchor,
      "aria-haspopup": popup,
      "aria-expanded": open,
      onPointerEnter: prepare,
      onFocus: prepare,
      onClick: (event: MouseEvent<HTMLButtonElement>) => {
        // Safari does not focus a button that is clicked, and the focus is to come back to it.
        event.currentTarget.focus();
        if (open) setOpen(false);
        else void show(event.detail === 0);
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (popup !== "menu" || open || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
        event.preventDefault();
        void show(true);
      },
    },
  } as const;
}
