import type { ChartNumber } from "@/components/chart-numbers";
import { CopyButton } from "@/components/copy-button";

interface NumbersTableProps {
  title: string;
  /** the heads of the two columns */
  columns: readonly [string, string];
  rows: ChartNumber[];
}

/** A chart's numbers, the newest in view, and a button that copies them for a spreadsheet. */
export function NumbersTable({ title, columns, rows }: NumbersTableProps) {
  const lines = rows.map(({ copied, value }) => `${copied}\t${value}`);
  return (
    <div className="-m-3 flex flex-col">
      <div className="flex items-center justify-between gap-3 border-border border-b py-2 pr-2 pl-3">
        <p className="min-w-0 break-words font-medium">{title}</p>
        <CopyButton what="numbers" text={[columns.join("\t"), ...lines].join("\n")} className="h-7! px-2!">
          Copy
        </CopyButton>
      </div>
      <section
        aria-label={title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        ref={scrollToEnd}
        className="max-h-64 overflow-y-auto overscroll-contain px-3 pb-1.5 outline-offset-[-2px]"
      >
        <table className="w-full text-left tabular-nums">
          <thead className="sticky top-0 bg-raised text-text-muted text-xs">
            <tr className="h-7">
              {columns.map((column) => (
                <th key={column} scope="col" className="font-medium last:text-right">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ shown, copied, value }) => (
              <tr key={copied} className="h-6">
                <th scope="row" className="font-normal text-text-secondary">
                  {shown}
                </th>
                <td className="text-right">{value.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function scrollToEnd(box: HTMLElement | null) {
  if (box) box.scrollTop = box.scrollHeight;
}
