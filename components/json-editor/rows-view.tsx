"use client";

import { Plus } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { announce } from "@/components/ui/announcer";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/browser/class-name";
import { AbsentRows } from "./absent-rows";
import { hasCells, parseCells } from "./cells";
import { convertLiteral } from "./convert";
import type { SheetGuide } from "./guide";
import { COLUMNS, JsonRow, type SheetWords } from "./json-row";
import { describeProblem, findProblems, isBlank, type JsonProblem } from "./problems";
import type { RowType } from "./rows";
import {
  addRow,
  editRow,
  openRows,
  pasteCells,
  type RowEdit,
  type RowsState,
  type RowView,
  viewRows,
} from "./rows-state";

interface RowsViewProps {
  /** The field's name, in lower case. */
  noun: string;
  words: SheetWords;
  value: string;
  onChange: (value: string) => void;
  types: readonly RowType[];
  nullable: boolean;
  readOnly: boolean;
  /** Shows the error in the text. */
  onGoTo: (problem: JsonProblem) => void;
  guide: SheetGuide | undefined;
  /** What is saved, with which the guide compares. */
  saved: string | undefined;
}

/** A JSON object as rows of key, value and type; the text between them stays as it is. */
export function RowsView(props: RowsViewProps) {
  const { noun, words, value, onChange, types, nullable, readOnly, onGoTo, guide, saved } = props;
  const isNone = nullable && value.trim() === "null";
  // No value starts as an empty sheet does, and becomes one with what is typed or pasted.
  const text = isNone && !readOnly ? "{}" : value;
  const [held, setHeld] = useState(() => ({ text, rows: openRows(text) }));
  const [cleared, setCleared] = useState<string>();
  if (held.text !== text) setHeld({ text, rows: openRows(text) });

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
      setHeld({ text: rows.text, rows });
      onChange(rows.text);
    },
    [onChange],
  );

  const isEmpty = isBlank(value);
  const pasteIntoNothing = (event: ClipboardEvent<HTMLElement>) => {
    const text = event.clipboardData.getData("text/plain");
    const rows = openRows("{}");
    if (readOnly || !isEmpty || !rows || !hasCells(text, event.clipboardData.getData("text/html"))) return;
    event.preventDefault();
    replace(pasteCells(rows, { row: 0, part: "key" }, { cells: parseCells(text), types }).text);
  };
  const [problem] = isNone || held.rows ? [] : findProblems(value, { nullable });
  return (
    <div ref={box} onPaste={pasteIntoNothing}>
      {isNone && readOnly && <Notice text="None" />}
      {isEmpty && (
        <Notice text="Empty">{!readOnly && <Button onClick={() => replace("{}")}>Add {noun}</Button>}</Notice>
      )}
      {problem && (
        <Notice text={`Rows need valid JSON. ${describeProblem(problem)}`}>
          <Button onClick={() => onGoTo(problem)}>Go to the error</Button>
        </Notice>
      )}
      {held.rows && (
        <Rows state={held.rows} onChange={change} {...{ words, types, readOnly, guide, saved }}>
          {nullable && (!isNone || cleared !== undefined) && (
            <Button
              size="small"
              variant="ghost"
              className="mr-1"
              onClick={() => {
                setCleared(value);
                onChange((isNone && cleared) || "null");
              }}
            >
              {isNone ? "Undo" : "Set to none"}
            </Button>
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
  words: SheetWords;
  types: readonly RowType[];
  readOnly: boolean;
  guide: SheetGuide | undefined;
  saved: string | undefined;
  /** Further actions. */
  children: ReactNode;
}

function Rows({ state, onChange, words, types, readOnly, guide, saved, children }: RowsProps) {
  const idPrefix = useId();
  const [firstType = "string"] = types;
  const [isAdding, setAdding] = useState(false);
  // An empty sheet has a row to type into.
  const isVacant = state.table.rows.length === 0 && !readOnly;
  const blank = isAdding || isVacant;
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
    if (target) focusCell(box.current, target);
  });

  const onEdit = useCallback(
    (index: number, edit: RowEdit) => {
      const { state, blank } = latest.current;
      const count = state.table.rows.length;
      if (edit.do === "remove") {
        const left = count + Number(blank) - 1;
        focusNext.current = left === 0 ? "0 key" : `${Math.min(index, left - 1)} remove`;
        if (index < count) setTail((first) => (index < first ? first - 1 : first));
      }
      if (index >= count) {
        if (edit.do === "leave") return;
        setAdding(false);
        if (edit.do === "remove") return;
      }
      const literal = convertLiteral('""', firstType);
      const next = editRow(index < count ? state : addRow(state, { key: "", literal }), index, edit);
      latest.current = { state: next, blank: (blank && index < count) || next.table.rows.length === 0 };
      onChange(next);
    },
    [onChange, firstType],
  );

  const startRow = useCallback(() => {
    const count = latest.current.state.table.rows.length;
    if (latest.current.blank) {
      focusCell(box.current, `${count} key`);
      return;
    }
    focusNext.current = `${count} key`;
    setTail((first) => Math.min(first, count));
    setAdding(true);
  }, []);

  const onEnter = useCallback(
    (index: number, part: "key" | "value") => {
      const { state, blank } = latest.current;
      const count = state.table.rows.length;
      if (index < count + Number(blank) - 1) {
        focusCell(box.current, `${index + 1} ${part}`);
      } else if (index < count && !readOnly) startRow();
    },
    [readOnly, startRow],
  );

  /** Cells fill the sheet from the focused cell on; elsewhere they become new rows. */
  const onPaste = (event: ClipboardEvent<HTMLElement>) => {
    const text = event.clipboardData.getData("text/plain");
    const [row, part] = cellOf(event.target);
    const isIntoCell = part === "key" || part === "value";
    if (readOnly || text.trim() === "" || (isIntoCell && !hasCells(text, event.clipboardData.getData("text/html"))))
      return;
    event.preventDefault();
    const { state } = latest.current;
    const cells = parseCells(text);
    const first = isIntoCell ? row : state.table.rows.length;
    setAdding(false);
    setShown((most) => Math.max(most, first + cells.length));
    onChange(pasteCells(state, { row: first, part: isIntoCell ? part : "key" }, { cells, types }));
    announce(cells.length === 1 ? "1 row pasted" : `${cells.length} rows pasted`);
  };

  const blankRow: RowView = {
    ...{ name: "", memberName: "", literal: convertLiteral('""', firstType) },
    nameError: undefined,
    type: firstType,
    value: firstType === "string" ? "" : convertLiteral('""', firstType),
    valueError: undefined,
  };
  const views = viewRows(state);
  const problems = useMemo(() => guide?.find(state.base, saved) ?? [], [guide, state.base, saved]);
  const problemOf = (key: string, part: "key" | "value") =>
    problems.find((problem) => problem.key === key && problem.part === part);
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
      words={words}
      types={types}
      readOnly={readOnly}
      isOnly={isVacant}
      onEdit={onEdit}
      onEnter={onEnter}
      guide={guide?.rows.get(row.memberName)}
      keyProblem={problemOf(row.memberName, "key")}
      valueProblem={problemOf(row.memberName, "value")}
      {...row}
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what cells have in common; each is a control of its own
    <div
      ref={box}
      onPaste={onPaste}
      onKeyDown={(event) => moveByArrow(event, box.current)}
      className="overflow-hidden rounded-lg border border-border"
    >
      <div
        aria-hidden="true"
        className={cn(
          COLUMNS,
          "border-border border-b bg-sunken font-medium text-text-muted text-xs leading-7.5 max-sm:hidden [&>*]:border-border [&>*]:px-3",
        )}
      >
        <span>{words.key}</span>
        <span>{words.value}</span>
        <span>Type</span>
        <span />
      </div>
      {rows.length === 0 && <p className="px-3 py-2 text-text-muted">No rows</p>}
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets.
        <ul role="list" className={readOnly ? "[&>:last-child]:border-b-0" : undefined}>
          {rows.slice(0, shown).map(listRow)}
          {hidden > 0 && (
            <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-2 py-1.5">
              <Button
                size="small"
                variant="ghost"
                onClick={() => {
                  focusNext.current = `${wrong < 0 ? shown : wrong} key`;
                  setShown(shown + more);
                }}
              >
                Show {more} more of {hidden} hidden rows
              </Button>
              {wrong >= 0 && (
                <span className="text-danger text-xs">
                  Row {wrong + 1}: {views[wrong]?.nameError ?? views[wrong]?.valueError}
                </span>
              )}
            </li>
          )}
          {rows.slice(shown + hidden).map((row, index) => listRow(row, shown + hidden + index))}
        </ul>
      )}
      {guide && (
        <AbsentRows
          guide={guide}
          present={views}
          problems={problems}
          words={words}
          readOnly={readOnly}
          onAdd={(member) => {
            focusNext.current = `${state.table.rows.length} value`;
            setAdding(false);
            setTail((first) => Math.min(first, state.table.rows.length));
            onChange(addRow(state, member));
          }}
        />
      )}
      {!readOnly && (
        <div className="flex flex-wrap items-center">
          <button
            type="button"
            data-cell="add"
            onClick={startRow}
            className="flex min-h-9 min-w-0 flex-1 items-center gap-2 px-3 text-left text-text-muted -outline-offset-2! hover:bg-hover hover:text-text pointer-coarse:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0"
          >
            <Plus aria-hidden />
            <span className="truncate">
              Add row<span className="max-sm:hidden">, or paste rows from a spreadsheet</span>
            </span>
          </button>
          {children}
        </div>
      )}
    </div>
  );
}

/** The row and the part of the cell that something is in; no row outside of cells. */
function cellOf(target: EventTarget): [row: number, part: string | undefined] {
  const [row, part] = (target as Element).closest<HTMLElement>("[data-cell]")?.dataset.cell?.split(" ") ?? [];
  return [Number(row), part];
}

function focusCell(box: HTMLElement | null, cell: string) {
  const found = box?.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
  const control = found?.matches("div") ? found.querySelector<HTMLElement>("button") : found;
  control?.focus();
  return control;
}

const PARTS = ["key", "value", "type"];

/** Moves between cells: up and down where the text has no line that way, left and right from an end of it. */
function moveByArrow(event: KeyboardEvent<HTMLElement>, box: HTMLElement | null) {
  const { key, target } = event;
  const [row, part = ""] = cellOf(target);
  const at = PARTS.indexOf(part);
  if (at < 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.defaultPrevented || event.nativeEvent.isComposing) return;
  const isDown = key === "ArrowDown" || key === "ArrowRight";
  const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (isText && !isAtEnd(target, key)) return;
  const cell =
    key === "ArrowUp" || key === "ArrowDown"
      ? isText && `${row + (isDown ? 1 : -1)} ${part}`
      : (key === "ArrowLeft" || key === "ArrowRight") && `${row} ${PARTS[at + (isDown ? 1 : -1)]}`;
  if (!cell) return;
  const control = focusCell(box, cell);
  if (!control) return;
  event.preventDefault();
  // As in a spreadsheet, what is typed now replaces the cell.
  if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) control.select();
}

/** Whether an arrow key cannot move the caret within the text, or all of the text is selected. */
function isAtEnd(field: HTMLInputElement | HTMLTextAreaElement, key: string): boolean {
  const { value, selectionStart: from, selectionEnd: to } = field;
  if (from === null || to === null || (from === 0 && to === value.length)) return true;
  if (from !== to) return false;
  switch (key) {
    case "ArrowUp":
      return !value.slice(0, from).includes("\n");
    case "ArrowDown":
      return !value.slice(to).includes("\n");
    case "ArrowLeft":
      return from === 0;
    default:
      return to === value.length;
  }
}

function Notice({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-border bg-sunken px-3 py-2">
      <p className="text-text-muted">{text}</p>
      {children}
    </div>
  );
}
