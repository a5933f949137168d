import type { ReactNode } from "react";
import { cn } from "@/lib/class-name";

interface PeopleTableProps {
  label: string;
  busy?: boolean;
  columns: { name: string; className?: string }[];
  /** how wide what can be done with a row is; undefined where nothing can be */
  actions: "w-12" | "w-28" | undefined;
  children: ReactNode;
}

const HEAD = "border-border border-b px-3 font-medium";

/** Members or invitations: a table where there is room, cards where there is not. */
export function PeopleTable({ label, busy, columns, actions, children }: PeopleTableProps) {
  return (
    <div className="@container">
      <table
        aria-label={label}
        aria-busy={busy}
        className="w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-md border border-border bg-surface @max-4xl:block"
      >
        <thead className="@max-4xl:sr-only">
          <tr className="h-9 text-left text-text-muted text-xs">
            {columns.map(({ name, className }) => (
              <th key={name} className={cn(HEAD, className)}>
                {name}
              </th>
            ))}
            {actions && (
              <th className={cn(HEAD, actions)}>
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody className="@max-4xl:block">{children}</tbody>
      </table>
    </div>
  );
}

/** A row, or a card of one line for the name, one for the email and one for the rest. */
export function PeopleRow({ children }: { children: ReactNode }) {
  return (
    <tr className="relative h-10 hover:bg-hover @max-4xl:flex @max-4xl:h-auto @max-4xl:flex-wrap @max-4xl:gap-x-3 @max-4xl:gap-y-0.5 @max-4xl:border-border @max-4xl:border-b @max-4xl:px-3 @max-4xl:py-2.5 @max-4xl:last:border-b-0 @4xl:last:[&>*]:border-b-0">
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
        "truncate border-border border-b px-3 @max-4xl:border-0 @max-4xl:p-0",
        line && "@max-4xl:w-full",
        className,
      )}
    >
      {label && <span className="text-text-muted @4xl:hidden">{label} </span>}
      {children}
    </td>
  );
}

/** Where a row's actions are; in a card its upper right corner. */
export function ActionCell({ children }: { children: ReactNode }) {
  return (
    <td className="border-border border-b pr-2 text-right @max-4xl:absolute @max-4xl:top-2 @max-4xl:right-1 @max-4xl:border-0">
      {children}
    </td>
  );
}
