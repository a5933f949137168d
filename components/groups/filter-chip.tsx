import { X } from "lucide-react";
import type { PropertyCondition } from "@/components/groups/condition";
import { Button } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { cn } from "@/lib/browser/class-name";

export const filterParts = onDemand(() => import("@/components/groups/filter-editor"));
export const FilterEditor = filterParts.part("FilterEditor");

interface FilterChipProps {
  words: string[];
  onRemove: () => void;
  /** a condition that can be changed */
  condition?: PropertyCondition | undefined;
  onChange?: (condition: PropertyCondition) => void;
}

const PART = "max-w-48 truncate border-border border-r px-2 leading-6.5 last:border-r-0";

/** An active filter, to be changed or removed. */
export function FilterChip({ words, onRemove, condition, onChange }: FilterChipProps) {
  const label = words.join(" ");
  const parts = words.map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a filter's parts have places
    <span key={index} className={index === 1 ? `${PART} text-text-muted` : `${PART} font-medium`}>
      {word}{" "}
    </span>
  ));
  return (
    <li
      className={cn(
        "flex h-7 min-w-0 max-w-full items-center overflow-hidden rounded-md border border-border-strong text-xs",
        "pointer-coarse:h-control",
      )}
    >
      {condition && onChange ? (
        <Popover
          needs={filterParts}
          button={{
            variant: "ghost",
            "aria-label": `Change filter ${label}`,
            className: cn(
              "h-full! min-w-0 shrink! gap-0! rounded-none! px-0! font-normal! text-text! text-xs!",
              "focus-visible:-outline-offset-2",
            ),
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
        icon={X}
        variant="ghost"
        size="row"
        aria-label={`Remove filter ${label}`}
        onClick={onRemove}
        className="h-full! rounded-none! border-border border-l focus-visible:-outline-offset-2 [&_svg]:size-3.5!"
      />
    </li>
  );
}
