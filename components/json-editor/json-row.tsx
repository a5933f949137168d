"use client";

import {
  ArrowRight,
  Braces,
  Calendar,
  CircleSlash2,
  Hash,
  List,
  type LucideIcon,
  ToggleLeft,
  Type,
  Undo2,
  X,
} from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, memo } from "react";
import { Select } from "@/components/ui/select";
import { cn } from "@/lib/browser/class-name";
import { canonicalScalar, stringIn } from "@/lib/json/exact-value";
import { literalOfCell } from "./cells";
import type { GuideOption, GuideProblem, RowGuide } from "./guide";
import type { RowView } from "./row-views";
import type { RowType } from "./rows";
import type { RowEdit } from "./rows-state";

const TYPE_NAMES: Record<RowType, string> = {
  string: "text",
  number: "number",
  boolean: "boolean",
  null: "null",
  json: "JSON",
};

const TYPE_ICONS: Record<RowType, LucideIcon> = {
  string: Type,
  number: Hash,
  boolean: ToggleLeft,
  null: CircleSlash2,
  json: Braces,
};

/** A row of two cells; on a phone they are two lines. */
export const ROW = "group relative grid grid-cols-[minmax(0,1fr)_auto] border-border border-b";

/** The columns of the sheet. */
export function columnsOf({ isMapping }: SheetWords): string {
  return isMapping
    ? "sm:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]"
    : "sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] xl:grid-cols-[minmax(0,3fr)_minmax(0,7fr)]";
}

const CELL =
  "block h-9 w-full min-w-0 bg-transparent px-3 text-sm text-text -outline-offset-2! placeholder:font-sans placeholder:text-text-muted sm:placeholder:text-transparent aria-invalid:bg-danger/8 pointer-coarse:h-11 pointer-coarse:text-lg";
/** A Select that fills its cell. */
export const PLAIN_SELECT =
  "h-full! min-h-9 min-w-0 flex-1 rounded-none! pointer-coarse:min-h-11 border-0! bg-transparent! px-2! text-inherit! shadow-none! -outline-offset-2! hover:bg-hover!";
const ACTION =
  "flex size-8 shrink-0 items-center justify-center rounded-md text-text-muted -outline-offset-2! hover:bg-hover hover:text-text pointer-coarse:size-11 [&_svg]:size-3.5";
/** Shows with the pointer or the focus in its row. */
const ON_DEMAND =
  "opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100";

/** What the sheet calls its keys and values. */
export interface SheetWords {
  key: string;
  value: string;
  /** draws an arrow from the key to the value, and writes both as ids */
  isMapping?: boolean;
}

interface JsonRowProps extends RowView {
  index: number;
  /** Starts every id in this row. */
  idPrefix: string;
  words: SheetWords;
  types: readonly RowType[];
  readOnly: boolean;
  /** the empty row of an empty sheet, which cannot be removed */
  isOnly: boolean;
  onEdit: (index: number, edit: RowEdit) => void;
  /** Called on Enter in a cell. */
  onEnter: (index: number, part: "key" | "value") => void;
  /** what is known of its key */
  guide: RowGuide | undefined;
  /** of the guide, with the key and with the value */
  keyProblem: GuideProblem | undefined;
  valueProblem: GuideProblem | undefined;
  /** the saved value where this is another */
  was: string | undefined;
}

/** One member of a JSON object: key and value, with its type. */
export const JsonRow = memo(function JsonRow(props: JsonRowProps) {
  const { index, idPrefix, words, types, readOnly, isOnly, name, type, value, literal, onEdit, onEnter } = props;
  const { guide, keyProblem, valueProblem, isGuessed, isTyped, was } = props;
  const { nameError = keyProblem?.message, valueError = valueProblem?.message } = props;
  const isNameWrong = props.nameError !== undefined || keyProblem?.isRefused === true;
  const isValueWrong = props.valueError !== undefined || valueProblem?.isRefused === true;
  const row = `row ${index + 1}`;
  const [hintId, nameErrorId, valueErrorId] = ["hint", "key-error", "value-error"].map(
    (part) => `${idPrefix}-${index}-${part}`,
  );
  const guess = (text: string) => literalOfCell(text, isText(guide) ? ["string"] : types);

  const cell = (part: "key" | "value") => ({
    "data-cell": `${index} ${part}`,
    readOnly,
    autoComplete: "off",
    spellCheck: false,
    onBlur: () => onEdit(index, { do: "leave", part }),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onEdit(index, { do: "type", part, text: event.target.value, guess }),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      onEnter(index, part);
    },
  });
  const isTold = guide?.label !== undefined || guide?.hint !== undefined;
  const describedBy = (id: string | undefined, error: string | undefined) =>
    [guide?.hint && hintId, error !== undefined && id].filter(Boolean).join(" ") || undefined;
  const isChoice = (guide?.options !== undefined || type === "boolean") && !readOnly && !isTyped;
  const hasTypes = !readOnly && (!words.isMapping || type !== "string");

  return (
    <li
      data-row={index}
      className={cn(
        ROW,
        columnsOf(words),
        "[contain-intrinsic-size:auto_89px] [content-visibility:auto] sm:[contain-intrinsic-size:auto_37px]",
      )}
    >
      <div className="min-w-0 border-border sm:border-r">
        <div className="flex min-w-0 items-center">
          <input
            {...cell("key")}
            value={name}
            aria-label={`${words.key}, ${row}`}
            {...(isOnly && { placeholder: words.key })}
            aria-invalid={isNameWrong}
            aria-describedby={describedBy(nameErrorId, nameError)}
            title={guide?.hint}
            className={cn(
              CELL,
              words.isMapping ? "font-mono" : "font-medium max-sm:font-normal max-sm:text-text-secondary",
              isTold && "field-sizing-content w-auto! min-w-14 max-w-3/4 shrink-0",
            )}
          />
          <Label id={hintId} guide={guide} />
        </div>
        <RowError id={nameErrorId} text={nameError} isWarning={!isNameWrong} />
      </div>
      <div
        className={cn(
          "flex min-w-0 flex-col max-sm:col-span-full max-sm:row-start-2",
          hasTypes ? "sm:pr-32" : "sm:pr-9",
          isValueWrong && "bg-danger/8",
          "has-[textarea:focus-visible]:-outline-offset-2 has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-accent",
        )}
      >
        <div className="flex min-w-0 flex-1">
          <TypeMark type={type} kind={guide?.type} isMapping={words.isMapping} />
          {isChoice ? (
            <div
              data-cell={`${index} value`}
              data-refused={isValueWrong ? "" : undefined}
              className="flex min-w-0 flex-1"
            >
              <Select
                label={`${words.value}, ${row}`}
                {...choicesOf(guide?.options ?? BOOLEANS, literal)}
                onChange={(literal) => onEdit(index, { do: "set", literal })}
                aria-describedby={describedBy(valueErrorId, valueError)}
                className={PLAIN_SELECT}
              />
            </div>
          ) : (
            <textarea
              {...cell("value")}
              aria-label={`${words.value}, ${row}`}
              {...(isOnly && { placeholder: words.value })}
              aria-invalid={isValueWrong}
              aria-describedby={describedBy(valueErrorId, valueError)}
              value={value}
              readOnly={readOnly || type === "null"}
              rows={Math.min(value.split("\n").length, 6)}
              inputMode={type === "number" && !isGuessed ? "decimal" : "text"}
              className={cn(
                CELL,
                "field-sizing-content h-auto! max-h-48 min-h-9 flex-1 resize-none bg-transparent! px-2! py-2 outline-none! pointer-coarse:min-h-11 pointer-coarse:py-3",
                (words.isMapping || type === "json") && "font-mono",
                type === "number" && "tabular-nums",
                type === "null" && "text-text-muted",
              )}
            />
          )}
          {isGuessed && isTyped && (type === "number" || type === "boolean") && (
            <span className="truncate self-center text-text-muted text-xs">Quotes make it text</span>
          )}
          {was !== undefined && !readOnly && (
            <span className="flex h-9 min-w-0 max-w-40 items-center gap-0.5 text-text-muted text-xs max-sm:hidden">
              <span className="truncate">was {stringIn(was) || was}</span>
              <button
                type="button"
                aria-label={`Restore ${row}`}
                title="Restore the saved value"
                onClick={() => onEdit(index, { do: "set", literal: was })}
                className={cn(ACTION, "size-7!")}
              >
                <Undo2 aria-hidden />
              </button>
            </span>
          )}
        </div>
        <RowError id={valueErrorId} text={valueError} isWarning={!isValueWrong} className="pl-9" />
      </div>
      {!readOnly && (
        <div className="flex items-center max-sm:col-start-2 max-sm:row-start-1 sm:absolute sm:top-0 sm:right-0 sm:h-9 sm:pr-0.5">
          {hasTypes && (
            <div data-cell={`${index} type`} className={cn("text-text-muted text-xs", ON_DEMAND)}>
              <Select
                label={`Type, ${row}`}
                value={type}
                onChange={(to) => onEdit(index, { do: "convert", type: to })}
                options={[...new Set([...types, type])].map((one) => ({ value: one, label: TYPE_NAMES[one] }))}
                className={cn(PLAIN_SELECT, "min-w-24! sm:min-h-8! text-xs!")}
              />
            </div>
          )}
          {!isOnly && (
            <button
              type="button"
              data-cell={`${index} remove`}
              aria-label={`Remove ${row}`}
              title={`Remove ${row}`}
              onClick={() => onEdit(index, { do: "remove" })}
              className={cn(ACTION, ON_DEMAND)}
            >
              <X aria-hidden />
            </button>
          )}
        </div>
      )}
    </li>
  );
});

const BOOLEANS = ["true", "false"].map((literal) => ({ literal, label: literal }));

/** Whether definitions have texts for a key, so that what is typed is never a number. */
function isText(guide: RowGuide | undefined): boolean {
  return guide?.type === "string" || guide?.type === "date";
}

interface TypeMarkProps {
  type: RowType;
  /** its type by definitions */
  kind: string | undefined;
  isMapping: boolean | undefined;
}

/** The type of a value as a sign; in a mapping the arrow to it. */
export function TypeMark({ type, kind, isMapping }: TypeMarkProps) {
  const isDate = type === "string" && kind === "date";
  const isList = type === "json" && kind?.endsWith("[]");
  const Icon = isMapping ? ArrowRight : isDate ? Calendar : isList ? List : TYPE_ICONS[type];
  return (
    <span
      title={isMapping ? undefined : isDate ? "date" : isList ? "list" : TYPE_NAMES[type]}
      data-type={isMapping ? undefined : type}
      className="flex h-9 items-center pl-3 text-text-muted pointer-coarse:h-11 [&_svg]:size-4"
    >
      <Icon aria-hidden />
    </span>
  );
}

/** The choices of a Select, with the value that is there even if it is none of them. */
function choicesOf(options: readonly GuideOption[], literal: string) {
  const chosen = options.find((option) => canonicalScalar(option.literal) === canonicalScalar(literal));
  const own = chosen ? [] : [{ value: literal, label: stringIn(literal) ?? literal }];
  const listed = options.map(({ literal: value, label }) => ({ value, label }));
  return { value: chosen?.literal ?? literal, options: [...own, ...listed] };
}

interface RowErrorProps {
  id: string | undefined;
  text: string | undefined;
  isWarning: boolean;
  className?: string;
}

function RowError({ id, text, isWarning, className }: RowErrorProps) {
  if (text === undefined) return null;
  return (
    <p id={id} className={cn("break-words px-3 pb-1.5 text-xs", isWarning ? "text-warning" : "text-danger", className)}>
      {text}
    </p>
  );
}

/** What is known of a key, in its line: a line of its own would move the rows below with the focus. */
export function Label({ id, guide }: { id?: string | undefined; guide: RowGuide | undefined }) {
  const text = guide?.label ?? guide?.hint;
  return text ? (
    <span id={id} title={text} className="min-w-0 truncate pr-3 text-text-muted text-xs">
      {text}
    </span>
  ) : null;
}
