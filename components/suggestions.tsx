import { type KeyboardEvent, useRef } from "react";
import { Kbd } from "@/components/ui/kbd";
import { cn } from "@/lib/browser/class-name";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";

export interface Suggestion {
  key: string;
  label: string;
  /** at the right, such as a share */
  note?: string;
  onChoose: () => void;
}

interface SuggestionsProps {
  label: string;
  suggestions: Suggestion[];
  /** Enter in the field takes the first */
  isFirstTaken?: boolean;
}

/** Values for a field, as buttons below it. The arrow keys move into them and back. */
export function Suggestions({ label, suggestions, isFirstTaken = false }: SuggestionsProps) {
  const list = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    event.preventDefault();
    const next = buttons[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) next.focus();
    else if (event.key === "ArrowUp") fieldOf(list.current)?.focus();
  };
  if (suggestions.length === 0) return null;
  return (
    <ul
      ref={list}
      aria-label={label}
      onKeyDown={move}
      className="-mx-1 max-h-64 overflow-y-auto pointer-coarse:max-h-60"
    >
      {suggestions.map(({ key, label: text, note, onChoose }, at) => (
        <li key={key}>
          <button
            type="button"
            onClick={onChoose}
            className={cn(
              "flex min-h-8 w-full items-center gap-3 rounded px-2 text-left",
              "hover:bg-hover focus-visible:-outline-offset-2 pointer-coarse:min-h-10",
              isFirstTaken && at === 0 && "in-[form:has(input:focus)]:bg-hover",
            )}
          >
            <span className="mr-auto min-w-0 truncate not-last:max-w-3/4 not-last:shrink-0">{text}</span>
            {note && <span className="min-w-0 truncate text-text-muted text-xs tabular-nums">{note}</span>}
            {isFirstTaken && at === 0 && (
              <span aria-hidden className="in-[form:not(:has(input:focus))]:hidden">
                <Kbd>↵</Kbd>
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The last field before the list. */
function fieldOf(list: HTMLElement | null): HTMLElement | undefined {
  return [...(list?.closest("form")?.querySelectorAll<HTMLElement>("input:not([type=radio])") ?? [])]
    .filter((field) => list && field.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING)
    .at(-1);
}

/** Key handler for a field: the down arrow moves into its suggestions. */
export function leadIntoSuggestions(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key !== "ArrowDown") return;
  const first = [...(event.currentTarget.form?.querySelectorAll<HTMLElement>("ul button") ?? [])].find(
    (button) => event.currentTarget.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  if (!first) return;
  event.preventDefault();
  first.focus();
}

interface PropertiesAsked {
  /** part of the names to find */
  part: string;
  most: number;
  onChoose: (name: string) => void;
}

/** Properties that groups have, by part of their names. */
export function suggestedProperties(summary: SummaryAnswer | undefined, asked: PropertiesAsked): Suggestion[] {
  const { part, most, onChoose } = asked;
  return (summary?.properties ?? [])
    .filter(({ name }) => name.toLowerCase().includes(part.trim().toLowerCase()))
    .slice(0, most)
    .map(({ name, groups }) => ({
      key: `property:${name}`,
      label: name,
      note: shareOf(groups, summary?.sampled ?? 0),
      onChoose: () => onChoose(name),
    }));
}

/** "57%"; small shares are "< 1%", not "0%". */
export function shareOf(part: number, all: number): string {
  const percent = all === 0 ? 0 : (100 * part) / all;
  return percent > 0 && percent < 1 ? "< 1%" : `${Math.round(percent)}%`;
}
