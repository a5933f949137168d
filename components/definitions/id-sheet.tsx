import { X } from "lucide-react";
import { type MouseEventHandler, useId, useState } from "react";
import { nextKey } from "@/components/definitions/draft";
import { issuesByName } from "@/components/definitions/problems";
import { Sheet, thenFocusAdd } from "@/components/definitions/sheet";
import { sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { cn } from "@/lib/browser/class-name";
import type { FieldIssue } from "@/lib/errors";

export interface IdColumn<Row> {
  name: Extract<Exclude<keyof Row, "key">, string>;
  label: string;
  isCode?: boolean;
}

interface IdSheetProps<Row extends { key: number; id: string; isKept?: boolean | undefined }> {
  title: string;
  hint: string;
  /** the button's label */
  add: string;
  columns: IdColumn<Row>[];
  /** class with the columns' widths, and 34 px for the button */
  widths: string;
  rows: Row[];
  blank: Omit<Row, "key">;
  onChange: (change: (rows: Row[]) => Row[]) => void;
  issues: FieldIssue[];
  readOnly: boolean;
}

/** How many rows are added at a time: thousands together would take seconds to appear. */
const PORTION = 100;

const CELL = cn(
  "block h-9 w-full min-w-0 bg-transparent px-3 text-sm text-text -outline-offset-2!",
  "placeholder:text-text-muted aria-invalid:bg-danger/8 sm:placeholder:text-transparent pointer-coarse:h-10",
);

/** Rows with an id and a few texts or ticks, edited in place. */
export function IdSheet<Row extends { key: number; id: string; isKept?: boolean | undefined }>(
  props: IdSheetProps<Row>,
) {
  const { title, hint, add, columns, widths, rows, blank, onChange, issues, readOnly } = props;
  const [shown, setShown] = useState(PORTION);
  const byId = issuesByName(issues);
  const grid = cn("grid grid-cols-[minmax(0,1fr)_34px] [&>:not(:last-child)]:sm:border-r", widths);
  const hidden = rows.slice(shown).filter(({ isKept, id }) => !isKept && !byId.has(id));
  const visible = rows.filter((row) => !hidden.includes(row));
  const addRow = () => onChange((now) => [...now, { ...blank, key: nextKey(now), isKept: true } as Row]);
  return (
    <Sheet
      title={title}
      hint={hint}
      count={rows.length}
      heads={[...columns.map(({ label }) => label), ""]}
      grid={cn(grid, "[&>*]:border-border [&>*]:px-3")}
      none={readOnly ? "None are defined." : undefined}
      add={readOnly ? undefined : { label: add, onClick: addRow }}
      problem={byId.get(undefined)?.[0]?.message}
      more={
        hidden.length > 0 && (
          <Button variant="ghost" size="small" className="m-1.5" onClick={() => setShown(shown + PORTION)}>
            Show {Math.min(PORTION, hidden.length)} more of {hidden.length} hidden rows
          </Button>
        )
      }
    >
      {visible.map((row, index) => (
        <SheetRow
          key={row.key}
          row={row}
          grid={grid}
          columns={columns}
          readOnly={readOnly}
          number={index + 1}
          issues={byId.get(row.id) ?? []}
          onEdit={(fields) =>
            onChange((now) => now.map((one) => (one.key === row.key ? { ...one, ...fields, isKept: true } : one)))
          }
          onRemove={thenFocusAdd(() => onChange((now) => now.filter(({ key }) => key !== row.key)))}
        />
      ))}
    </Sheet>
  );
}

interface SheetRowProps<Row> {
  row: Row;
  number: number;
  grid: string;
  columns: IdColumn<Row>[];
  issues: FieldIssue[];
  readOnly: boolean;
  onEdit: (fields: Partial<Row>) => void;
  onRemove: MouseEventHandler;
}

function SheetRow<Row>({ row, number, grid, columns, issues, readOnly, onEdit, onRemove }: SheetRowProps<Row>) {
  const id = useId();
  return (
    <li
      className={cn(
        grid,
        "group border-border border-b [contain-intrinsic-size:auto_37px] [content-visibility:auto] max-sm:py-1",
      )}
    >
      {columns.map(({ name, label, isCode }, index) => {
        const value = row[name];
        const message = issues.find(({ path }) => (path[2] ?? "id") === name)?.message;
        const common = {
          "aria-label": `${label}, row ${number}`,
          "aria-invalid": message !== undefined,
          ...(message !== undefined && { "aria-describedby": `${id}-${name}` }),
        };
        return typeof value === "boolean" ? (
          <div key={name} className="flex items-center gap-2 border-border px-3 max-sm:col-start-1 max-sm:h-9">
            <Checkbox
              {...common}
              checked={value}
              disabled={readOnly}
              onChange={({ target }) => onEdit({ [name]: target.checked } as Partial<Row>)}
            />
            <span aria-hidden className="text-text-muted text-xs sm:hidden">
              {label}
            </span>
          </div>
        ) : (
          <input
            key={name}
            {...common}
            // biome-ignore lint/a11y/noAutofocus: a row that was just added
            autoFocus={index === 0 && value === ""}
            value={String(value)}
            placeholder={label}
            readOnly={readOnly}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onEdit({ [name]: target.value } as Partial<Row>)}
            className={cn(CELL, "border-border max-sm:col-start-1", isCode && "font-mono")}
          />
        );
      })}
      {!readOnly && (
        <button
          type="button"
          aria-label={`Remove row ${number}`}
          title={`Remove row ${number}`}
          onClick={onRemove}
          className={cn(
            "flex min-h-9 items-center justify-center border-r-0! text-text-muted opacity-0 -outline-offset-2!",
            "hover:bg-hover hover:text-text focus-visible:opacity-100 group-focus-within:opacity-100",
            "group-hover:opacity-100 max-sm:col-start-2 max-sm:row-start-1 pointer-coarse:opacity-100",
          )}
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
      {issues.map(({ path, message }) => (
        <p
          key={`${path.join()} ${message}`}
          id={`${id}-${path[2] ?? "id"}`}
          className="col-span-full border-0! px-3 pb-1.5 text-danger text-xs"
        >
          {sentence(message)}
        </p>
      ))}
    </li>
  );
}
