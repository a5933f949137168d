import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown, MenuIcon, Search, WifiOff } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useSyncExternalStore } from "react";
import { Trail } from "@/components/breadcrumb";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { ModifierKey } from "@/components/modifier-key";
import { openPalette } from "@/components/open-palette";
import { AccountMenu } from "@/components/shell/account-menu";
import { PAGES } from "@/components/shell/navigation";
import { ThemeMenu } from "@/components/shell/theme-menu";
import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { leave } from "@/components/ui/leave-guard";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useOpener } from "@/components/ui/use-opener";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { isReachable, onConnectionChange } from "@/lib/browser/connection";
import { sessionQuery } from "@/lib/members/queries";

const drawer = onDemand(() => import("@/components/shell/drawer"));
const Drawer = drawer.part("Drawer");

export function Header() {
  const pathname = usePathname();
  const slug = useEnvironmentSlug();
  // Without the first page, the list of groups, which is home.
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

/** Shows in the header while the service cannot be reached. */
function ConnectionState() {
  const reachable = useSyncExternalStore(onConnectionChange, isReachable, () => true);
  return (
    <p role="status" className="min-w-0 shrink-0 max-md:shrink">
      {!reachable && (
        <span
          className={cn(
            "flex h-7 items-center gap-2 rounded-md border border-warning/40 bg-warning/8 px-2 font-medium",
            "text-warning",
          )}
        >
          <WifiOff aria-hidden className="size-4 shrink-0 max-sm:hidden" />
          <span className="truncate">
            {navigator.onLine ? (
              <Words short="No answer" long="The service cannot be reached" />
            ) : (
              <Words short="Offline" long="You are offline: nothing is sent" />
            )}
          </span>
        </span>
      )}
    </p>
  );
}

/** Short on a phone, but read out in full. */
function Words({ short, long }: { short: string; long: string }) {
  return (
    <>
      <span aria-hidden className="sm:hidden">
        {short}
      </span>
      <span className="max-sm:sr-only">{long}</span>
    </>
  );
}

function EnvironmentSwitcher() {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const { data } = useQuery(sessionQuery);
  const router = useRouter();
  const pathname = usePathname();
  if (!environment) return <Skeleton className="h-5 w-36 max-sm:w-30" />;
  const options = data?.environments.map((one) => ({ value: one.slug, label: <EnvironmentMark environment={one} /> }));
  return (
    <Menu
      button={{
        variant: "ghost",
        className: "min-w-0 shrink! text-text max-sm:px-1",
        children: (
          <>
            <span className="sr-only">Environment: </span>
            <EnvironmentMark environment={environment} isShort />
            <ChevronsUpDown aria-hidden className="text-text-muted max-sm:hidden" />
          </>
        ),
      }}
    >
      <MenuChoice
        label="Environment"
        value={slug}
        onChange={(chosen) => leave(() => router.push(pagesIn(chosen, pathname)))}
        options={options ?? []}
      />
    </Menu>
  );
}

/** The same page in another environment, or the list if it has no such page. */
function pagesIn(slug: string, pathname: string): string {
  const [, , ...rest] = pathname.split("/");
  const path = rest[0] === "settings" ? rest.slice(0, 2).join("/") : rest[0];
  return `/${slug}/${PAGES.find((page) => page.path === path)?.path ?? "groups"}`;
}
