import { ThemeMenu } from "@/components/shell/theme-menu";
import { buttonLook } from "@/components/ui/button";

export function DocsHeader() {
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-border border-b bg-surface px-4 sm:px-6">
      <p className="flex min-w-0 items-center gap-2.5 font-semibold">
        <span aria-hidden className="size-3 shrink-0 rotate-45 rounded-[3px] bg-accent" />
        <span className="max-sm:sr-only">User groups</span>
        <span className="truncate font-normal text-text-muted">API reference</span>
      </p>
      <div className="flex-1" />
      <ThemeMenu />
      <a href="/" className={buttonLook()}>
        Dashboard
      </a>
    </header>
  );
}
