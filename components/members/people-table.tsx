import type { ReactNode } from "react";
import { cn } from "@/lib/class-name";

interface PeopleTableProps {
  label: string;
  busy?: boolean;
  columns: { name: string; className?: string }[];
  /** whether each row ends in what can be done with it */
  actions: boolean;
  children: ReactNode;
}

const HEAD = "border-border border-b px-3 font-medium";

/** Members or invitations: a table where there is room, cards where there is not. */
export function PeopleTable({ label, busy, columns, actions, children }: PeopleTableProps) {
  return (
    <table
      aria-label={label}
      aria-busy={busy}
      className="w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-md border border-border bg-surface max-md:block"
    >
      <thead className="max-md:sr-only">
        <tr className="h-9 text-left text-text-muted text-xs">
          {columns.map(({ name, className }) => (
            <th key={name} className={cn(HEAD, className)}>
              {name}
            </th>
          ))}
          {actions && (
            <th className={cn(HEAD, "w-28")}>
              <span className="sr-only">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody className="max-md:block">{children}</tbody>
    </table>
  );
}

/** A row, or a card of one line for the name, one for the email and one for the rest. */
export function PeopleRow({ children }: { children: ReactNode }) {
  return (
    <tr className="relative h-10 hover:bg-hover max-md:flex max-md:h-auto max-md:flex-wrap max-md:gap-x-3 max-md:gap-y-0.5 max-md:border-border max-md:border-b max-md:px-3 max-md:py-2.5 max-md:last:border-b-0 md:last:[&>*]:border-b-0">
      {children}
    </tr>
  );
}

interface CellProps {
  /** in a card it has a line of its own */
  line?: boolean;
  /** what stands before it in a card, where no column says so */
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
        "truncate border-border border-b px-3 max-md:border-0 max-md:p-0",
        line && "max-md:w-full",
        className,
      )}
    >
      {label && <span className="text-text-muted md:hidden">{label} </span>}
      {children}
    </td>
  );
}

/** Where a row's actions are; in a card its upper right corner. */
export function ActionCell({ children }: { children: ReactNode }) {
  return (
    <td className="border-border border-b pr-2 text-right max-md:absolute max-md:top-2 max-md:right-1 max-md:border-0">
      {children}
    </td>
  );
}
