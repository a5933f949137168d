import type { ChangeEvent, KeyboardEvent } from "react";
import { Select } from "@/components/ui/select";
import { cn } from "@/lib/browser/class-name";
import { canonicalScalar, stringIn } from "@/lib/json/exact-value";
import { literalOfCell } from "./cells";
import type { GuideOption, GuideProblem, RowGuide } from "./guide";
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

/** A row, and what its fields call. */
export interface RowProps extends RowView {
  index: number;
  words: SheetWords;
  types: readonly RowType[];
  readOnly: boolean;
  onEdit: (index: number, edit: RowEdit) => void;
  /** Called on Enter in a cell. */
  onEnter: (index: number, part: "key" | "value") => void;
  /** Enter breaks the value's line: a phone's keyboard has no Shift+Enter */
  hasLines?: boolean;
  /** what is known of its key */
  guide: RowGuide | undefined;
  /** of the guide, with the key and with the value */
  keyProblem: GuideProblem | undefined;
  valueProblem: GuideProblem | undefined;
  /** the saved value where this is another */
  was: string | undefined;
}

/** What the fields of a row have in common in the grid and on a phone. */
export function rowFields(row: RowProps) {
  const { index, words, types, readOnly, type, guide, keyProblem, valueProblem, isGuessed, isTyped } = row;
  // Where definitions want text, what is typed is never a number.
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

const BOOLEANS = ["true", "false"].map((literal) => ({ literal, label: literal }));

interface RowValueProps {
  row: RowProps;
  /** names it, unless a Field does */
  label?: string;
  id?: string;
  "aria-describedby"?: string | undefined;
  placeholder?: string;
  /** of a choice, and of text */
  looks: { choice: string; text: string };
  isFirst?: boolean;
}

/** The value of a row: a choice where it can only be one of a few, else text. */
export function RowValue({ row, label, looks, isFirst, ...field }: RowValueProps) {
  const { index, type, value, literal, guide, readOnly, isGuessed, isTyped, words } = row;
  const { cell, isValueWrong } = rowFields(row);
  const first = isFirst ? { "data-first": "" } : {};
  if ((guide?.options !== undefined || type === "boolean") && !readOnly && !isTyped) {
    return (
      <div data-cell={`${index} value`} data-refused={isValueWrong ? "" : undefined} className="flex min-w-0 flex-1">
        <Select
          {...field}
          {...first}
          {...(label && { label })}
          {...choicesOf(guide?.options ?? BOOLEANS, literal)}
          onChange={(literal) => row.onEdit(index, { do: "set", literal })}
          className={looks.choice}
        />
      </div>
    );
  }
  return (
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
      )}
    />
  );
}

/** The choices of a Select, with the value that is there even if it is none of them. */
function choicesOf(options: readonly GuideOption[], literal: string) {
  const chosen = options.find((option) => canonicalScalar(option.literal) === canonicalScalar(literal));
  const own = chosen ? [] : [{ value: literal, label: stringIn(literal) ?? literal }];
  const listed = options.map(({ literal: value, label }) => ({ value, label }));
  return { value: chosen?.literal ?? literal, options: [...own, ...listed] };
}

interface TypeChoiceProps {
  row: RowProps;
  label: string;
  className: string;
}

export function TypeChoice({ row: { index, type, types, onEdit }, label, className }: TypeChoiceProps) {
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
