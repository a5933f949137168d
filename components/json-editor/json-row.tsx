import {
  ArrowRight,
  Braces,
  Calendar,
  ChevronRight,
  CircleSlash2,
  Hash,
  List,
  type LucideIcon,
  ToggleLeft,
  Type,
  Undo2,
  X,
} from "lucide-react";
import { memo, type ReactNode, useId } from "react";
import { cn } from "@/lib/browser/class-name";
import { stringIn } from "@/lib/json/exact-value";
import { type RowProps, RowValue, rowFields, type SheetWords, TypeChoice, typeName } from "./row-fields";
import type { RowType } from "./rows";

const TYPE_ICONS: Record<RowType, LucideIcon> = {
  string: Type,
  number: Hash,
  boolean: ToggleLeft,
  null: CircleSlash2,
  json: Braces,
};

/** A row of two cells; on a phone the name is above the value, next to the type's icon. */
export const ROW = cn(
  "group relative grid border-border border-b",
  "max-sm:min-h-14 max-sm:grid-cols-1 max-sm:content-center max-sm:py-2 max-sm:pl-11",
);

/** The columns of the sheet. */
export function columnsOf({ isMapping }: SheetWords): string {
  return isMapping
    ? "sm:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]"
    : "sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] xl:grid-cols-[minmax(0,3fr)_minmax(0,7fr)]";
}

const CELL = cn(
  "block w-full min-w-0 bg-transparent text-sm text-text -outline-offset-2! max-sm:text-ellipsis sm:px-3",
  "placeholder:font-sans placeholder:text-text-muted sm:placeholder:text-transparent sm:pointer-coarse:text-lg",
);
/** A Select that fills its cell. */
export const PLAIN_SELECT = cn(
  "h-full! min-w-0 flex-1 rounded-none! sm:min-h-9 sm:pointer-coarse:min-h-11 border-0! bg-transparent! sm:px-2!",
  "max-sm:px-0! text-inherit! shadow-none! -outline-offset-2! hover:bg-hover!",
);
const VALUE_LOOKS = {
  choice: cn(PLAIN_SELECT, "max-sm:h-6! max-sm:text-base! max-sm:[&>svg]:hidden"),
  text: cn(
    CELL,
    "field-sizing-content max-h-48 flex-auto resize-none outline-none! max-sm:max-h-18 max-sm:text-base",
    "max-sm:leading-6 sm:min-h-9 sm:px-2! sm:py-2 sm:pointer-coarse:min-h-11 sm:pointer-coarse:py-3",
  ),
  item: "rounded-full px-2 font-medium text-xs leading-5",
};
const ACTION = cn(
  "flex size-8 shrink-0 items-center justify-center rounded-md text-text-muted -outline-offset-2!",
  "hover:bg-hover hover:text-text pointer-coarse:size-11 [&_svg]:size-3.5",
);

interface JsonRowProps extends RowProps {
  /** the empty row of an empty sheet, which cannot be removed */
  isOnly: boolean;
  /** the row is a button that opens its sheet */
  isPhone: boolean;
  onOpen: (index: number) => void;
}

/** One member of a JSON object: key and value, with its type. */
export const JsonRow = memo(function JsonRow({ isOnly, isPhone, onOpen, ...row }: JsonRowProps) {
  const { index, words, readOnly, type, name, guide } = row;
  const { cell, nameError, valueError, isNameWrong, isValueWrong, hasTypes, note } = rowFields(row);
  const title = `row ${index + 1}`;
  const id = useId();
  const [hintId, nameErrorId, valueErrorId] = [`${id}-hint`, `${id}-key`, `${id}-value`];
  const isHinted = guide?.label !== undefined || (guide?.hint !== undefined && valueError === undefined);
  const describedBy = (errorId: string, error: string | undefined) =>
    [isHinted && hintId, error !== undefined && errorId].filter(Boolean).join(" ") || undefined;
  const isButton = isPhone && !readOnly;
  const isWrong = isNameWrong || isValueWrong;
  return (
    <li
      data-row={index}
      data-refused={isButton && isWrong ? "" : undefined}
      className={cn(
        ROW,
        columnsOf(words),
        isWrong ? "max-sm:bg-danger/8" : !readOnly && "max-sm:hover:bg-hover",
        !readOnly && "max-sm:pr-9",
        "[contain-intrinsic-size:auto_57px] [content-visibility:auto] sm:[contain-intrinsic-size:auto_37px]",
      )}
    >
      <div inert={isButton} className="min-w-0 border-border sm:border-r">
        <div className="flex min-w-0 items-start">
          <input
            {...cell("key")}
            value={name}
            aria-label={`${words.key}, ${title}`}
            {...(isOnly && { placeholder: words.key })}
            aria-invalid={isNameWrong}
            aria-describedby={describedBy(nameErrorId, nameError)}
            className={cn(
              CELL,
              "aria-invalid:bg-danger/8 max-sm:text-text-secondary max-sm:text-xs sm:h-9 sm:pointer-coarse:h-11",
              words.isMapping ? "font-mono" : "sm:font-medium",
              guide?.label !== undefined && "field-sizing-content w-auto! min-w-14 max-w-3/4 shrink-0",
            )}
          />
          <Label id={hintId} text={guide?.label} />
        </div>
        <Line id={nameErrorId} text={nameError} look={isNameWrong ? "error" : "warning"} className="sm:pl-3!" />
      </div>
      <div
        inert={isButton}
        className={cn(
          "flex min-w-0 flex-col",
          isValueWrong && "sm:bg-danger/8",
          "has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-accent -outline-offset-2",
        )}
      >
        <div className="flex min-w-0 flex-1">
          <div className={cn("flex min-w-0 flex-1 flex-wrap content-start", !readOnly && "sm:pr-9")}>
            <RowValue
              row={row}
              label={`${words.value}, ${title}`}
              aria-describedby={describedBy(valueErrorId, valueError)}
              {...(isOnly && { placeholder: words.value })}
              looks={VALUE_LOOKS}
            />
            {note && <span className="truncate self-center text-text-muted text-xs">{note}</span>}
            <Was row={row} title={title} />
          </div>
          <TypeMark type={type} kind={guide?.type} isMapping={words.isMapping} cell={`${index} type`}>
            {hasTypes && <TypeChoice row={row} label={`Type, ${title}`} />}
          </TypeMark>
        </div>
        <Line id={valueErrorId} text={valueError} look={isValueWrong ? "error" : "warning"} />
        {/* A problem replaces the hint, so that no row moves. */}
        {valueError === undefined && <Line id={hintId} text={guide?.hint} look="hint" className="max-sm:hidden" />}
      </div>
      {readOnly ? null : (
        <>
          {!isOnly && <RemoveButton row={row} title={title} />}
          <Opener row={row} errors={[nameError, valueError]} onOpen={onOpen} />
        </>
      )}
    </li>
  );
});

interface PartProps {
  row: RowProps;
  /** "row 1" */
  title: string;
}

/** The saved value of a changed row, with a button to restore it; below the value if there is no room after it. */
function Was({ row: { index, was, readOnly, onEdit }, title }: PartProps) {
  if (was === undefined || readOnly) return null;
  return (
    <span className="ml-auto flex min-w-0 max-w-full items-center text-text-muted text-xs sm:mt-1 sm:h-7 sm:pl-2">
      <span className="truncate">was {stringIn(was) || was}</span>
      <button
        type="button"
        aria-label={`Restore ${title}`}
        title="Restore the saved value"
        onClick={() => onEdit(index, { do: "set", literal: was })}
        className={cn(ACTION, "h-7! max-sm:hidden")}
      >
        <Undo2 aria-hidden />
      </button>
    </span>
  );
}

/** Shows while the pointer or the focus is in its row. */
function RemoveButton({ row: { index, onEdit }, title }: PartProps) {
  return (
    <button
      type="button"
      data-cell={`${index} remove`}
      aria-label={`Remove ${title}`}
      title={`Remove ${title}`}
      onClick={() => onEdit(index, { do: "remove" })}
      className={cn(
        ACTION,
        "absolute top-0.5 right-0.5 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 max-sm:hidden",
        "group-hover:opacity-100 pointer-coarse:top-0 pointer-coarse:right-0 pointer-coarse:opacity-100",
      )}
    >
      <X aria-hidden />
    </button>
  );
}

interface OpenerProps {
  row: RowProps;
  errors: (string | undefined)[];
  onOpen: (index: number) => void;
}

/** Covers the row on a phone. Hidden by CSS elsewhere, so that it works before hydration. */
function Opener({ row: { index, name, value }, errors, onOpen }: OpenerProps) {
  return (
    <button
      type="button"
      data-cell={`${index} row`}
      aria-haspopup="dialog"
      aria-label={[`${name || `Row ${index + 1}`}: ${value || "empty"}`, ...errors].filter(Boolean).join(". ")}
      onClick={() => onOpen(index)}
      className="absolute inset-0 flex items-center justify-end pr-3 text-text-muted -outline-offset-2! sm:hidden"
    >
      <ChevronRight aria-hidden className="size-4" />
    </button>
  );
}

interface TypeMarkProps {
  type: RowType;
  /** the type in the definitions */
  kind: string | undefined;
  isMapping: boolean | undefined;
  /** its cell, for the arrow keys */
  cell?: string;
  /** a button over the icon that chooses another type */
  children?: ReactNode;
}

/** An icon of the value's type before the value; in a mapping, an arrow to it. */
export function TypeMark({ type, kind, isMapping, cell, children }: TypeMarkProps) {
  const isDate = type === "string" && kind === "date";
  const isList = type === "json" && kind?.endsWith("[]");
  const Icon = isMapping ? ArrowRight : isDate ? Calendar : isList ? List : TYPE_ICONS[type];
  return (
    <div
      {...(children && { "data-cell": cell })}
      title={isMapping ? undefined : isDate ? "date" : isList ? "list" : typeName(type)}
      data-type={isMapping ? undefined : type}
      className={cn(
        // After the value in Tab order.
        "relative order-first flex items-center self-start pl-3 text-text-muted [&_svg]:size-4",
        "sm:h-9 sm:pointer-coarse:h-11 max-sm:absolute max-sm:inset-y-0 max-sm:left-0 max-sm:self-auto",
      )}
    >
      <Icon aria-hidden />
      {children}
    </div>
  );
}

const LINE_LOOKS = { error: "text-danger", warning: "text-warning", hint: "text-text-muted" };

interface LineProps {
  id?: string | undefined;
  text: string | undefined;
  look: keyof typeof LINE_LOOKS;
  className?: string;
}

/** A line below a cell: a problem, or what a key is for. */
export function Line({ id, text, look, className }: LineProps) {
  if (text === undefined) return null;
  return (
    <p id={id} className={cn("break-words text-xs sm:-mt-1.5 sm:pr-3 sm:pb-2 sm:pl-9", LINE_LOOKS[look], className)}>
      {text}
    </p>
  );
}

/** The name of a key that is an id. */
export function Label({ id, text }: { id?: string; text: string | undefined }) {
  return text ? (
    <span id={id} className="min-w-0 break-words text-text-muted text-xs max-sm:pl-2 sm:py-2.5 sm:pr-3">
      {text}
    </span>
  ) : null;
}
