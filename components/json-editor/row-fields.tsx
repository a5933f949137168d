import type { ChangeEvent, KeyboardEvent } from "react";
import { HUES, hueOf } from "@/components/ui/hue";
import { Select } from "@/components/ui/select";
import { cn } from "@/lib/browser/class-name";
import { canonicalScalar, stringIn } from "@/lib/json/exact-value";
import { literalOfCell } from "./cells";
import { BOOLEANS, type GuideOption, type GuideProblem, type RowGuide } from "./guide";
import type { RowView } from "./row-views";
import type { RowType } from "./rows";
import type { RowEdit } from "./rows-state";

export const typeName = (type: RowType) => (type === "string" ? "text" : type === "json" ? "JSON" : type);

/** What the sheet calls its keys and values. */
export interface SheetWords {
  key: string;
  value: string;
  /** draws an arrow from the key to the value, and writes both as ids */
  isMapping?: boolean;
}

/** A row and its fields' callbacks. */
export interface RowProps extends RowView {
  index: number;
  words: SheetWords;
  types: readonly RowType[];
  readOnly: boolean;
  onEdit: (index: number, edit: RowEdit) => void;
  /** Called on Enter in a cell. */
  onEnter: (index: number, part: "key" | "value") => void;
  /** Enter inserts a line break: a phone's keyboard has no Shift+Enter */
  hasLines?: boolean;
  /** what is known about its key */
  guide: RowGuide | undefined;
  /** the guide's problems with the key and with the value */
  keyProblem: GuideProblem | undefined;
  valueProblem: GuideProblem | undefined;
  /** the saved value, if changed */
  was: string | undefined;
}

/** What a row's fields have in common in the grid and on a phone. */
export function rowFields(row: RowProps) {
  const { index, words, types, readOnly, type, guide, keyProblem, valueProblem, isGuessed, isTyped } = row;
  // If definitions want text, typed digits are not a number.
  const isText = guide?.type === "string" || guide?.type === "date";
  const guess = (text: string) => literalOfCell(text, isText ? ["string"] : types);
  const cell = (part: "key" | "value") => ({
    "data-cell": `${index} ${part}`,
    readOnly,
    autoComplete: "off",
    spellCheck: false,
    onBlur: () => row.onEdit(index, { do: "leave", part }),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      row.onEdit(index, { do: "type", part, text: event.target.value, guess }),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
      if (event.ctrlKey || event.metaKey || event.altKey || (part === "value" && row.hasLines)) return;
      event.preventDefault();
      row.onEnter(index, part);
    },
  });
  return {
    cell,
    nameError: row.nameError ?? keyProblem?.message,
    valueError: row.valueError ?? valueProblem?.message,
    isNameWrong: row.nameError !== undefined || keyProblem?.isRefused === true,
    isValueWrong: row.valueError !== undefined || valueProblem?.isRefused === true,
    hasTypes: !readOnly && (!words.isMapping || type !== "string"),
    note: isGuessed && isTyped && (type === "number" || type === "boolean") ? "Quotes make it text" : undefined,
  };
}

interface RowValueProps {
  row: RowProps;
  /** its accessible name, unless a Field gives one */
  label?: string;
  id?: string;
  "aria-describedby"?: string | undefined;
  placeholder?: string;
  /** classes of a choice, of text, and of a chosen value and a list's items outside of editing */
  looks: { choice: string; text: string; item?: string };
  isFirst?: boolean;
}

/** The value of a row: a choice if only a few are allowed, else text. */
export function RowValue({ row, label, looks, isFirst, ...field }: RowValueProps) {
  const { index, type, value, literal, guide, readOnly, isGuessed, isTyped, words, memberName, was } = row;
  const { cell, isValueWrong } = rowFields(row);
  const first = isFirst ? { "data-first": "" } : {};
  const item = looks.item && !words.isMapping && cn(looks.item, HUES[hueOf(memberName)]);
  const items = item ? itemsOf(row) : [];
  if ((guide?.options !== undefined || type === "boolean") && !readOnly && !isTyped) {
    return (
      <div data-cell={`${index} value`} data-refused={isValueWrong ? "" : undefined} className="flex min-w-0 flex-1">
        <Select
          {...field}
          {...first}
          {...(label && { label })}
          {...choicesOf(guide?.options ?? BOOLEANS, literal)}
          onChange={(literal) => row.onEdit(index, { do: "set", literal })}
          // The former value replaces the arrow.
          className={cn(looks.choice, was !== undefined && looks.item && "[&>svg]:hidden")}
          {...(item && guide?.options && { valueClassName: item })}
        />
      </div>
    );
  }
  const text = (
    <textarea
      {...cell("value")}
      {...field}
      {...first}
      aria-label={label}
      aria-invalid={isValueWrong}
      value={value}
      readOnly={readOnly || type === "null"}
      rows={Math.min(value.split("\n").length, 6)}
      inputMode={type === "number" && !isGuessed ? "decimal" : "text"}
      className={cn(
        looks.text,
        (words.isMapping || type === "json") && "font-mono",
        type === "number" && "tabular-nums",
        type === "null" && "text-text-muted",
        looks.item && "peer col-start-1 row-start-1",
        items.length > 0 && "not-focus:text-transparent max-sm:absolute max-sm:h-full",
      )}
    />
  );
  if (looks.item === undefined) return text;
  return (
    <span className="relative grid min-w-0 flex-auto">
      {text}
      {items.length > 0 && (
        <span
          aria-hidden
          className={cn(
            "pointer-events-none col-start-1 row-start-1 flex flex-wrap content-start gap-1 py-0.5 peer-focus:hidden",
            "sm:px-2 sm:py-2 forced-colors:hidden",
          )}
        >
          {[...new Set(items)].map((one) => (
            <span key={one} className={cn("min-w-0 break-words", item)}>
              {one}
            </span>
          ))}
        </span>
      )}
    </span>
  );
}

/** The items of a list of texts. */
function itemsOf({ type, literal, problem, isTyped }: RowView): string[] {
  if (type !== "json" || isTyped || problem !== undefined || !literal.startsWith("[")) return [];
  const items: unknown[] = JSON.parse(literal);
  return items.every((one) => typeof one === "string" && one !== "") ? (items as string[]) : [];
}

/** The choices of a Select, including the current value even if it is not an option. */
function choicesOf(options: readonly GuideOption[], literal: string) {
  const chosen = options.find((option) => canonicalScalar(option.literal) === canonicalScalar(literal));
  const own = chosen ? [] : [{ value: literal, label: stringIn(literal) ?? literal }];
  const listed = options.map(({ literal: value, label }) => ({ value, label }));
  return { value: chosen?.literal ?? literal, options: [...own, ...listed] };
}

interface TypeChoiceProps {
  row: RowProps;
  label: string;
  /** by default it covers the type's icon */
  className?: string;
}

const OVER_SIGN = cn(
  "absolute! inset-y-1 right-0 left-1.5 h-auto! w-7 border-transparent! bg-transparent! p-0! shadow-none!",
  "-outline-offset-2! [&>*]:opacity-0",
  "group-focus-within:border-border-strong! group-hover:border-border-strong! max-sm:hidden",
);

export function TypeChoice({ row: { index, type, types, onEdit }, label, className = OVER_SIGN }: TypeChoiceProps) {
  return (
    <Select
      label={label}
      value={type}
      onChange={(to) => onEdit(index, { do: "convert", type: to })}
      options={[...new Set([...types, type])].map((one) => ({ value: one, label: typeName(one) }))}
      className={className}
    />
  );
}
