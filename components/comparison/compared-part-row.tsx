"use client";

import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import type { Compared } from "@/components/comparison/compare-page";
import { Legend, PartDifference } from "@/components/comparison/part-difference";
import { countChanges, isAlike, placeOf, wordsFor } from "@/components/comparison/part-words";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Chip } from "@/components/ui/chip";
import { cn } from "@/lib/browser/class-name";
import type { ComparedPart } from "@/lib/comparison/queries";

interface ComparedPartRowProps extends Compared {
  part: ComparedPart;
  isChosen: boolean;
  /** undefined where there is nothing to copy, or not by this member */
  onChoose: ((isOn: boolean) => void) | undefined;
}

/** A part of the settings: whether it differs, and how. */
export function ComparedPartRow({ part, here, there, isChosen, onChoose }: ComparedPartRowProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { title, hint } = wordsFor(part);
  const alike = isAlike(part);
  const place = placeOf(part);
  const count = countChanges(part);
  const says = {
    both: `${count} ${count === 1 ? "difference" : "differences"}`,
    here: `Only in ${here.name}`,
    there: `Only in ${there.name}`,
  };
  return (
    <li className="border-border border-b last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <label htmlFor={`${id}-box`} className="flex min-w-0 flex-1 basis-60 items-start gap-2.5">
          {onChoose ? (
            <Checkbox
              id={`${id}-box`}
              checked={isChosen}
              aria-label={title}
              onChange={(event) => onChoose(event.target.checked)}
              className="mt-0.5"
            />
          ) : (
            <span aria-hidden className="w-4 shrink-0 pointer-coarse:w-5" />
          )}
          <span className="flex min-w-0 flex-col">
            <span className="break-words font-medium">{title}</span>
            {hint && <span className="break-words text-text-muted text-xs">{hint}</span>}
          </span>
        </label>
        <div className="flex min-w-0 items-center gap-2 max-sm:pl-6.5">
          {alike ? (
            <span className="text-text-muted text-xs">The same</span>
          ) : (
            <>
              <Chip tone={place === "there" ? "plain" : "warning"} className="min-w-0">
                <span className="truncate">{says[place]}</span>
              </Chip>
              <Button
                variant="ghost"
                size="row"
                aria-expanded={isOpen}
                aria-controls={`${id}-difference`}
                aria-label={`Difference of ${title}`}
                onClick={() => setOpen(!isOpen)}
              >
                <ChevronRight aria-hidden className={cn("transition-transform duration-120", isOpen && "rotate-90")} />
              </Button>
            </>
          )}
        </div>
      </div>
      {!alike && isOpen && (
        <div
          id={`${id}-difference`}
          className="flex flex-col gap-3 border-border border-t bg-sunken px-4 py-3 sm:pl-10.5"
        >
          <Legend here={here} there={there} />
          <PartDifference part={part} here={here} there={there} />
          {place === "there" && (
            <p className="text-text-muted">It stays: copying deletes nothing that only {there.name} has.</p>
          )}
        </div>
      )}
    </li>
  );
}
