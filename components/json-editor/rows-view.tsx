"use client";

import { type ReactNode, useCallback, useId, useLayoutEffect, useRef, useState } from "react";
import { convertLiteral } from "./convert";
import { JsonRow } from "./json-row";
import { describeProblem, findProblems, isBlank, type JsonProblem } from "./problems";
import type { RowType } from "./rows";
import { addRow, editRow, openRows, type RowEdit, type RowsState, type RowView, viewRows } from "./rows-state";

interface RowsViewProps {
  /** The field's name, in lower case. */
  noun: string;
  value: string;
  onChange: (value: string) => void;
  types: readonly RowType[];
  nullable: boolean;
  readOnly: boolean;
  /** Shows the error in the text. */
  onGoTo: (problem: JsonProblem) => void;
}

/** A JSON object as rows of key, value and type; the text between them stays as it is. */
export function RowsView({ noun, value, onChange, types, nullable, readOnly, onGoTo }: RowsViewProps) {
  const [held, setHeld] = useState(() => ({ value, rows: openRows(value) }));
  const [cleared, setCleared] = useState<string>();
  if (held.value !== value) setHeld({ value, rows: openRows(value) });

  const box = useRef<HTMLDivElement>(null);
  const isFocusLost = useRef(false);
  useLayoutEffect(() => {
    if (isFocusLost.current) box.current?.querySelector("button")?.focus();
    isFocusLost.current = false;
  });
  /** Sets a value that removes the pressed button, so the focus has to move. */
  const replace = (text: string) => {
    isFocusLost.current = true;
    onChange(text);
  };

  const change = useCallback(
    (rows: RowsState) => {
      setHeld({ value: rows.text, rows });
      onChange(rows.text);
    },
    [onChange],
  );

  const isNone = nullable && value.trim() === "null";
  const [problem] = isNone || held.rows ? [] : findProblems(value, { nullable });
  return (
    <div ref={box}>
      {(isNone || isBlank(value)) && (
        <Notice text={isNone ? "None" : "Empty"}>
          {!readOnly && <Action onClick={() => replace("{}")}>Add {noun}</Action>}
          {!readOnly && cleared !== undefined && <Action onClick={() => replace(cleared)}>Undo</Action>}
        </Notice>
      )}
      {problem && (
        <Notice text={`Rows need valid JSON. ${describeProblem(problem)}`}>
          <Action onClick={() => onGoTo(problem)}>Go to the error</Action>
        </Notice>
      )}
      {held.rows && (
        <Rows state={held.rows} onChange={change} types={types} readOnly={readOnly}>
          {nullable && (
            <Action
              onClick={() => {
                setCleared(value);
                replace("null");
              }}
            >
              Set to none
            </Action>
          )}
        </Rows>
      )}
    </div>
  );
}

/** How many rows are added at a time: thousands together would take seconds to appear. */
const PORTION = 100;

interface RowsProps {
  state: RowsState;
  onChange: (state: RowsState) => void;
  types: readonly RowType[];
  readOnly: boolean;
  /** Further actions. */
  children: ReactNode;
}

function Rows({ state, onChange, types, readOnly, children }: RowsProps) {
  const idPrefix = useId();
  const [firstType = "string"] = types;
  const [blank, setBlank] = useState(false);
  const [shown, setShown] = useState(PORTION);
  // Rows from here on were just added: they show even while others before them are hidden.
  const [tail, setTail] = useState(Number.POSITIVE_INFINITY);
  const box = useRef<HTMLDivElement>(null);
  const focusNext = useRef<string>(undefined);
  const latest = useRef({ state, blank });

  useLayoutEffect(() => {
    latest.current = { state, blank };
    const target = focusNext.current;
    focusNext.current = undefined;
    if (target) box.current?.querySelector<HTMLElement>(`[data-cell="${target}"]`)?.focus();
  });

  const onEdit = useCallback(
    (index: number, edit: RowEdit) => {
      const { state, blank } = latest.current;
      const count = state.table.rows.length;
      if (edit.do === "remove") {
        const left = count + Number(blank) - 1;
        focusNext.current = left === 0 ? "add" : `${Math.min(index, left - 1)} remove`;
        if (index < count) setTail((first) => (index < first ? first - 1 : first));
      }
      if (index >= count) {
        if (edit.do === "leave") return;
        setBlank(false);
        if (edit.do === "remove") return;
      }
      const literal = convertLiteral('""', firstType);
      const next = editRow(index < count ? state : addRow(state, { key: "", literal }), index, edit);
      latest.current = { state: next, blank: blank && index < count };
      onChange(next);
    },
    [onChange, firstType],
  );

  const startRow = useCallback(() => {
    const count = latest.current.state.table.rows.length;
    if (latest.current.blank) {
      box.current?.querySelector<HTMLElement>(`[data-cell="${count} key"]`)?.focus();
      return;
    }
    focusNext.current = `${count} key`;
    setTail((first) => Math.min(first, count));
    setBlank(true);
  }, []);

  const onEnter = useCallback(
    (index: number, part: "key" | "value") => {
      const { state, blank } = latest.current;
      const count = state.table.rows.length;
      if (index < count + Number(blank) - 1) {
        box.current?.querySelector<HTMLElement>(`[data-cell="${index + 1} ${part}"]`)?.focus();
      } else if (index < count && !readOnly) startRow();
    },
    [readOnly, startRow],
  );

  const blankRow: RowView = {
    name: "",
    nameError: undefined,
    type: firstType,
    value: firstType === "string" ? "" : convertLiteral('""', firstType),
    valueError: undefined,
  };
  const views = viewRows(state);
  const rows = blank ? [...views, blankRow] : views;
  const hidden = Math.max(Math.min(rows.length, tail) - shown, 0);
  const wrong = views.findIndex(
    ({ nameError, valueError }, index) =>
      index >= shown && index < shown + hidden && (nameError ?? valueError) !== undefined,
  );
  const more = wrong < 0 ? Math.min(PORTION, hidden) : wrong + 1 - shown;
  const listRow = (row: RowView, index: number) => (
    <JsonRow
      key={index}
      index={index}
      idPrefix={idPrefix}
      types={types}
      readOnly={readOnly}
      onEdit={onEdit}
      onEnter={onEnter}
      {...row}
    />
  );
  return (
    <div ref={box} className="flex flex-col gap-1.5">
      {rows.length > 0 ? (
        <div>
          <div
            aria-hidden="true"
            className="hidden grid-cols-[minmax(0,2fr)_minmax(0,3fr)_6rem_var(--control-height,32px)] gap-x-2 text-text-muted text-xs sm:grid"
          >
            <span>Key</span>
            <span>Value</span>
            <span>Type</span>
          </div>
          {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
          <ul role="list">
            {rows.slice(0, shown).map(listRow)}
            {hidden > 0 && (
              <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
                <Action
                  onClick={() => {
                    focusNext.current = `${wrong < 0 ? shown : wrong} key`;
                    setShown(shown + more);
                  }}
                >
                  Show {more} more of {hidden} hidden rows
                </Action>
                {wrong >= 0 && (
                  <span className="text-danger text-xs">
                    Row {wrong + 1}: {views[wrong]?.nameError ?? views[wrong]?.valueError}
                  </span>
                )}
              </li>
            )}
            {rows.slice(shown + hidden).map((row, index) => listRow(row, shown + hidden + index))}
          </ul>
        </div>
      ) : (
        <Notice text="No rows" />
      )}
      {!readOnly && (
        <div className="flex flex-wrap gap-2">
          <Action cell="add" onClick={startRow}>
            Add row
          </Action>
          {children}
        </div>
      )}
    </div>
  );
}

function Notice({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-border border-dashed px-3 py-2">
      <p className="text-text-muted">{text}</p>
      {children}
    </div>
  );
}

function Action({ cell, onClick, children }: { cell?: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      data-cell={cell}
      onClick={onClick}
      className="h-[var(--control-height,32px)] rounded-md border border-control bg-surface px-3 font-medium text-[13px] hover:bg-hover"
    >
      {children}
    </button>
  );
}
