import { Popover as Base } from "@base-ui/react/popover";
import type { ReactNode, RefObject } from "react";
import type { PopupChange } from "@/components/ui/use-opener";

interface PopoverPopupProps {
  open: boolean;
  onOpenChange: (open: boolean, change: PopupChange) => void;
  /** the button it opens next to */
  anchor: RefObject<HTMLButtonElement | null>;
  title: string;
  align: "start" | "end";
  children: ReactNode;
}

export function PopoverPopup({ open, onOpenChange, anchor, title, align, children }: PopoverPopupProps) {
  return (
    <Base.Root open={open} modal="trap-focus" onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} align={align} sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className="popup w-72 p-3">
            <Base.Title className="sr-only">{title}</Base.Title>
            {children}
            <Base.Close className="sr-only">Close</Base.Close>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
