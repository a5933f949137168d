import type { ReactNode } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/lib/browser/class-name";

interface TableProps {
  label: string;
  columns: { name: string; className?: string }[];
  /** whether rows have actions; space for them is always reserved, as the role is known late */
  hasActions: boolean;
  /** undefined while loading */
  rows: ReactNode[] | undefined;
}

const HEAD = "border-border border-b px-3 font-medium";

/** A table, or cards where space is short. */
export function Table({ label, columns, hasActions, rows }: TableProps) {
  if (!rows) return <Skeleton className="h-40 rounded-xl" />;
  return (
    // A container query: the page's width decides, not the window's.
    <div className="@container">
      <table
        aria-label={label}
        className={cn(
          "w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-xl border border-border",
          "@max-4xl:block",
        )}
      >
        <thead className="@max-4xl:sr-only">
          <tr className="h-9 text-left text-text-muted text-xs">
            {columns.map(({ name, className }) => (
              <th key={name} className={cn(HEAD, className)}>
                {name}
              </th>
            ))}
            {hasActions ? (
              <th className={cn(HEAD, "w-11")}>
                <span className="sr-only">Actions</span>
              </th>
            ) : (
              <td className={cn(HEAD, "w-11")} />
            )}
          </tr>
        </thead>
        <tbody className="@max-4xl:block">{rows}</tbody>
      </table>
    </div>
  );
}

/** A row, or a card with the cells as lines. */
export function TableRow({ children }: { children: ReactNode }) {
  return (
    <tr
      className={cn(
        "relative h-10 transition-colors hover:bg-hover",
        "@max-4xl:flex @max-4xl:h-auto @max-4xl:flex-wrap @max-4xl:gap-x-4 @max-4xl:gap-y-0.5 @max-4xl:border-border",
        "@max-4xl:border-b @max-4xl:px-3 @max-4xl:py-2.5 @max-4xl:last:border-b-0 @4xl:last:[&>*]:border-b-0",
      )}
    >
      {children}
    </tr>
  );
}

interface CellProps {
  /** in a card, the cell has its own line */
  line?: boolean;
  /** shown before the cell in a card, which has no column heads */
  label?: string;
  className?: string;
  title?: string;
  children: ReactNode;
}

export function Cell({ line = false, label, className, title, children }: CellProps) {
  return (
    <td
      title={title}
      className={cn(
        "truncate border-border border-b px-3 @max-4xl:max-w-full @max-4xl:border-0 @max-4xl:p-0",
        line && "@max-4xl:w-full",
        className,
      )}
    >
      {label && <span className="text-text-muted @4xl:hidden">{label} </span>}
      {children}
    </td>
  );
}

/** A row's actions, if any; in a card at the top right. */
export function ActionCell({ children }: { children?: ReactNode }) {
  return (
    <td className="border-border border-b pr-2 text-right @max-4xl:absolute @max-4xl:top-2 @max-4xl:right-1 @max-4xl:border-0">
      {children}
    </td>
  );
}
