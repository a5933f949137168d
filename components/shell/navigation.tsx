"use client";

import {
  BookOpen,
  Boxes,
  CircleCheck,
  HeartPulse,
  History,
  KeyRound,
  Layers,
  ScanEye,
  UserRound,
  Users,
  Webhook,
} from "lucide-react";
import { usePathname } from "next/navigation";
import { PageLink } from "@/components/page-link";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";

/** The pages, by their path in an environment. */
export const PAGES = [
  { path: "groups", label: "Groups", icon: Boxes, section: undefined },
  { path: "activity", label: "Activity", icon: History, section: undefined },
  { path: "health", label: "Health", icon: HeartPulse, section: undefined },
  { path: "settings/api-tokens", label: "API tokens", icon: KeyRound, section: "Settings" },
  { path: "settings/definitions", label: "Definitions", icon: CircleCheck, section: "Settings" },
  { path: "settings/viewers", label: "Viewers", icon: ScanEye, section: "Settings" },
  { path: "settings/webhooks", label: "Webhooks", icon: Webhook, section: "Settings" },
  { path: "settings/environments", label: "Environments", icon: Layers, section: "Settings" },
  { path: "settings/members", label: "Members", icon: Users, section: "Settings" },
  { path: "settings/account", label: "Your account", icon: UserRound, section: "Settings" },
] as const;

/** Outside any environment, and open without sign-in. */
export const API_REFERENCE = { path: "/docs", label: "API reference" };

const LINK = "flex h-control items-center gap-2.5 rounded-md px-2 font-medium transition-colors duration-120";

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const slug = useEnvironmentSlug();
  const pathname = usePathname();
  const item = ({ path, label, icon: Icon }: (typeof PAGES)[number]) => {
    const href = `/${slug}/${path}`;
    const current = pathname === href || pathname.startsWith(`${href}/`);
    return (
      <li key={path}>
        <PageLink
          href={href}
          onClick={() => onNavigate?.()}
          aria-current={current ? "page" : undefined}
          className={cn(
            LINK,
            current
              ? "bg-pressed text-text"
              : "text-text-secondary hover:bg-hover hover:text-text [&_svg]:text-text-muted",
          )}
        >
          <Icon aria-hidden className="size-4" />
          {label}
        </PageLink>
      </li>
    );
  };
  return (
    <nav aria-label="Pages" className="flex flex-col gap-5">
      <ul className="flex flex-col gap-0.5">{PAGES.filter((page) => !page.section).map(item)}</ul>
      <div className="flex flex-col">
        <h2 className="px-2 pb-1 font-medium text-2xs text-text-muted">Settings</h2>
        <ul className="flex flex-col gap-0.5">{PAGES.filter((page) => page.section).map(item)}</ul>
      </div>
      <div className="flex flex-col">
        <h2 className="px-2 pb-1 font-medium text-2xs text-text-muted">Help</h2>
        <PageLink
          href={API_REFERENCE.path}
          onClick={() => onNavigate?.()}
          className={cn(LINK, "text-text-secondary hover:bg-hover hover:text-text [&_svg]:text-text-muted")}
        >
          <BookOpen aria-hidden className="size-4" />
          {API_REFERENCE.label}
        </PageLink>
      </div>
    </nav>
  );
}

export function Brand() {
  return (
    <PageLink
      href={`/${useEnvironmentSlug()}/groups`}
      className="flex h-10 shrink-0 items-center gap-2.5 px-2 font-semibold"
    >
      <span aria-hidden className="size-3 rotate-45 rounded-[3px] bg-accent" />
      User groups
    </PageLink>
  );
}
