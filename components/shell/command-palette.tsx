"use client";

import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useEffect, useState } from "react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { WhoseToken } from "@/components/groups/found-by-token";
import { holdsToken } from "@/components/groups/pasted-token";
import { leave } from "@/components/leave-guard";
import { useCanWrite } from "@/components/members/use-member";
import { API_REFERENCE, PAGES } from "@/components/shell/navigation";
import { announce } from "@/components/ui/announcer";
import { ALL_GROUPS, groupListQuery } from "@/lib/groups/queries";
import { sessionQuery } from "@/lib/members/queries";

const GROUPS_OFFERED = 8;

interface Command {
  value: string;
  label: string;
  /** distinguishes equal labels */
  note?: string;
  run: () => void;
}

interface CommandPaletteProps {
  onClose: () => void;
  onShortcuts: () => void;
}

/** Finds groups, environments, pages and actions by a few letters. */
export function CommandPalette({ onClose, onShortcuts }: CommandPaletteProps) {
  const [text, setText] = useState("");
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
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          aria-label="Search and commands"
          className="fixed inset-x-0 top-[12vh] z-50 mx-auto flex max-h-[70dvh] w-[calc(100vw-32px)] max-w-xl animate-appear flex-col overflow-hidden rounded-lg border border-border bg-raised shadow-popup"
        >
          <Autocomplete.Root
            open
            inline
            items={sections}
            filter={null}
            autoHighlight="always"
            keepHighlight
            value={text}
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
                        className="flex min-h-8 cursor-default items-center justify-between gap-4 rounded px-2 outline-none data-highlighted:bg-hover pointer-coarse:min-h-10"
                      >
                        <span className="truncate">{command.label}</span>
                        {command.note && (
                          <span className="max-w-1/2 truncate font-mono text-text-muted text-xs">{command.note}</span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          <Dialog.Close className="sr-only">Close</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useCommands(text: string, onShortcuts: () => void) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const canWrite = useCanWrite();
  const { setTheme } = useTheme();
  const { data: session } = useQuery(sessionQuery);
  const search = text.trim();
  const {
    data: list,
    isPlaceholderData,
    isFetching,
  } = useQuery({
    ...groupListQuery(slug, { ...ALL_GROUPS, search }),
    enabled: search !== "" && !holdsToken(search),
    placeholderData: keepPreviousData,
  });
  const go = (href: string) => () => leave(() => router.push(href));
  const contains = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  // Earlier results stay only if they still match: Enter takes the first.
  const found = (list?.groups ?? []).filter(
    ({ name, providedId }) => search !== "" && (!isPlaceholderData || contains(name) || contains(providedId)),
  );
  const groups = found.slice(0, GROUPS_OFFERED).map(({ teamId, name, providedId }) => ({
    value: `group ${teamId}`,
    label: name,
    note: providedId,
    run: go(`/${slug}/groups/${teamId}`),
  }));
  const pages = [...PAGES.map(({ path, label }) => ({ path: `/${slug}/${path}`, label })), API_REFERENCE].map(
    ({ path, label }) => ({ value: path, label, run: go(path) }),
  );
  const environments = (session?.environments ?? [])
    .filter((one) => one.slug !== slug)
    .map((one) => ({
      value: `environment ${one.slug}`,
      label: `Switch to ${one.name}`,
      note: one.tag,
      run: go(`/${one.slug}/groups`),
    }));
  const actions: Command[] = [
    ...(canWrite ? [{ value: "new", label: "New user group", note: "n", run: go(`/${slug}/groups/new`) }] : []),
    ...["Light", "Dark", "System"].map((theme) => ({
      value: `theme ${theme}`,
      label: `${theme} theme`,
      run: () => setTheme(theme.toLowerCase()),
    })),
    { value: "shortcuts", label: "Keyboard shortcuts", note: "?", run: onShortcuts },
  ];
  const fits = ({ label }: Command) => contains(label);
  const sections = [
    { value: "User groups", items: groups },
    { value: "Pages", items: pages.filter(fits) },
    { value: "Actions", items: actions.filter(fits) },
    { value: "Environments", items: environments.filter(fits) },
  ].filter(({ items }) => items.length > 0);
  return { sections, isSearching: search !== "" && isFetching };
}
