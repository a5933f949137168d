import { useQuery } from "@tanstack/react-query";
import {
  BookOpen,
  Boxes,
  Code,
  History,
  KeyRound,
  Layers,
  ListChecks,
  type LucideIcon,
  UserRound,
  Users,
  Webhook,
} from "lucide-react";
import { usePathname } from "next/navigation";
import { PageLink } from "@/components/page-link";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { countProblems, findingsQuery } from "@/lib/definitions/queries";

/** The pages, by their path in an environment. */
export const PAGES = [
  { path: "groups", label: "Groups", icon: Boxes, section: "" },
  { path: "activity", label: "Activity", icon: History, section: "" },
  { path: "data-model", label: "Data model", icon: ListChecks, section: "" },
  { path: "settings/api-tokens", label: "API tokens", icon: KeyRound, section: "Connect" },
  { path: "settings/webhooks", label: "Webhooks", icon: Webhook, section: "Connect" },
  { path: "settings/embedding", label: "Embedding", icon: Code, section: "Connect" },
  { path: "settings/environments", label: "Environments", icon: Layers, section: "Workspace" },
  { path: "settings/members", label: "Members", icon: Users, section: "Workspace" },
  // In the account menu, not in the navigation.
  { path: "settings/account", label: "Your account", icon: UserRound, section: undefined },
];
const SECTIONS = ["", "Connect", "Workspace"];

/** Outside any environment, and open without sign-in. */
export const API_REFERENCE = { path: "/docs", label: "API reference" };

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const slug = useEnvironmentSlug();
  // Only the page itself polls.
  const { data: found } = useQuery({ ...findingsQuery(slug), refetchInterval: false });
  return (
    <nav aria-label="Pages" className="flex flex-1 flex-col gap-5">
      {SECTIONS.map((section) => (
        <div key={section}>
          {section && <h2 className="px-2 pb-1 font-medium text-2xs text-text-muted">{section}</h2>}
          <ul className="flex flex-col gap-0.5">
            {PAGES.filter((page) => page.section === section).map(({ path, label, icon }) => (
              <li key={path}>
                <NavigationLink
                  label={label}
                  icon={icon}
                  onNavigate={onNavigate}
                  href={`/${slug}/${path}`}
                  count={path === "data-model" && found ? countProblems(found) : 0}
                />
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className="mt-auto">
        <NavigationLink href={API_REFERENCE.path} label={API_REFERENCE.label} icon={BookOpen} onNavigate={onNavigate} />
      </div>
    </nav>
  );
}

interface NavigationLinkProps {
  href: string;
  label: string;
  icon: LucideIcon;
  /** number of problems */
  count?: number | undefined;
  onNavigate?: (() => void) | undefined;
}

function NavigationLink({ href, label, icon: Icon, count = 0, onNavigate }: NavigationLinkProps) {
  const pathname = usePathname();
  const isCurrent = pathname === href || pathname.startsWith(`${href}/`);
  return (
    <PageLink
      href={href}
      onClick={() => onNavigate?.()}
      aria-current={isCurrent ? "page" : undefined}
      className={cn(
        "flex h-control items-center gap-2.5 rounded-md px-2 font-medium transition-colors",
        isCurrent
          ? "bg-pressed text-text"
          : "text-text-secondary hover:bg-hover hover:text-text [&_svg]:text-text-muted",
      )}
    >
      <Icon aria-hidden className="size-4" />
      {label}
      {count > 0 && (
        <span className="ml-auto text-warning text-xs tabular-nums">
          {count.toLocaleString("en")}
          <span className="sr-only"> {count === 1 ? "problem" : "problems"}</span>
        </span>
      )}
    </PageLink>
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
