"use client";

import { Plus } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { announce } from "@/components/ui/announcer";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/browser/class-name";
import { memberTexts } from "@/lib/json/exact-json";
import { AbsentRows } from "./absent-rows";
import { hasCells, parseCells } from "./cells";
import { convertLiteral } from "./convert";
import type { SheetGuide } from "./guide";
import { columnsOf, JsonRow, type SheetWords } from "./json-row";
import { describeProblem, findProblems, isBlank, type JsonProblem } from "./problems";
import type { RowView } from "./row-views";
import type { RowType } from "./rows";
import { addRow, editRow, openRows, pasteCells, type RowEdit, type RowsState } from "./rows-state";

export interface RowsViewHandle {
  /** Shows the first row with a problem. */
  reveal(): void;
}

interface RowsViewProps {
  ref: Ref<RowsViewHandle>;
  /** The field's name, in lower case. */
  noun: string;
  words: SheetWords;
  value: string;
  onChange: (value: string) => void;
  /** Undefined unless the value is an object. */
  state: RowsState | undefined;
  onState: (state: RowsState) => void;
  views: readonly RowView[];
  types: readonly RowType[];
  nullable: boolean;
  readOnly: boolean;
  /** Shows the error in the text. */
  onGoTo: (problem: JsonProblem) => void;
  guide: SheetGuide | undefined;
  /** What is saved, with which the guide compares. */
  saved: string | undefined;
  /** Shows the defaults of keys that are not set. */
  withDefaults: boolean;
  /** Only rows that have this text, in lower case, show. */
  query: string;
}

/** A JSON object as rows of key and value; the text between them stays as it is. */
export function RowsView(props: RowsViewProps) {
  const { ref, noun, words, value, onChange, state, onState, types, nullable, readOnly, onGoTo } = props;
  const { views, guide, saved, withDefaults, query } = props;
  const isNone = nullable && value.trim() === "null";
  const [cleared, setCleared] = useState<string>();

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

  const isEmpty = isBlank(value);
  const pasteIntoNothing = (event: ClipboardEvent<HTMLElement>) => {
    const text = event.clipboardData.getData("text/plain");
    const rows = openRows("{}");
    if (readOnly || !isEmpty || !rows || !hasCells(text, event.clipboardData.getData("text/html"))) return;
    event.preventDefault();
    replace(pasteCells(rows, { row: 0, part: "key" }, { cells: parseCells(text), types }).text);
  };
  const [problem] = isNone || state ? [] : findProblems(value, { nullable });
  return (
    <div ref={box} onPaste={pasteIntoNothing}>
      {isNone && readOnly && <Notice text="None" />}
      {isEmpty && (
        <Notice text="Empty">{!readOnly && <Button onClick={() => replace("{}")}>Add {noun}</Button>}</Notice>
      )}
      {problem && (
        <Notice text={`Fix the JSON to see it as a table. ${describeProblem(problem)}`}>
          <Button onClick={() => onGoTo(problem)}>Go to the error</Button>
        </Notice>
      )}
      {state && (
        <Rows
          ref={ref}
          state={state}
          onChange={onState}
          {...{ views, words, types, readOnly, guide, saved, withDefaults, query }}
        >
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
              {isNone ? "Undo" : `Remove all ${noun}`}
            </Button>
          )}
        </Rows>
      )}
    </div>
  );
}

/** How many rows are added at a time: thousands together would take seconds to appear. */
const PORTION = 100;

interface RowsProps
  extends Pick<
    RowsViewProps,
    "ref" | "words" | "views" | "types" | "readOnly" | "guide" | "saved" | "withDefaults" | "query"
  > {
  state: RowsState;
  onChange: (state: RowsState) => void;
  /** Further actions. */
  children: ReactNode;
}

function Rows(props: RowsProps) {
  const { ref, state, onChange, words, views, types, readOnly, guide, saved, withDefaults, query, children } = props;
  const idPrefix = useId();
  const [firstType = "string"] = types;
  const [isAdding, setAdding] = useState(false);
  // An empty sheet has a row to type into.
  const isVacant = state.table.rows.length === 0 && !readOnly;
  const blank = isAdding || isVacant;
  const [shown, setShown] = useState(PORTION);
  // Rows from here on were just added: they show even while others before them are hidden.
  const [tail, setTail] = useState(Number.POSITIVE_INFINITY);
  /** its row stays while a search would hide it */
  const [focused, setFocused] = useState(-1);
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
      const next = editRow(index < count ? state : addRow(state, { key: "", literal }, true), index, edit);
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
    ...{ nameError: undefined, valueError: undefined, problem: undefined },
    ...{ type: firstType, isGuessed: true, isTyped: false },
    value: firstType === "string" ? "" : convertLiteral('""', firstType),
  };
  const problems = useMemo(() => guide?.find(state.base, saved) ?? [], [guide, state.base, saved]);
  const problemOf = (key: string, part: "key" | "value") =>
    problems.find((problem) => problem.key === key && problem.part === part);
  const isWrong = ({ problem, memberName }: RowView) =>
    problem !== undefined || problems.some(({ key, isRefused }) => isRefused && key === memberName);
  useImperativeHandle(ref, () => ({
    reveal: () => setShown((most) => Math.max(most, views.findIndex(isWrong) + 1)),
  }));
  const savedTexts = useMemo(() => new Map(memberTexts(saved ?? "{}")), [saved]);
  const listed = (blank ? [...views, blankRow] : views)
    .map((row, index) => ({ row, index }))
    .filter(
      ({ row, index }) =>
        query === "" ||
        index === focused ||
        index >= tail ||
        isWrong(row) ||
        `${row.name} ${row.value}`.toLowerCase().includes(query),
    );
  const hidden = listed.filter(({ index }, at) => at >= shown && index < tail);
  const listRow = ({ row, index }: { row: RowView; index: number }) => {
    const was = savedTexts.get(row.memberName);
    // Objects and lists may differ in white space alone.
    const isOther = was !== row.literal && row.type !== "json";
    return (
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
        was={isOther || row.problem !== undefined ? was : undefined}
        {...row}
      />
    );
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what cells have in common; each is a control of its own
    <div
      ref={box}
      onPaste={onPaste}
      onKeyDown={(event) => moveByArrow(event, box.current)}
      onFocus={({ target }) => setFocused(query === "" ? -1 : rowOf(target))}
      className="overflow-hidden rounded-lg border border-border"
    >
      <div
        aria-hidden="true"
        className={cn(
          "grid border-border border-b bg-sunken font-medium text-text-muted text-xs leading-7.5 max-sm:hidden [&>*]:px-3",
          columnsOf(words),
        )}
      >
        <span className="border-border border-r">{words.key}</span>
        <span>{words.value}</span>
      </div>
      {listed.length === 0 && (
        <p className="border-border border-b px-3 py-2 text-text-muted">
          {query === "" ? "No rows" : `Nothing here matches “${query}”.`}
        </p>
      )}
      {listed.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets.
        <ul role="list" className={readOnly && !guide ? "[&>:last-child]:border-b-0" : undefined}>
          {listed.slice(0, shown).map(listRow)}
          {hidden.length > 0 && (
            <li className="border-border border-b px-2 py-1.5">
              <Button
                size="small"
                variant="ghost"
                onClick={() => {
                  focusNext.current = `${hidden[0]?.index} key`;
                  setShown(shown + PORTION);
                }}
              >
                Show {Math.min(PORTION, hidden.length)} more of {hidden.length} hidden rows
              </Button>
            </li>
          )}
          {listed.slice(shown + hidden.length).map(listRow)}
        </ul>
      )}
      {guide && (
        <AbsentRows
          guide={guide}
          present={views}
          problems={problems}
          words={words}
          readOnly={readOnly}
          withDefaults={withDefaults}
          query={query}
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

function rowOf(target: Element): number {
  return Number(target.closest<HTMLElement>("[data-row]")?.dataset.row ?? -1);
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
