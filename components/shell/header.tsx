"use client";

import { Dialog } from "@base-ui/react/dialog";
import { MenuIcon, Search, X } from "lucide-react";
import { useState } from "react";
import { AccountMenu } from "@/components/shell/account-menu";
import { EnvironmentSwitcher } from "@/components/shell/environment-switcher";
import { Brand, Navigation } from "@/components/shell/navigation";
import { openPalette } from "@/components/shell/shortcuts";
import { ThemeMenu } from "@/components/shell/theme-menu";
import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";

/** The bar above: where one is, search, theme, account. */
export function Header() {
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-2 max-sm:gap-1 border-border border-b bg-surface px-2 sm:px-4">
      <Drawer />
      <EnvironmentSwitcher />
      <div className="flex-1" />
      <Button
        variant="secondary"
        onClick={openPalette}
        aria-keyshortcuts="Meta+K Control+K"
        className="max-sm:w-control max-sm:border-0 max-sm:px-0"
      >
        <Search aria-hidden className="text-text-muted" />
        <span className="font-normal text-text-muted max-sm:sr-only">
          Search<span className="sr-only"> and commands</span>
        </span>
        <span aria-hidden className="max-sm:hidden">
          <Kbd>⌘K</Kbd>
        </span>
      </Button>
      <ThemeMenu />
      <AccountMenu />
    </header>
  );
}

/** The pages, where there is no room for them at the side. */
function Drawer() {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger render={<Button variant="ghost" size="icon" aria-label="Pages" className="wide:hidden" />}>
        <MenuIcon aria-hidden />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-70 max-w-[calc(100vw-48px)] flex-col gap-4 overflow-y-auto border-border border-r bg-surface px-3 pb-4 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0">
          <Dialog.Title className="sr-only">Pages</Dialog.Title>
          <div className="flex items-center justify-between">
            <Brand />
            <Dialog.Close render={<Button variant="ghost" size="icon" aria-label="Close" />}>
              <X aria-hidden />
            </Dialog.Close>
          </div>
          <Navigation onNavigate={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
