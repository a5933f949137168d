import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { copyText } from "@/components/copy-button";
import { EnvironmentDot } from "@/components/environments/environment-mark";
import { withFailureToast } from "@/components/failure";
import { WhoseToken } from "@/components/groups/found-by-token";
import { ModifierKey } from "@/components/modifier-key";
import { holdsToken } from "@/components/pasted-token";
import { type Command, useCommands } from "@/components/shell/use-commands";
import { announce } from "@/components/ui/announcer";
import { Kbd } from "@/components/ui/kbd";
import { toast } from "@/components/ui/toast";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { askToRevealToken } from "@/lib/groups/token-queries";

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
  const [hint, setHint] = useState<Hint>();
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
          className={cn(
            "fixed inset-x-0 top-[12vh] z-50 mx-auto flex max-h-[70dvh] w-[calc(100vw-32px)] max-w-xl animate-appear",
            "flex-col overflow-hidden rounded-xl border border-border bg-raised shadow-popup",
          )}
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
              setHint(item && (!item.isPlace ? "Run" : item.group ? "Open group" : "Open"));
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
                placeholder="Find a group, page or token"
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
            <Autocomplete.Empty className="break-words p-4 text-text-muted empty:hidden">
              {!isToken &&
                (commands.isSearching
                  ? "Searching…"
                  : `Nothing matches “${text.trim()}”. Try the name, the id or the team number of a group.`)}
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
                      <CommandItem key={command.value} command={command} onRun={() => run(command)} />
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          <KeyHints hint={hint} canCopy={canCopy} />
          <Dialog.Close className="sr-only">Close</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What Enter does with the highlighted item, if any. */
type Hint = "Open" | "Open group" | "Run" | undefined;

/** The keys, hidden from screen readers. */
function KeyHints({ hint, canCopy }: { hint: Hint; canCopy: boolean }) {
  return (
    <p
      aria-hidden
      className="flex gap-4 border-border border-t bg-sunken px-4 py-2 text-text-muted text-xs max-sm:hidden"
    >
      {hint && <KeyHint keys="↵">{hint}</KeyHint>}
      {hint === "Open group" && canCopy && (
        <KeyHint
          keys={
            <>
              <ModifierKey /> ↵
            </>
          }
        >
          Copy token
        </KeyHint>
      )}
      <KeyHint keys="Esc">Close</KeyHint>
    </p>
  );
}

function KeyHint({ keys, children }: { keys: ReactNode; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <Kbd>{keys}</Kbd> {children}
    </span>
  );
}

function CommandItem({ command, onRun }: { command: Command; onRun: () => void }) {
  const { label, note, group, icon: Icon, environment: place = group?.environment } = command;
  return (
    <Autocomplete.Item
      value={command}
      onClick={onRun}
      className={cn(
        "flex min-h-8 cursor-default items-center gap-2.5 rounded-md px-2 outline-none data-highlighted:bg-hover",
        "max-sm:py-1.5 pointer-coarse:min-h-10",
      )}
    >
      <span className="flex w-4 shrink-0 justify-center text-text-muted">
        {place ? <EnvironmentDot environment={place} /> : Icon && <Icon aria-hidden className="size-4" />}
      </span>
      <span className="flex min-w-0 flex-1 justify-between gap-x-4 max-sm:flex-col sm:items-center">
        <span className="break-words sm:truncate">{label}</span>
        {note && (
          <span className="flex min-w-0 gap-3 text-text-muted text-xs sm:max-w-1/2">
            <span className="truncate font-mono">{note}</span>
            {group && <span className="max-w-32 shrink-0 truncate">{group.environment.name}</span>}
          </span>
        )}
      </span>
    </Autocomplete.Item>
  );
}

/** Copies a group's token without opening its page. */
function copyToken(name: string, { environment, teamId }: NonNullable<Command["group"]>) {
  return withFailureToast("The token was not copied", async () => {
    await copyText(askToRevealToken(environment.slug, teamId, "copy"));
    toast({ title: `Copied the token of “${name}”` });
  });
}
