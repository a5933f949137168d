"use client";

import { X } from "lucide-react";
import { type PropertyCondition, readCondition, wordsOf, writeCondition } from "@/components/groups/condition";
import { STATES, usedOf, viewOf } from "@/components/groups/list-state";
import type { useListState } from "@/components/groups/use-list-state";
import { Button } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";

export const filterParts = onDemand(() => import("@/components/groups/filter-editor"));
export const FilterEditor = filterParts.part("FilterEditor");

type State = ReturnType<typeof useListState>;

/** What narrows the list, apart from its tab and its search. */
export function filtersIn(list: State["list"]): string[] {
  const isView = viewOf(list) !== undefined;
  return [...(isView ? [] : [list.state, list.used].filter(Boolean)), ...list.filters];
}

/** The active filters, each with its parts. */
export function Filters({ list, setFilters, setState, setUsed }: State) {
  if (filtersIn(list).length === 0) return null;
  const isView = viewOf(list) !== undefined;
  const replace = (filter: string, by: string[]) =>
    void setFilters([...new Set(list.filters.flatMap((one) => (one === filter ? by : [one])))]);
  return (
    <ul aria-label="Filters" className="contents">
      {!isView && list.state !== "" && (
        <Chip words={["State", "is", labelIn(STATES, list.state)]} onRemove={() => void setState("")} />
      )}
      {!isView && list.used !== "" && <Chip words={[usedOf(list.used).label]} onRemove={() => void setUsed("")} />}
      {list.filters.map((filter) => {
        const condition = readCondition(filter);
        const { name, operator, value } = condition ? wordsOf(condition) : { name: filter, operator: "", value: "" };
        return (
          <Chip
            key={filter}
            words={[name, operator, value].filter((word) => word !== "")}
            onRemove={() => replace(filter, [])}
            condition={condition}
            onChange={(changed) => replace(filter, [writeCondition(changed)])}
          />
        );
      })}
    </ul>
  );
}

function labelIn(options: readonly { value: string; label: string }[], value: string): string {
  return options.find((one) => one.value === value)?.label ?? value;
}

interface ChipProps {
  words: string[];
  onRemove: () => void;
  /** a condition that can be changed */
  condition?: PropertyCondition | undefined;
  onChange?: (condition: PropertyCondition) => void;
}

const PART = "max-w-48 truncate border-border border-r px-2 leading-6.5 last:border-r-0";

/** An active filter, to be changed or removed. */
function Chip({ words, onRemove, condition, onChange }: ChipProps) {
  const label = words.join(" ");
  const parts = words.map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a filter's parts have places
    <span key={index} className={index === 1 ? `${PART} text-text-muted` : `${PART} font-medium`}>
      {word}{" "}
    </span>
  ));
  return (
    <li className="flex h-7 min-w-0 max-w-full items-center overflow-hidden rounded-md border border-border-strong text-xs pointer-coarse:h-control">
      {condition && onChange ? (
        <Popover
          needs={filterParts}
          button={{
            variant: "ghost",
            "aria-label": `Change filter ${label}`,
            className:
              "h-full! min-w-0 shrink! gap-0! rounded-none! px-0! font-normal! text-text! text-xs! focus-visible:-outline-offset-2",
            children: parts,
          }}
          title={`Filter ${label}`}
        >
          {(close) => <FilterEditor condition={condition} onApply={onChange} onClose={close} />}
        </Popover>
      ) : (
        <span className="flex min-w-0">{parts}</span>
      )}
      <Button
        variant="ghost"
        size="row"
        aria-label={`Remove filter ${label}`}
        onClick={onRemove}
        className="h-full! rounded-none! border-border border-l focus-visible:-outline-offset-2 [&_svg]:size-3.5!"
      >
        <X aria-hidden />
      </Button>
    </li>
  );
}
