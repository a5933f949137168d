"use client";

import { ArrowDownUp, Clock, ListFilter, Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { FilterPopover } from "@/components/filter-popover";
import { ExportMenu } from "@/components/groups/export-menu";
import { FoundByToken } from "@/components/groups/found-by-token";
import { SORTS, STATES, USES, usedOf } from "@/components/groups/list-state";
import { holdsToken, holdsWholeToken } from "@/components/groups/pasted-token";
import type { useListState } from "@/components/groups/use-list-state";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { cn } from "@/lib/browser/class-name";

/** Search debounce, in milliseconds. */
const PAUSE_MS = 150;

type ListToolbarProps = Pick<
  ReturnType<typeof useListState>,
  "list" | "setSearch" | "setFilters" | "setState" | "setUsed" | "setSort"
>;

export function ListToolbar({ list, setSearch, setFilters, setState, setUsed, setSort }: ListToolbarProps) {
  const options = SORTS.map(({ value, label }) => ({ value, label }));
  const current = SORTS.find(({ value }) => value === list.sort) ?? SORTS[0];
  return (
    <div className="flex flex-col gap-2 pb-3">
      <fieldset className="mb-1 flex gap-4 overflow-x-auto border-border border-b">
        <legend className="sr-only">State</legend>
        {STATES.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={list.state === value}
            onClick={() => setState(value)}
            className="-mb-px h-10 min-w-8 shrink-0 border-transparent border-b-2 font-medium text-text-muted hover:text-text focus-visible:-outline-offset-2 aria-pressed:border-accent aria-pressed:text-text forced-colors:border-b-0 forced-colors:aria-pressed:border-b-4"
          >
            {label}
          </button>
        ))}
      </fieldset>
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox search={list.search} onSearch={setSearch} />
        <AddFilter onAdd={(filter) => setFilters([...list.filters.filter((one) => one !== filter), filter])} />
        <Menu
          align="end"
          button={{
            children: (
              <>
                <Clock aria-hidden className="text-text-muted" />
                Last used
              </>
            ),
          }}
        >
          <MenuChoice label="Last used" value={list.used} onChange={setUsed} options={USES} />
        </Menu>
        <Menu
          align="end"
          button={{
            "aria-label": `Sort: ${current.label}`,
            children: (
              <>
                <ArrowDownUp aria-hidden className="text-text-muted" />
                {current.label}
              </>
            ),
          }}
        >
          <MenuChoice label="Sort" value={current.value} onChange={setSort} options={options} />
        </Menu>
        <ExportMenu list={list} />
      </div>
      {(list.filters.length > 0 || list.state !== "" || list.used !== "") && (
        <ul aria-label="Filters" className="flex flex-wrap gap-2">
          {list.state !== "" && (
            <Chip
              label={STATES.find(({ value }) => value === list.state)?.label ?? list.state}
              onRemove={() => setState("")}
            />
          )}
          {list.used !== "" && <Chip label={usedOf(list.used).label} onRemove={() => setUsed("")} />}
          {list.filters.map((filter) => (
            <Chip
              key={filter}
              label={filter}
              isCode
              onRemove={() => setFilters(list.filters.filter((one) => one !== filter))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface ChipProps {
  label: string;
  isCode?: boolean;
  onRemove: () => void;
}

/** An active filter and its remove button. */
function Chip({ label, isCode = false, onRemove }: ChipProps) {
  return (
    <li className="flex items-center gap-1 rounded-md border border-border bg-surface pl-2">
      <span className={cn("max-w-64 truncate text-xs", isCode && "font-mono")}>{label}</span>
      <Button variant="ghost" size="row" aria-label={`Remove filter ${label}`} onClick={onRemove}>
        <X aria-hidden />
      </Button>
    </li>
  );
}

function SearchBox({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(search);
  const [known, setKnown] = useState(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back and forward change only the URL.
  if (search !== known) {
    setKnown(search);
    setText(search);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    // A token must never enter the URL: it is looked up separately.
    if (holdsToken(next)) return;
    timer.current = setTimeout(() => {
      setKnown(next.trim());
      // Even an equal one would rewrite the URL, of a page that the browser may be leaving.
      if (next.trim() !== search) onSearch(next.trim());
    }, PAUSE_MS);
  };
  return (
    <div className="relative min-w-0 grow basis-64 sm:max-w-96">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-text-muted"
      />
      <Input
        type="search"
        value={text}
        onChange={(event) => type(event.target.value)}
        placeholder="Search name, id or paste a token"
        aria-label="Search by name, id or token"
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        className="pl-8"
      />
      {holdsToken(text) && <FoundByToken text={text} />}
    </div>
  );
}

function AddFilter({ onAdd }: { onAdd: (filter: string) => void }) {
  const add = (fields: FormData) => {
    const value = String(fields.get("value")).trim();
    onAdd(`${quoted(String(fields.get("property")).trim())} = ${value.startsWith('"') ? value : quoted(value)}`);
  };
  const label = (
    <>
      <ListFilter aria-hidden className="text-text-muted" />
      Filter
    </>
  );
  return (
    <FilterPopover
      button={{ children: label }}
      title="Filter by a property"
      action="Add filter"
      check={(fields) =>
        [...fields.values()].some((value) => holdsWholeToken(String(value)))
          ? "Filters appear in the URL, so they can’t contain tokens. Use search instead."
          : undefined
      }
      onSubmit={add}
    >
      <Field label="Property">
        {(control) => <Input {...control} name="property" required placeholder="plan" className="font-mono" />}
      </Field>
      <Field label="Value" hint="Text, a number, true, false or null. Quotes make it text.">
        {(control) => <Input {...control} name="value" required placeholder="pro" className="font-mono" />}
      </Field>
    </FilterPopover>
  );
}

/** Quotes text that clashes with the filter syntax. */
function quoted(text: string): string {
  return /[,="]/.test(text) ? JSON.stringify(text) : text;
}
