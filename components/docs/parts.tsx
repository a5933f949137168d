import type { ReactNode } from "react";
import { Words } from "@/components/docs/prose";

interface SectionProps {
  id: string;
  title: string;
  /** words in backticks are code */
  intro: string;
  children: ReactNode;
}

export function Section({ id, title, intro, children }: SectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="flex scroll-mt-16 flex-col gap-4 border-border border-t pt-8"
    >
      <h2 id={`${id}-title`} className="font-semibold text-lg">
        {title}
      </h2>
      <p className="max-w-180 text-base">
        <Words text={intro} />
      </p>
      {children}
    </section>
  );
}

interface RowsProps {
  label: string;
  columns: string[];
  /** words in backticks are code */
  rows: string[][];
}

/** A table, or cards on narrow screens. */
export function Rows({ label, columns, rows }: RowsProps) {
  return (
    <table aria-label={label} className="w-full max-w-240 border-collapse text-left align-top max-sm:block">
      <thead className="max-sm:sr-only">
        <tr className="border-border border-b text-text-muted text-xs">
          {columns.map((column) => (
            <th key={column} className="py-2 pr-4 font-medium">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((cells) => (
          <tr key={cells.join()} className="border-border border-b align-top max-sm:block max-sm:py-2">
            {cells.map((cell, index) => (
              <td
                key={columns[index]}
                className="py-2 pr-4 max-sm:inline-block max-sm:p-0 max-sm:py-0.5 max-sm:pr-2 max-sm:last:block"
              >
                <Words text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
