import { FilterChip } from "@/components/filter-chip";
import { readCondition, wordsOf, writeCondition } from "@/components/groups/condition";
import { wordsOfFilter } from "@/components/groups/finding-words";
import { STATES, usedOf, viewOf } from "@/components/groups/list-state";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { onDemand } from "@/components/ui/on-demand";

export const filterParts = onDemand(() => import("@/components/groups/filter-editor"));
const FilterEditor = filterParts.part("FilterEditor");
export const NewFilter = filterParts.part("NewFilter");

/** The list's filters, apart from its tab and its search. */
export function filtersIn(list: ListInUrl["list"]): string[] {
  const isView = viewOf(list) !== undefined;
  return [...(isView ? [] : [list.state, list.used]), ...list.filters].filter((one) => one !== "");
}

/** The active filters, each with its parts. */
export function Filters({ list, show }: ListInUrl) {
  if (filtersIn(list).length === 0) return null;
  const isView = viewOf(list) !== undefined;
  const replace = (filter: string, by: string[]) =>
    void show({ filters: [...new Set(list.filters.flatMap((one) => (one === filter ? by : [one])))] });
  return (
    <ul aria-label="Filters" className="contents">
      {!isView && list.state !== "" && (
        <FilterChip words={["State", "is", labelIn(STATES, list.state)]} onRemove={() => void show({ state: "" })} />
      )}
      {!isView && list.used !== "" && (
        <FilterChip words={[usedOf(list.used).label]} onRemove={() => void show({ used: "" })} />
      )}
      {list.filters.map((filter, at) => {
        const condition = readCondition(filter);
        const words = condition ? Object.values(wordsOf(condition)) : (wordsOfFilter(filter) ?? [filter]);
        return (
          <FilterChip
            // biome-ignore lint/suspicious/noArrayIndexKey: a changed filter keeps its chip, and so the focus
            key={at}
            words={words.filter((word) => word !== "")}
            onRemove={() => replace(filter, [])}
            needs={filterParts}
            editor={
              condition &&
              ((close) => (
                <FilterEditor
                  key={filter}
                  condition={condition}
                  onApply={(changed) => replace(filter, [writeCondition(changed)])}
                  onClose={close}
                />
              ))
            }
          />
        );
      })}
    </ul>
  );
}

function labelIn(options: readonly { value: string; label: string }[], value: string): string {
  return options.find((one) => one.value === value)?.label ?? value;
}
