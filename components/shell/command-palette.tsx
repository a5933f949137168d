"use client";

import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
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
  Monitor,
  Moon,
  Pencil,
  Pin,
  Plus,
  RefreshCw,
  Search,
  Sun,
  Trash2,
  Upload,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { copyText } from "@/components/copy-button";
import { EnvironmentDot } from "@/components/environments/environment-mark";
import { toastFailure } from "@/components/failure";
import { WhoseToken } from "@/components/groups/found-by-token";
import { leave } from "@/components/leave-guard";
import { ModifierKey } from "@/components/modifier-key";
import { holdsToken } from "@/components/pasted-token";
import { API_REFERENCE, PAGES } from "@/components/shell/navigation";
import { actionsOfPage } from "@/components/shell/page-buttons";
import { recentGroups } from "@/components/shell/recent-groups";
import { announce } from "@/components/ui/announcer";
import { Kbd } from "@/components/ui/kbd";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import headings from "@/docs/headings.json" with { type: "json" };
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { ALL_GROUPS, type Group, groupListQuery, groupQuery } from "@/lib/groups/queries";
import { askToRevealToken } from "@/lib/groups/token-queries";
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
const THEMES = { Light: Sun, Dark: Moon, System: Monitor };

interface Command {
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

interface CommandPaletteProps {
  initialText: string;
  onClose: () => void;
  onShortcuts: () => void;
}

/** Finds groups, environments, pages, actions and headings of the reference by a few letters. */
export function CommandPalette({ initialText, onClose, onShortcuts }: CommandPaletteProps) {
  const [text, setText] = useState(initialText);
  const commands = useCommands(text, onShortcuts);
  const isToken = holdsToken(text);
  const sections = isToken ? [] : commands.sections;
  const count = sections.reduce((sum, { items }) => sum + items.length, 0);
  const isSettled = text.trim() !== "" && !isToken && !commands.isSearching;
  useEffect(() => {
    // The list itself says when nothing matches.
    if (isSettled && count > 0) announce(`${count} ${count === 1 ? "result" : "results"}`);
  }, [isSettled, count]);
  const run = (command: Command) => {
    onClose();
    command.run();
  };
  const highlighted = useRef<Command>(undefined);
  const canCopy = useCanWrite();
  const onKeyDown = (event: KeyboardEvent) => {
    const { group, label } = highlighted.current ?? {};
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || !group || !canCopy) return;
    event.preventDefault();
    event.stopPropagation();
    void copyToken(label ?? "", group);
    onClose();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          aria-label="Search and commands"
          className="fixed inset-x-0 top-[12vh] z-50 mx-auto flex max-h-[70dvh] w-[calc(100vw-32px)] max-w-xl animate-appear flex-col overflow-hidden rounded-xl border border-border bg-raised shadow-popup"
        >
          <Autocomplete.Root
            open
            inline
            items={sections}
            filter={null}
            autoHighlight="always"
            keepHighlight
            value={text}
            onItemHighlighted={(item: Command | undefined) => {
              highlighted.current = item;
            }}
            onValueChange={(value, { reason }) => {
              // Choosing an item would briefly put its label into the box.
              if (reason !== "item-press") setText(value);
            }}
          >
            <div className="flex items-center gap-2 border-border border-b px-4">
              <Search aria-hidden className="size-4 shrink-0 text-text-muted" />
              <Autocomplete.Input
                aria-label="Search and commands"
                placeholder="Go to a group, a page, or paste a token"
                spellCheck={false}
                onKeyDownCapture={onKeyDown}
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-text-muted"
              />
            </div>
            {isToken && (
              <div className="break-words p-4">
                <WhoseToken text={text} onGo={onClose} />
              </div>
            )}
            <Autocomplete.Empty className="p-4 text-text-muted empty:hidden">
              {!isToken && "Nothing matches."}
            </Autocomplete.Empty>
            {/* Rendered even when empty: the box controls it by id. */}
            <Autocomplete.List className="min-h-0 overflow-y-auto p-2 empty:hidden">
              {(section: { value: string; items: Command[] }) => (
                <Autocomplete.Group key={section.value} items={section.items} className="pb-2 last:pb-0">
                  <Autocomplete.GroupLabel className="px-2 py-1 font-medium text-text-muted text-xs">
                    {section.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={command.value}
                        value={command}
                        onClick={() => run(command)}
                        className="flex min-h-8 cursor-default items-center gap-2.5 rounded-md px-2 outline-none data-highlighted:bg-hover max-sm:py-1.5 pointer-coarse:min-h-10"
                      >
                        <CommandMark command={command} />
                        <span className="flex min-w-0 flex-1 flex-col sm:flex-row sm:items-center sm:justify-between sm:gap-4">
                          <span className="break-words sm:truncate">{command.label}</span>
                          {command.note && (
                            <span className="truncate font-mono text-text-muted text-xs sm:max-w-1/2">
                              {command.note}
                            </span>
                          )}
                        </span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          <p
            aria-hidden
            className="flex gap-4 border-border border-t bg-sunken px-4 py-2 text-text-muted text-xs max-sm:hidden"
          >
            <span className="flex items-center gap-1.5">
              <Kbd>↵</Kbd> Open
            </span>
            {canCopy && (
              <span className="flex items-center gap-1.5">
                <Kbd>
                  <ModifierKey /> ↵
                </Kbd>{" "}
                Copy token
              </span>
            )}
            <span className="flex items-center gap-1.5">
              <Kbd>Esc</Kbd> Close
            </span>
          </p>
          <Dialog.Close className="sr-only">Close</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** An icon, or the dot of an environment, in a column of their own. */
function CommandMark({ command: { icon: Icon, environment, group } }: { command: Command }) {
  const place = environment ?? group?.environment;
  return (
    <span className="flex w-4 shrink-0 justify-center text-text-muted">
      {place ? <EnvironmentDot environment={place} /> : Icon && <Icon aria-hidden className="size-4" />}
    </span>
  );
}

/** Copies a group's token without opening its page. */
async function copyToken(name: string, { environment, teamId }: NonNullable<Command["group"]>) {
  try {
    await copyText(askToRevealToken(environment.slug, teamId, "copy"));
    toast({ title: `Copied the token of “${name}”` });
  } catch (error) {
    toastFailure("The token was not copied", error);
  }
}

function useCommands(text: string, onShortcuts: () => void) {
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
          { value: "new", label: "New user group", note: "n", icon: Plus, run: go(`/${slug}/groups/new`) },
          { value: "import", label: "Import user groups", icon: Upload, run: go(`/${slug}/groups/import`) },
        ]
      : []),
    { value: "deleted", label: "Recently deleted user groups", icon: Trash2, run: go(`/${slug}/groups/deleted`) },
    ...Object.entries(THEMES).map(([theme, icon]) => ({
      value: `theme ${theme}`,
      label: `${theme} theme`,
      icon,
      run: () => setTheme(theme.toLowerCase()),
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
