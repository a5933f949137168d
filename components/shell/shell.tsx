"use client";

import { useQuery } from "@tanstack/react-query";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { ExpiringApiTokens } from "@/components/api-tokens/expiring-api-tokens";
import { isCovered, isTyping } from "@/components/keys";
import { NotFound } from "@/components/not-found";
import { OPEN_PALETTE } from "@/components/open-palette";
import { AccountMenu } from "@/components/shell/account-menu";
import { Header } from "@/components/shell/header";
import { Brand, Navigation } from "@/components/shell/navigation";
import { useRememberGroup } from "@/components/shell/recent-groups";
import { SkipLink } from "@/components/skip-link";
import { leave, leaveUnasked } from "@/components/ui/leave-guard";
import { onDemand } from "@/components/ui/on-demand";
import {
  EnvironmentInstead,
  useEnvironment,
  useEnvironmentSlug,
  useHome,
  useRememberEnvironment,
} from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { sessionQuery } from "@/lib/members/queries";

/** The frame of every page: navigation at the side, header above. */
export function Shell({ children }: { children: ReactNode }) {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  const environment = useEnvironment();
  useRememberEnvironment();
  useRememberGroup();
  useFocusAfterStep();
  useReloadForAnother(data?.member.id);
  if (data && !data.environments.some((one) => one.slug === slug)) {
    return (
      <NotFoundInShell environments={data.environments}>
        No environment is called “{slug}”. It may have been deleted, or the address may be mistyped.
      </NotFoundInShell>
    );
  }
  return (
    <div data-environment={environment?.tag} className="min-h-dvh bg-surface wide:pr-2 wide:pl-55">
      <SkipLink />
      <aside
        aria-label="Dashboard"
        className={cn(
          "fixed inset-y-0 left-0 z-35 hidden w-55 flex-col gap-1 overflow-y-auto bg-background px-2 pt-2 pb-3",
          "wide:flex",
        )}
      >
        <Brand />
        <Navigation />
        <AccountMenu isWide />
      </aside>
      {/* The edge of the panel over the content, which scrolls with the document: the browser then restores the
          position. Its shadow hides what scrolls past the edge. */}
      <div
        aria-hidden
        className={cn(
          "pointer-events-none fixed inset-y-2 right-2 left-55 z-31 hidden rounded-xl border border-border shadow-frame",
          "wide:block forced-colors:outline-16 forced-colors:outline-[Canvas]",
        )}
      />
      <Header />
      <ExpiringApiTokens />
      <main id="content" tabIndex={-1} className="px-4 py-5 outline-none sm:px-6">
        {children}
      </main>
      <Shortcuts />
    </div>
  );
}

/** Reloads when another member signs in in another tab: nothing may run under the wrong name. */
function useReloadForAnother(id: string | undefined) {
  const first = useRef(id);
  useEffect(() => {
    first.current ??= id;
    if (id !== undefined && id !== first.current) leaveUnasked(() => window.location.reload());
  }, [id]);
}

let lastPathname: string | undefined;

/** If the focused element disappeared with its page, focuses the new page, so that Tab starts there. */
function useFocusAfterStep() {
  const pathname = usePathname();
  useEffect(() => {
    const isStep = lastPathname !== undefined && lastPathname !== pathname;
    lastPathname = pathname;
    if (!isStep) return;
    // Delayed until a closing menu or dialog has returned the focus, perhaps to a removed element.
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) document.getElementById("content")?.focus({ preventScroll: true });
    }, 200);
    return () => clearTimeout(timer);
  }, [pathname]);
}

interface NotFoundInShellProps {
  environments: OfferedEnvironment[];
  /** the reason */
  children: ReactNode;
}

/** 404, in the shell of the environment in the URL, or of the home environment. */
export function NotFoundInShell({ environments, children }: NotFoundInShellProps) {
  const [, first] = usePathname().split("/");
  const home = useHome(environments);
  const slug = environments.find((one) => one.slug === first)?.slug ?? home;
  return (
    <EnvironmentInstead value={slug}>
      <Shell>
        <NotFound>{children}</NotFound>
      </Shell>
    </EnvironmentInstead>
  );
}

const palette = onDemand(() => import("@/components/shell/command-palette"));
const help = onDemand(() => import("@/components/shell/shortcut-help"));
const CommandPalette = palette.part("CommandPalette");
const ShortcutHelp = help.part("ShortcutHelp");

/** Global shortcuts. The palette and the help load on first use. */
function Shortcuts() {
  const [open, setOpen] = useState<"palette" | "help">();
  const [text, setText] = useState("");
  const router = useRouter();
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const show = async (what: "palette" | "help") => {
    if (await (what === "palette" ? palette : help).loadOrTell()) setOpen(what);
  };
  const showPalette = useEffectEvent((event?: Event) => {
    setText(event instanceof CustomEvent ? String(event.detail) : "");
    void show("palette");
  });
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      showPalette();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isCovered()) return;
    if (event.key === "?") void show("help");
    else if (event.key === "n" && canWrite) leave(() => router.push(`/${slug}/groups/new`));
    else if (event.key === "/") {
      const search = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (search) search.focus();
      else showPalette();
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener(OPEN_PALETTE, (event) => showPalette(event), { signal });
    window.addEventListener("keydown", (event) => onKey(event), { signal });
    return () => listening.abort();
  }, []);
  const close = () => setOpen(undefined);
  return (
    <>
      {open === "palette" && (
        <CommandPalette initialText={text} onClose={close} onShortcuts={() => void show("help")} />
      )}
      {open === "help" && <ShortcutHelp onClose={close} />}
    </>
  );
}
