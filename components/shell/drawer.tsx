import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { Brand, Navigation } from "@/components/shell/navigation";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/browser/class-name";

/** The navigation on narrow screens. */
export function Drawer({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40 fade duration-150" />
        <Dialog.Popup
          className={cn(
            "fixed inset-y-0 left-0 z-50 flex w-70 max-w-[calc(100vw-48px)] flex-col gap-4 overflow-y-auto",
            "border-border border-r bg-surface px-3 pb-4 fade duration-150",
          )}
        >
          <Dialog.Title className="sr-only">Pages</Dialog.Title>
          <div className="flex items-center justify-between">
            <Brand />
            <Dialog.Close render={<Button icon={X} variant="ghost" size="icon" aria-label="Close" />} />
          </div>
          <Navigation onNavigate={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
