import { Plus } from "lucide-react";
import { type ReactNode, useId } from "react";
import { sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { FieldError } from "@/components/ui/field";

interface SheetProps {
  title: string;
  hint: string;
  /** of the rows */
  count: number;
  /** the label of the button that adds a row, and what it does; undefined for readers */
  add: { label: string; onClick: () => void } | undefined;
  /** a problem of all rows together */
  problem: string | undefined;
  children: ReactNode;
}

/** The frame of rows that are edited in place. */
export function Sheet({ title, hint, count, add, problem, children }: SheetProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div>
        <h2 id={id} className="font-semibold text-base">
          {title} {count > 0 && <span className="font-normal text-text-muted tabular-nums">{count}</span>}
        </h2>
        <p className="text-text-muted text-xs">{hint}</p>
      </div>
      <div className="overflow-hidden rounded-lg border border-border">
        {children}
        {add && (
          <Button
            icon={Plus}
            variant="ghost"
            className="h-9 w-full justify-start rounded-none px-3 font-normal"
            onClick={add.onClick}
          >
            {add.label}
          </Button>
        )}
      </div>
      <FieldError>{sentence(problem)}</FieldError>
    </section>
  );
}
