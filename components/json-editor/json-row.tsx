"use client";

import { type ChangeEvent, type KeyboardEvent, memo } from "react";
import type { RowType } from "./rows";
import type { RowEdit, RowView } from "./rows-state";

const TYPE_NAMES: Record<RowType, string> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  null: "null",
  json: "JSON",
};

const CONTROL =
  "block h-[var(--control-height,32px)] w-full min-w-0 rounded-md border border-control bg-surface px-2 font-mono text-[13px] leading-5 text-text read-only:bg-sunken focus-visible:-outline-offset-1 aria-invalid:border-danger";

interface JsonRowProps extends RowView {
  index: number;
  /** Starts every id in this row. */
  idPrefix: string;
  types: readonly RowType[];
  readOnly: boolean;
  onEdit: (index: number, edit: RowEdit) => void;
  /** Called on Enter in a cell. */
  onEnter: (index: number, part: "key" | "value") => void;
}

/** One member of a JSON object: key, value and type. */
export const JsonRow = memo(function JsonRow(props: JsonRowProps) {
  const { index, idPrefix, types, readOnly, name, nameError, type, value, valueError, onEdit, onEnter } = props;
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
  const valueLabel = {
    "aria-label": `Value, ${row}`,
    "aria-invalid": valueError !== undefined,
    ...(valueError !== undefined && { "aria-describedby": valueErrorId }),
  };

  return (
    <li className="grid grid-cols-[minmax(0,1fr)_6rem] gap-x-2 gap-y-1.5 border-border border-b py-1.5 [contain-intrinsic-size:auto_77px] [content-visibility:auto] last:border-b-0 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_6rem_var(--control-height,32px)] sm:border-b-0 sm:py-[3px] sm:[contain-intrinsic-size:auto_38px]">
      <input
        {...cell("key")}
        value={name}
        aria-label={`Key, ${row}`}
        aria-invalid={nameError !== undefined}
        {...(nameError !== undefined && { "aria-describedby": nameErrorId })}
        className={CONTROL}
      />
      <div className="col-start-1 row-start-2 min-w-0 sm:col-start-2 sm:row-start-1">
        {type === "boolean" && !readOnly ? (
          <select
            {...valueLabel}
            data-cell={`${index} value`}
            value={value}
            onChange={(event) => onEdit(index, { do: "set", literal: event.target.value })}
            className={CONTROL}
          >
            <option>true</option>
            <option>false</option>
          </select>
        ) : (
          <textarea
            {...cell("value")}
            {...valueLabel}
            value={value}
            readOnly={readOnly || type === "null"}
            rows={Math.min(value.split("\n").length, 6)}
            inputMode={type === "number" ? "decimal" : "text"}
            className={`${CONTROL} field-sizing-content h-auto max-h-48 min-h-[var(--control-height,32px)] resize-none py-[calc((var(--control-height,32px)-22px)/2)]`}
          />
        )}
      </div>
      {readOnly ? (
        <span className="col-start-2 row-start-2 self-start px-2 leading-[var(--control-height,32px)] text-text-muted sm:col-start-3 sm:row-start-1">
          {TYPE_NAMES[type]}
        </span>
      ) : (
        <select
          aria-label={`Type, ${row}`}
          value={type}
          onChange={(event) => onEdit(index, { do: "convert", type: event.target.value as RowType })}
          className={`${CONTROL} font-sans col-start-2 row-start-2 sm:col-start-3 sm:row-start-1`}
        >
          {[...new Set([...types, type])].map((option) => (
            <option key={option} value={option}>
              {TYPE_NAMES[option]}
            </option>
          ))}
        </select>
      )}
      {!readOnly && (
        <button
          type="button"
          data-cell={`${index} remove`}
          aria-label={`Remove ${row}`}
          title={`Remove ${row}`}
          onClick={() => onEdit(index, { do: "remove" })}
          className="col-start-2 row-start-1 flex size-[var(--control-height,32px)] items-center justify-center justify-self-end rounded-md text-text-muted focus-visible:-outline-offset-2 hover:bg-hover hover:text-text sm:col-start-4"
        >
          <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4 fill-none stroke-current">
            <path d="m4 4 8 8m0-8-8 8" strokeWidth="1.5" strokeLinecap="round" />
          </svg>
        </button>
      )}
      <RowError id={nameErrorId} text={nameError} />
      <RowError id={valueErrorId} text={valueError} />
    </li>
  );
});

function RowError({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p id={id} className="col-span-full text-danger text-xs">
      {text}
    </p>
  );
}
