"use client";

import { type ChangeEvent, type KeyboardEvent, memo } from "react";
import { Select } from "@/components/ui/select";
import { cn } from "@/lib/browser/class-name";
import { canonicalScalar, stringIn } from "@/lib/json/exact-value";
import type { GuideOption, GuideProblem, RowGuide } from "./guide";
import type { RowType } from "./rows";
import type { RowEdit, RowView } from "./rows-state";

const TYPE_NAMES: Record<RowType, string> = {
  string: "text",
  number: "number",
  boolean: "boolean",
  null: "null",
  json: "JSON",
};

/** The columns of the sheet; on a phone a row has two lines. */
export const COLUMNS =
  "grid grid-cols-[minmax(0,1fr)_104px] sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_104px_34px] [&>:not(:last-child)]:sm:border-r";

const CELL =
  "block h-9 w-full min-w-0 bg-transparent px-3 text-sm text-text -outline-offset-2! placeholder:font-sans placeholder:text-text-muted sm:placeholder:text-transparent aria-invalid:bg-danger/8 pointer-coarse:h-10";
/** A Select that fills its cell. */
export const PLAIN_SELECT =
  "h-full! min-h-9 w-full rounded-none! pointer-coarse:min-h-10 border-0! bg-transparent! px-3! text-inherit! shadow-none! -outline-offset-2! hover:bg-hover!";

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
}

/** One member of a JSON object: key, value and type. */
export const JsonRow = memo(function JsonRow(props: JsonRowProps) {
  const { index, idPrefix, words, types, readOnly, isOnly, name, type, value, literal, onEdit, onEnter } = props;
  const {
    guide,
    keyProblem,
    valueProblem,
    nameError = keyProblem?.message,
    valueError = valueProblem?.message,
  } = props;
  const isNameWrong = props.nameError !== undefined || keyProblem?.isRefused === true;
  const isValueWrong = props.valueError !== undefined || valueProblem?.isRefused === true;
  const row = `row ${index + 1}`;
  const nameErrorId = `${idPrefix}-${index}-key-error`;
  const valueErrorId = `${idPrefix}-${index}-value-error`;

  const cell = (part: "key" | "value") => ({
    "data-cell": `${index} ${part}`,
    readOnly,
    autoComplete: "off",
    spellCheck: false,
    onBlur: () => onEdit(index, { do: "leave", part }),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onEdit(index, { do: "type", part, text: event.target.value }),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      onEnter(index, part);
    },
  });
  const isCode = words.isMapping || type === "json";

  return (
    <li
      className={cn(
        COLUMNS,
        "group border-border border-b [contain-intrinsic-size:auto_73px] [content-visibility:auto] sm:[contain-intrinsic-size:auto_37px]",
      )}
    >
      <input
        {...cell("key")}
        value={name}
        aria-label={`${words.key}, ${row}`}
        {...(isOnly && { placeholder: words.key })}
        aria-invalid={isNameWrong}
        {...(nameError !== undefined && { "aria-describedby": nameErrorId })}
        className={cn(CELL, "border-border max-sm:font-medium", words.isMapping && "font-mono")}
      />
      <div className="flex min-w-0 border-border max-sm:col-start-1 max-sm:row-start-2">
        {words.isMapping && (
          <span aria-hidden className="self-center pl-3 text-text-muted">
            →
          </span>
        )}
        {(guide?.options || type === "boolean") && !readOnly ? (
          <div
            data-cell={`${index} value`}
            data-refused={isValueWrong ? "" : undefined}
            className={cn("min-w-0 flex-1", isValueWrong && "bg-danger/8")}
          >
            <Select
              label={`${words.value}, ${row}`}
              {...choicesOf(guide?.options ?? BOOLEANS, literal)}
              onChange={(literal) => onEdit(index, { do: "set", literal })}
              {...(valueError !== undefined && { "aria-describedby": valueErrorId })}
              className={PLAIN_SELECT}
            />
          </div>
        ) : (
          <textarea
            {...cell("value")}
            aria-label={`${words.value}, ${row}`}
            {...(isOnly && { placeholder: words.value })}
            aria-invalid={isValueWrong}
            {...(valueError !== undefined && { "aria-describedby": valueErrorId })}
            value={value}
            readOnly={readOnly || type === "null"}
            rows={Math.min(value.split("\n").length, 6)}
            inputMode={type === "number" ? "decimal" : "text"}
            className={cn(
              CELL,
              "field-sizing-content h-auto! max-h-48 min-h-9 flex-1 resize-none py-2 tabular-nums pointer-coarse:min-h-10 pointer-coarse:py-2.5",
              isCode && "font-mono",
              type === "null" && "text-text-muted",
            )}
          />
        )}
      </div>
      <div
        data-cell={`${index} type`}
        className="min-w-0 border-border text-text-muted max-sm:col-start-2 max-sm:row-start-2"
      >
        {readOnly ? (
          <span className="block px-3 text-xs leading-9 pointer-coarse:leading-10">{TYPE_NAMES[type]}</span>
        ) : (
          <div className="h-full text-xs [&_svg]:opacity-0 group-focus-within:[&_svg]:opacity-100 group-hover:[&_svg]:opacity-100 pointer-coarse:[&_svg]:opacity-100">
            <Select
              label={`Type, ${row}`}
              value={type}
              onChange={(to) => onEdit(index, { do: "convert", type: to })}
              options={[...new Set([...types, type])].map((one) => ({ value: one, label: TYPE_NAMES[one] }))}
              className={PLAIN_SELECT}
            />
          </div>
        )}
      </div>
      {isOnly && <span className="border-r-0! max-sm:hidden" />}
      {!readOnly && !isOnly && (
        <button
          type="button"
          data-cell={`${index} remove`}
          aria-label={`Remove ${row}`}
          title={`Remove ${row}`}
          onClick={() => onEdit(index, { do: "remove" })}
          className="flex min-h-9 items-center justify-center border-r-0! text-text-muted opacity-0 -outline-offset-2! hover:bg-hover hover:text-text focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 max-sm:col-start-2 max-sm:row-start-1 max-sm:size-9 max-sm:justify-self-end pointer-coarse:opacity-100"
        >
          <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4 fill-none stroke-current">
            <path d="m4 4 8 8m0-8-8 8" strokeWidth="1.5" strokeLinecap="round" />
          </svg>
        </button>
      )}
      <RowError id={nameErrorId} text={nameError} isWarning={!isNameWrong} />
      <RowError id={valueErrorId} text={valueError} isWarning={!isValueWrong} />
      {guide && <RowHint guide={guide} />}
    </li>
  );
});

const BOOLEANS = ["true", "false"].map((literal) => ({ literal, label: literal }));

/** The choices of a Select, with the value that is there even if it is none of them. */
function choicesOf(options: readonly GuideOption[], literal: string) {
  const chosen = options.find((option) => canonicalScalar(option.literal) === canonicalScalar(literal));
  const own = chosen ? [] : [{ value: literal, label: stringIn(literal) ?? literal }];
  const listed = options.map(({ literal: value, label }) => ({ value, label }));
  return { value: chosen?.literal ?? literal, options: [...own, ...listed] };
}

interface RowErrorProps {
  id: string;
  text: string | undefined;
  isWarning: boolean;
}

function RowError({ id, text, isWarning }: RowErrorProps) {
  if (text === undefined) return null;
  return (
    <p
      id={id}
      className={cn("col-span-full border-0! px-3 pb-1.5 text-xs", isWarning ? "text-warning" : "text-danger")}
    >
      {text}
    </p>
  );
}

function RowHint({ guide: { label, hint } }: { guide: RowGuide }) {
  const text = [label, hint].filter(Boolean).join(": ");
  if (text === "") return null;
  return <p className="col-span-full border-0! px-3 pb-1.5 text-text-muted text-xs">{text}</p>;
}
