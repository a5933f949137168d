"use client";

import { type ReactNode, useCallback, useId, useLayoutEffect, useRef, useState } from "react";
import { convertLiteral } from "./convert";
import { JsonRow } from "./json-row";
import { describeProblem, findProblems, type JsonProblem } from "./problems";
import type { RowType } from "./rows";
import { addRow, editRow, openRows, type RowEdit, type RowsState, type RowView, viewRows } from "./rows-state";

interface RowsViewProps {
  /** What the rows make up, in lower case. */
  noun: string;
  value: string;
  onChange: (value: string) => void;
  types: readonly RowType[];
  nullable: boolean;
  readOnly: boolean;
  /** Shows where the text cannot be read. */
  onGoTo: (problem: JsonProblem) => void;
}

/** The members of a JSON object as rows of key, value and type; the text between them stays as it is. */
export function RowsView({ noun, value, onChange, types, nullable, readOnly, onGoTo }: RowsViewProps) {
  const [held, setHeld] = useState(() => ({ value, rows: openRows(value) }));
  const [cleared, setCleared] = useState<string>();
  if (held.value !== value) setHeld({ value, rows: openRows(value) });

  const change = useCallback(
    (rows: RowsState) => {
      setHeld({ value: rows.text, rows });
      onChange(rows.text);
    },
    [onChange],
  );

  if (nullable && value.trim() === "null") {
    return (
      <Notice text="None">
        {!readOnly && <Action onClick={() => onChange("{}")}>Add {noun}</Action>}
        {!readOnly && cleared !== undefined && <Action onClick={() => onChange(cleared)}>Undo</Action>}
      </Notice>
    );
  }
  if (!held.rows) {
    const [problem] = findProblems(value, { nullable });
    return (
      <Notice text={`Rows need JSON that can be read. ${problem ? describeProblem(problem) : ""}`}>
        {problem && <Action onClick={() => onGoTo(problem)}>Go to the error</Action>}
      </Notice>
    );
  }
  return (
    <Rows state={held.rows} onChange={change} types={types} readOnly={readOnly}>
      {nullable && (
        <Action
          onClick={() => {
            setCleared(value);
            onChange("null");
          }}
        >
          Set to none
        </Action>
      )}
    </Rows>
  );
}

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
    focusNext.current = `${latest.current.state.table.rows.length} key`;
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
  return (
    <div ref={box} className="@container flex flex-col gap-1.5">
      {rows.length > 0 ? (
        <div>
          <div
            aria-hidden="true"
            className="hidden grid-cols-[minmax(0,2fr)_minmax(0,3fr)_6rem_2rem] gap-x-2 text-text-muted text-xs @md:grid"
          >
            <span>Key</span>
            <span>Value</span>
            <span>Type</span>
          </div>
          {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
          <ul role="list">
            {rows.map((row, index) => (
              <JsonRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place: names change and may stand twice.
                key={index}
                index={index}
                idPrefix={idPrefix}
                types={types}
                readOnly={readOnly}
                onEdit={onEdit}
                onEnter={onEnter}
                {...row}
              />
            ))}
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
      className="h-8 rounded-md border border-control bg-surface px-3 font-medium text-[13px] hover:bg-hover"
    >
      {children}
    </button>
  );
}
