import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react";
import type { Loading } from "@/components/ui/on-demand";

/** Base UI's reason to open or close a popup. */
export interface PopupChange {
  reason: string;
  event: Event;
  cancel: () => void;
}

/** The state of a button and its popup, which loads once a press is likely. */
export function useOpener(popup: "menu" | "dialog", { load, loadOrTell }: Loading) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // Stays mounted, so that it can fade out.
  const [isNeeded, setNeeded] = useState(false);
  const [byKeyboard, setByKeyboard] = useState(false);
  const prepare = () => void load().catch(() => undefined);
  const show = async (keyboard: boolean) => {
    if (!(await loadOrTell())) return;
    setByKeyboard(keyboard);
    setNeeded(true);
    setOpen(true);
  };
  /** A press on the button counts as outside the popup, but the button closes it itself. */
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
    /** opened by keyboard */
    byKeyboard,
    anchor,
    buttonProps: {
      ref: anchor,
      "aria-haspopup": popup,
      "aria-expanded": open,
      onPointerEnter: prepare,
      onFocus: prepare,
      onClick: (event: MouseEvent<HTMLButtonElement>) => {
        // Safari does not focus a clicked button, but the focus must return to it.
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
