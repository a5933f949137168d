import { ArrowRight } from "lucide-react";
import { type ReactNode, type RefCallback, useId, useMemo } from "react";
import { type ColumnMapping, keepTarget, mappingProblem } from "@/components/jobs/column-mapping";
import { rows } from "@/components/jobs/words";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { FieldError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { CELL_NOUNS, type CellType } from "@/lib/jobs/cell-fault";
import { type ColumnTarget, cellIn, type ForeignColumn, type ForeignTable, literalOf } from "@/lib/jobs/foreign-table";
import { excerpt } from "@/lib/json/excerpt";

const FIELDS: { value: ColumnTarget["to"]; label: string }[] = [
  { value: "id", label: "User group id" },
  { value: "name", label: "Name" },
  { value: "property", label: "Property" },
  { value: "schema", label: "Mapping" },
  { value: "nothing", label: "Ignore" },
];
const TYPES: { value: CellType; label: string }[] = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "True or false" },
  { value: "json", label: "JSON" },
];
const BLANK = [
  { value: "keep", label: "Keep the value" },
  { value: "remove", label: "Remove the value" },
] as const;

interface MapColumnsProps {
  mapping: ColumnMapping;
  onChange: (mapping: ColumnMapping) => void;
  onCheck: () => void;
  onOther: () => void;
  /** gets the focus if sending the file failed */
  control: RefCallback<HTMLElement>;
  children: ReactNode;
}

/** Chooses a target for each column of a table. */
export function MapColumns({ mapping, onChange, onCheck, onOther, control, children }: MapColumnsProps) {
  const id = useId();
  const slug = useEnvironmentSlug();
  const { table, known, targets, removesBlank } = mapping;
  const problem = mappingProblem(targets);
  const change = (at: number, target: ColumnTarget) => {
    keepTarget(slug, table.columns[at]?.name ?? "", target);
    onChange({ ...mapping, targets: targets.with(at, target) });
  };
  return (
    <>
      <PageHeader
        title="Import user groups"
        note={[table.name, rows(table.rows.length), ...(table.encoding === "UTF-8" ? [] : [table.encoding])].join(
          " · ",
        )}
        actions={
          <>
            <Button onClick={onOther}>Choose another file</Button>
            <Button ref={control} variant="primary" disabled={!!problem} onClick={onCheck}>
              Check {rows(table.rows.length)}
            </Button>
          </>
        }
        isAtHand
      />
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div ref={takeFocus} tabIndex={-1} className="rounded-sm">
            <h2 className="inline font-semibold text-base">
              Columns <span className="font-normal text-text-muted tabular-nums">{table.columns.length}</span>
            </h2>{" "}
            <span className="text-text-muted text-xs">
              Guessed from names and values. This browser keeps your choices for the next file.
            </span>
            <FieldError>{problem}</FieldError>
          </div>
          <div className="flex items-center gap-2">
            <span aria-hidden className="text-text-muted text-xs">
              Empty cells
            </span>
            <Select
              label="Empty cells"
              value={removesBlank ? "remove" : "keep"}
              onChange={(value) => onChange({ ...mapping, removesBlank: value === "remove" })}
              options={[...BLANK]}
            />
          </div>
        </div>
        <div className="@container">
          <ul aria-label="Columns" className="overflow-hidden rounded-xl border border-border bg-surface">
            <li
              aria-hidden
              className={cn(LINE, "h-9 items-center bg-sunken font-medium text-text-muted text-xs @max-4xl:hidden")}
            >
              <span>In the file</span>
              <span>First values</span>
              <span />
              <span>Becomes</span>
              <span />
            </li>
            {table.columns.map((column, at) => (
              <Column
                key={column.index}
                table={table}
                column={column}
                id={id}
                schemas={known.schemas}
                target={targets[at] as ColumnTarget}
                onChange={(target) => {
                  const isKnown = target.to === "property" && target.key !== targets[at]?.key;
                  const type = isKnown && known.properties.get(target.key);
                  change(at, type ? { ...target, type } : target);
                }}
              />
            ))}
          </ul>
        </div>
        <datalist id={`${id}-property`}>
          {[...known.properties.keys()].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <datalist id={`${id}-schema`}>
          {[...known.schemas].map(([schema, name]) => (
            <option key={schema} value={schema}>
              {name}
            </option>
          ))}
        </datalist>
        {children}
      </div>
    </>
  );
}

const LINE = cn(
  "grid gap-x-4 gap-y-1.5 border-border border-b px-3 last:border-b-0",
  "@max-4xl:grid-cols-2 @4xl:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)_16px_448px_minmax(0,1fr)]",
);

interface ColumnProps {
  table: ForeignTable;
  column: ForeignColumn;
  target: ColumnTarget;
  onChange: (target: ColumnTarget) => void;
  /** names by id */
  schemas: ReadonlyMap<string, string>;
  /** prefix of the ids of the lists of names */
  id: string;
}

function Column({ table, column, target, onChange, schemas, id }: ColumnProps) {
  const { name } = column;
  const { to, key, type } = target;
  const isIgnored = to === "nothing";
  const isMember = to === "property" || to === "schema";
  const values = useMemo(() => firstValues(table, column), [table, column]);
  const wanted = to === "property" ? type : "string";
  const { text, isWrong } = useMemo(
    () => checkCells(table, column, { type: wanted, isId: to === "id" }),
    [table, column, wanted, to],
  );
  return (
    <li className={cn(LINE, "items-center py-1 @max-4xl:py-2.5", isIgnored && "text-text-muted")}>
      <span className="wrap-anywhere font-mono text-xs">{name}</span>
      <span className="truncate text-text-muted @max-4xl:col-span-2">{values}</span>
      <ArrowRight aria-hidden className={cn("size-4 text-text-muted @max-4xl:hidden", isIgnored && "invisible")} />
      <div className="flex flex-wrap items-center gap-2 max-sm:grid max-sm:grid-cols-2 @max-4xl:col-span-2">
        <Select
          label={`Field of ${name}`}
          value={to}
          onChange={(field) => onChange({ ...target, to: field })}
          options={FIELDS}
          className="w-34 max-sm:w-full"
        />
        {isMember && (
          <Input
            aria-label={to === "property" ? `Property of ${name}` : `Schema of ${name}`}
            list={`${id}-${to}`}
            isLiteral
            value={key}
            onChange={(event) => onChange({ ...target, key: event.target.value })}
            className="max-sm:order-1 max-sm:col-span-2 sm:w-40!"
          />
        )}
        {to === "schema" && <span className="truncate text-text-muted text-xs">{schemas.get(key)}</span>}
        {to === "property" && (
          <Select
            label={`Type of ${name}`}
            value={type}
            onChange={(next) => onChange({ ...target, type: next })}
            options={TYPES}
            className="w-32 max-sm:w-full"
          />
        )}
      </div>
      {!isIgnored && (
        <span
          className={cn(
            "wrap-anywhere text-right text-xs @max-4xl:col-start-2 @max-4xl:row-start-1",
            isWrong ? "text-danger" : "text-text-muted",
          )}
        >
          {text}
        </span>
      )}
    </li>
  );
}

const SHOWN = 3;
const MAX_LENGTH = 24;

function firstValues({ rows: all }: ForeignTable, column: ForeignColumn): string {
  const values = new Set<string>();
  for (const row of all) {
    if (values.size === SHOWN) break;
    const cell = cellIn(row, column);
    if (cell !== "") values.add(excerpt(cell.trim(), MAX_LENGTH));
  }
  return [...values].join(" · ");
}

/** How many cells are blank, or why some cannot be imported. */
function checkCells(
  { rows: all }: ForeignTable,
  column: ForeignColumn,
  { type, isId }: { type: CellType; isId: boolean },
) {
  let [blank, wrong] = [0, 0];
  let first = "";
  for (const row of all) {
    const cell = cellIn(row, column);
    if (cell === "") blank++;
    else if (literalOf(cell, type) === undefined && wrong++ === 0) {
      first = `“${excerpt(cell.trim(), MAX_LENGTH)}” in line ${row.line.toLocaleString("en")}`;
    }
  }
  const more = wrong > 1 ? ` and ${(wrong - 1).toLocaleString("en")} more` : "";
  if (wrong > 0) return { text: `Not ${CELL_NOUNS[type]}: ${first}${more}`, isWrong: true };
  return { text: blank > 0 ? `${blank.toLocaleString("en")} empty` : "all filled", isWrong: isId && blank > 0 };
}

function takeFocus(element: HTMLElement | null) {
  element?.focus({ preventScroll: true });
}
