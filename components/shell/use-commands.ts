import { useQuery } from "@tanstack/react-query";
import { BookOpen, CornerDownRight, Hash, Keyboard, type LucideIcon, Plus, Trash2, Upload } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useState } from "react";
import type { PageAction } from "@/components/page-actions";
import { holdsToken } from "@/components/pasted-token";
import { API_REFERENCE, PAGES } from "@/components/shell/navigation";
import { actionsOfPage, pressOnceShown } from "@/components/shell/page-buttons";
import { THEMES } from "@/components/shell/theme-menu";
import { useAccountActions } from "@/components/shell/use-account-actions";
import { type PlacedGroup, useFoundGroups } from "@/components/shell/use-found-groups";
import { leave } from "@/components/ui/leave-guard";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useHasRole } from "@/components/use-member";
import headings from "@/docs/headings.json" with { type: "json" };
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { sessionQuery } from "@/lib/members/queries";

const MAX_HEADINGS = 8;
/** Other words that find a page: synonyms, and what it holds. */
const PAGE_WORDS: Record<string, string> = {
  activity: "history audit log",
  "data-model": "health problems rules definitions schemas",
  "settings/api-tokens": "credentials keys",
  "settings/embedding": "viewer tokens origins signing keys claim templates preview",
  "settings/environments": "compare copy apply export settings rename",
  "settings/members": "people roles invitations",
  "settings/account": "profile password second factor sessions",
  [API_REFERENCE.path]: "help documentation",
};
/** Actions that start with a button on another page, by the button's label. */
const ELSEWHERE = [
  { label: "Create API token", path: "settings/api-tokens", words: "new add", role: "admin" },
  { label: "Create webhook", path: "settings/webhooks", words: "new add", role: "admin" },
  { label: "Create template", path: "settings/embedding", words: "new add claim", role: "admin" },
  { label: "Suggest rules…", path: "data-model?tab=rules", words: "draft definitions", role: "admin" },
  { label: "Create invitation", path: "settings/members", words: "new add invite member person", role: "owner" },
  { label: "Create environment", path: "settings/environments", words: "new add", role: "owner" },
] as const;
export interface Command {
  value: string;
  label: string;
  /** other words that find the command */
  words?: string;
  /** distinguishes equal labels */
  note?: string;
  /** groups and environments have a dot instead */
  icon?: LucideIcon;
  environment?: OfferedEnvironment;
  /** a group's environment and number */
  group?: { environment: OfferedEnvironment; teamId: number };
  /** the command opens a page rather than doing something */
  isPlace?: true;
  run: () => void;
}

interface Section {
  value: string;
  items: Command[];
}

/** Groups, environments, pages, actions and headings of the reference that match a text, by section. */
export function useCommands(text: string, onShortcuts: () => void) {
  const slug = useEnvironmentSlug();
  const go = useGo();
  const search = text.trim();
  const { data: session } = useQuery(sessionQuery);
  const environments = session?.environments ?? [];
  const { recents, groups, isSearching } = useFoundGroups(search, environments);
  const asCommand = ({ environment, teamId, name, providedId }: PlacedGroup): Command => ({
    value: `group ${environment.slug} ${teamId}`,
    label: name,
    note: providedId,
    group: { environment, teamId },
    ...go(`/${environment.slug}/groups/${teamId}`),
  });
  const pages: Command[] = [
    ...PAGES.map(({ path, label, icon }) => ({ path, href: `/${slug}/${path}`, label, icon })),
    { ...API_REFERENCE, href: API_REFERENCE.path, icon: BookOpen },
  ].map(({ path, href, label, icon }) => ({ value: href, label, words: PAGE_WORDS[path] ?? "", icon, ...go(href) }));
  const switches = environments
    .filter((one) => one.slug !== slug)
    .map((one) => ({
      value: `environment ${one.slug}`,
      label: `Switch to ${one.name}`,
      environment: one,
      note: one.tag,
      ...go(`/${one.slug}/groups`),
    }));
  const [ofPage] = useState(() => actionsOfPage().toSorted(tokenFirst).map(asAction));
  const actions = useActions(onShortcuts).filter(({ label }) => !ofPage.some((one) => one.label.startsWith(label)));
  const parts = search.toLowerCase().split(/\s+/);
  const fits = ({ label, words = "" }: Command) => {
    const all = `${label} ${words}`.toLowerCase();
    return parts.every((part) => all.includes(part));
  };
  const isOfGroup = ofPage[0]?.label === COPY_TOKEN;
  const onPage: Section = { value: "On this page", items: ofPage.filter(fits) };
  const commands: Section[] = [
    ...(isOfGroup ? [onPage] : []),
    { value: "Pages", items: pages.filter(fits) },
    ...(isOfGroup ? [] : [onPage]),
    { value: "Actions", items: actions.filter(fits) },
  ];
  const found: Section[] = [
    { value: "Recent", items: recents.map(asCommand) },
    { value: "User groups", items: groups.map(asCommand) },
  ];
  // A command that begins with the text comes first, however many groups match.
  const isCommand = commands.some(({ items }) => items.some((one) => begins(one, search)));
  const sections = [
    ...((search === "" ? isOfGroup : isCommand) ? [...commands, ...found] : [...found, ...commands]),
    { value: "Environments", items: switches.filter(fits) },
    { value: API_REFERENCE.label, items: headingsFor(search).map((one) => ({ ...one, ...go(one.value) })) },
  ].filter(({ items }) => items.length > 0);
  return { sections, isSearching };
}

const COPY_TOKEN = "Copy token";
const tokenFirst = (one: PageAction, other: PageAction) =>
  Number(other.label === COPY_TOKEN) - Number(one.label === COPY_TOKEN);
const asAction = ({ label, run }: PageAction): Command => ({
  value: `page ${label}`,
  label,
  icon: CornerDownRight,
  run,
});

function begins({ label, words = "" }: Command, text: string): boolean {
  const start = text.toLowerCase();
  return label.toLowerCase().startsWith(start) || words.split(" ").some((word) => word.startsWith(start));
}

/** Commands that open a page, unless the member stays to keep unsaved changes. */
function useGo() {
  const router = useRouter();
  return (href: string, then?: () => void) => ({
    isPlace: true as const,
    run: () =>
      leave(() => {
        router.push(href);
        then?.();
      }),
  });
}

/** Actions available on every page. */
function useActions(onShortcuts: () => void): Command[] {
  const slug = useEnvironmentSlug();
  const go = useGo();
  const { setTheme } = useTheme();
  const account = useAccountActions();
  const roles = { admin: useHasRole("admin"), owner: useHasRole("owner") };
  return [
    ...(roles.admin
      ? [
          {
            value: "new",
            label: "Create user group",
            words: "new add",
            note: "n",
            icon: Plus,
            ...go(`/${slug}/groups/new`),
          },
          { value: "import", label: "Import user groups", icon: Upload, ...go(`/${slug}/groups/import`) },
        ]
      : []),
    ...ELSEWHERE.filter(({ role }) => roles[role]).map(({ label, path, words }) => ({
      value: `elsewhere ${label}`,
      label,
      words,
      icon: label.startsWith("Create") ? Plus : CornerDownRight,
      run: go(`/${slug}/${path}`, () => pressOnceShown(label)).run,
    })),
    { value: "deleted", label: "Recently deleted user groups", icon: Trash2, ...go(`/${slug}/groups/deleted`) },
    ...THEMES.map(({ value, name, icon }) => ({
      value: `theme ${value}`,
      label: `${name} theme`,
      icon,
      run: () => setTheme(value),
    })),
    {
      value: "shortcuts",
      label: "Keyboard shortcuts",
      words: "help keys",
      note: "?",
      icon: Keyboard,
      run: onShortcuts,
    },
    ...account.map((one) => ({ value: one.label, ...one })),
  ];
}

/** Matching headings of the API reference, with their URLs. */
function headingsFor(search: string) {
  if (search === "" || holdsToken(search)) return [];
  const contains = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  return headings
    .filter(({ title, call = "" }) => contains(title) || contains(call))
    .slice(0, MAX_HEADINGS)
    .map(({ id, title, section }) => ({
      value: `${API_REFERENCE.path}#${id}`,
      label: title,
      note: section,
      icon: Hash,
    }));
}
