import { Plus } from "lucide-react";
import { type MouseEvent, type ReactNode, useId } from "react";
import { sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { FieldError } from "@/components/ui/field";
import { cn } from "@/lib/browser/class-name";

interface SheetProps {
  title: string;
  hint: string;
  /** the column heads; `grid` has the classes of their grid */
  heads: string[];
  grid: string;
  /** shown in place of rows */
  none: string | undefined;
  /** number of rows */
  count: number;
  /** the button that adds a row; undefined for readers */
  add: { label: string; onClick: () => void } | undefined;
  /** a problem with the rows as a whole */
  problem: string | undefined;
  /** the rows shown */
  children: ReactNode;
  /** shown after the rows */
  more?: ReactNode;
}

/** A frame with rows that are edited in place. */
export function Sheet({ title, hint, heads, grid, none, count, add, problem, children, more }: SheetProps) {
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
        {count > 0 && (
          <div aria-hidden className={cn(grid, HEAD)}>
            {heads.map((head) => (
              <span key={head}>{head}</span>
            ))}
          </div>
        )}
        {count === 0 && none && <p className="px-3 py-2.5 text-text-muted">{none}</p>}
        {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
        <ul role="list" className={add ? undefined : "[&>:last-child]:border-b-0"}>
          {children}
        </ul>
        {more}
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

/** A removed row takes its focused button away. */
export const thenFocusAdd = (remove: () => void) => (event: MouseEvent) => {
  event.currentTarget
    .closest("section")
    ?.querySelector<HTMLElement>(":scope > div > button:last-child")
    ?.focus({ preventScroll: event.detail > 0 });
  remove();
};

const HEAD = "border-border border-b bg-sunken font-medium text-text-muted text-xs leading-7.5 max-sm:hidden";
