import { MenuIcon, Search } from "lucide-react";
import { usePathname } from "next/navigation";
import { Trail } from "@/components/breadcrumb";
import { ModifierKey } from "@/components/modifier-key";
import { openPalette } from "@/components/open-palette";
import { AccountMenu } from "@/components/shell/account-menu";
import { ConnectionState } from "@/components/shell/connection-state";
import { EnvironmentSwitcher } from "@/components/shell/environment-switcher";
import { PAGES } from "@/components/shell/navigation";
import { ThemeMenu } from "@/components/shell/theme-menu";
import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { onDemand } from "@/components/ui/on-demand";
import { useOpener } from "@/components/ui/use-opener";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";

const drawer = onDemand(() => import("@/components/shell/drawer"));
const Drawer = drawer.part("Drawer");

export function Header() {
  const pathname = usePathname();
  const slug = useEnvironmentSlug();
  // The list of groups is where one starts.
  const page = PAGES.slice(1).find(({ path }) => pathname === `/${slug}/${path}`);
  return (
    <header
      className={cn(
        "sticky top-0 z-30 flex h-12 items-center gap-2 border-border border-b bg-surface px-2",
        "max-sm:gap-1 sm:px-4 wide:top-2",
      )}
    >
      <div aria-hidden className="absolute inset-x-0 top-0 h-0.5 rounded-t-xl bg-environment" />
      <PagesButton />
      <EnvironmentSwitcher />
      {page && <Trail here={page.label} />}
      <div id="crumbs" className="contents" />
      <div className="flex-1" />
      <ConnectionState />
      <Button
        icon={Search}
        variant="ghost"
        onClick={() => openPalette()}
        aria-keyshortcuts="Meta+K Control+K"
        className="max-sm:w-control max-sm:px-0"
      >
        <span className="max-sm:sr-only">
          Search<span className="sr-only"> and commands</span>
        </span>
        <span aria-hidden className="max-sm:hidden">
          <Kbd>
            <ModifierKey />
            &nbsp;K
          </Kbd>
        </span>
      </Button>
      <ThemeMenu />
      <div className="wide:hidden">
        <AccountMenu />
      </div>
    </header>
  );
}

function PagesButton() {
  const { open, setOpen, isNeeded, buttonProps } = useOpener("dialog", drawer);
  return (
    <>
      <Button icon={MenuIcon} variant="ghost" size="icon" aria-label="Pages" className="wide:hidden" {...buttonProps} />
      {isNeeded && <Drawer open={open} onOpenChange={setOpen} />}
    </>
  );
}
