import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import {
  BookOpen,
  CirclePause,
  CirclePlay,
  Copy,
  CornerDownRight,
  Download,
  ExternalLink,
  Eye,
  EyeOff,
  Hash,
  Keyboard,
  ListFilter,
  type LucideIcon,
  Pencil,
  Pin,
  Plus,
  RefreshCw,
  Trash2,
  Upload,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useState } from "react";
import { leave } from "@/components/leave-guard";
import { holdsToken } from "@/components/pasted-token";
import { API_REFERENCE, PAGES } from "@/components/shell/navigation";
import { actionsOfPage } from "@/components/shell/page-buttons";
import { recentGroups } from "@/components/shell/recent-groups";
import { THEMES } from "@/components/shell/theme-menu";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import headings from "@/docs/headings.json" with { type: "json" };
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { ALL_GROUPS, type Group, groupListQuery, groupQuery } from "@/lib/groups/queries";
import { sessionQuery } from "@/lib/members/queries";

/** Groups offered of one environment, and of all. */
const GROUPS_OFFERED = 8;
const MAX_GROUPS = 12;
const MAX_HEADINGS = 8;
/** By the first word of what the open page offers. */
const VERBS: Record<string, LucideIcon> = {
  ...{ Add: Plus, Change: Pencil, Copy, Create: Plus, Delete: Trash2, End: EyeOff, Export: Download },
  ...{ Filter: ListFilter, Import: Upload, View: ExternalLink },
  ...{ Invite: Plus, New: Plus, Pin, Reveal: Eye, Rotate: RefreshCw, Resume: CirclePlay, Suspend: CirclePause },
};
const iconOf = (label: string) => VERBS[/^\w+/.exec(label)?.[0] ?? ""] ?? CornerDownRight;

export interface Command {
  value: string;
  label: string;
  /** distinguishes equal labels */
  note?: string;
  /** groups and environments have a dot in its place */
  icon?: LucideIcon;
  environment?: OfferedEnvironment;
  /** a group's environment and number */
  group?: { environment: OfferedEnvironment; teamId: number };
  run: () => void;
}

/** What a text finds: groups, environments, pages, actions and headings of the reference, by section. */
export function useCommands(text: string, onShortcuts: () => void) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const canWrite = useCanWrite();
  const { setTheme } = useTheme();
  const { data: session } = useQuery(sessionQuery);
  const search = text.trim();
  const environments = session?.environments ?? [];
  const isSearch = search !== "" && !holdsToken(search);
  // The open environment first.
  const places = environments.toSorted((a, b) => Number(b.slug === slug) - Number(a.slug === slug));
  const lists = useQueries({
    queries: places.map((place) => ({
      ...groupListQuery(place.slug, { ...ALL_GROUPS, search }),
      enabled: isSearch,
      placeholderData: keepPreviousData,
    })),
  });
  const [recent] = useState(recentGroups);
  const visited = useQueries({
    queries: recent.map(({ slug, teamId }) => ({ ...groupQuery(slug, String(teamId)), retry: false })),
  });
  const go = (href: string) => () => leave(() => router.push(href));
  const contains = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  const commandFor = (environment: OfferedEnvironment, { teamId, name, providedId }: Group) => ({
    value: `group ${environment.slug} ${teamId}`,
    label: name,
    note: providedId,
    group: { environment, teamId },
    run: go(`/${environment.slug}/groups/${teamId}`),
  });
  const groups = places
    .flatMap((place, at) => {
      const { data, isPlaceholderData } = lists[at] ?? {};
      // Earlier results stay only if they still match: Enter takes the first.
      return (data?.groups ?? [])
        .filter(({ name, providedId }) => isSearch && (!isPlaceholderData || contains(name) || contains(providedId)))
        .slice(0, GROUPS_OFFERED)
        .map((group) => commandFor(place, group));
    })
    .slice(0, MAX_GROUPS);
  const recents = recent.flatMap(({ slug }, at) => {
    const environment = environments.find((one) => one.slug === slug);
    const group = visited[at]?.data;
    return search === "" && environment && group ? [commandFor(environment, group)] : [];
  });
  const pages = [
    ...PAGES.map(({ path, label, icon }) => ({ path: `/${slug}/${path}`, label, icon })),
    { ...API_REFERENCE, icon: BookOpen },
  ].map(({ path, label, icon }) => ({ value: path, label, icon, run: go(path) }));
  const switches = environments
    .filter((one) => one.slug !== slug)
    .map((one) => ({
      value: `environment ${one.slug}`,
      label: `Switch to ${one.name}`,
      environment: one,
      note: one.tag,
      run: go(`/${one.slug}/groups`),
    }));
  const [ofPage] = useState(actionsOfPage);
  const actions: Command[] = [
    ...(canWrite
      ? [
          { value: "new", label: "Create user group", note: "n", icon: Plus, run: go(`/${slug}/groups/new`) },
          { value: "import", label: "Import user groups", icon: Upload, run: go(`/${slug}/groups/import`) },
        ]
      : []),
    { value: "deleted", label: "Recently deleted user groups", icon: Trash2, run: go(`/${slug}/groups/deleted`) },
    ...THEMES.map(({ value, name, icon }) => ({
      ...{ value: `theme ${value}`, label: `${name} theme`, icon },
      run: () => setTheme(value),
    })),
    { value: "shortcuts", label: "Keyboard shortcuts", note: "?", icon: Keyboard, run: onShortcuts },
  ];
  const fits = ({ label }: Command) => contains(label);
  const found = isSearch ? headings.filter(({ title, call = "" }) => contains(title) || contains(call)) : [];
  const sections = [
    { value: "Recent", items: recents },
    { value: "User groups", items: groups },
    { value: "Pages", items: pages.filter(fits) },
    {
      value: "On this page",
      items: ofPage.map(({ label, run }) => ({ value: `page ${label}`, label, icon: iconOf(label), run })).filter(fits),
    },
    { value: "Actions", items: actions.filter(fits) },
    { value: "Environments", items: switches.filter(fits) },
    {
      value: API_REFERENCE.label,
      items: found.slice(0, MAX_HEADINGS).map(({ id, title, section }) => ({
        ...{ value: `heading ${id}`, label: title, note: section, icon: Hash, run: go(`${API_REFERENCE.path}#${id}`) },
      })),
    },
  ].filter(({ items }) => items.length > 0);
  return { sections, isSearching: isSearch && lists.some(({ isFetching }) => isFetching) };
}
