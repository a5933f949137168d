"use client";

import { type Ref, useCallback, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import { Switch } from "@/components/ui/switch";
import { whenIdle } from "@/lib/browser/load";
import type { EditorMemory, TextSelection } from "./code-editor";
import type { SheetGuide } from "./guide";
import type { SheetWords } from "./json-row";
import { JsonText, ProblemList, useSettled, withLineFeeds } from "./json-text";
import { formatLater, type JsonViewHandle, loadCodeEditor } from "./json-view";
import {
  capitalize,
  describeProblem,
  findProblems,
  isBlank,
  type JsonProblem,
  type JsonRules,
  placeOf,
  uncapitalize,
} from "./problems";
import { type RowView, viewRows } from "./row-views";
import { type RowType, readTable } from "./rows";
import { openRows, type RowsState } from "./rows-state";
import { RowsView, type RowsViewHandle } from "./rows-view";

const ALL_TYPES: readonly RowType[] = ["string", "number", "boolean", "null", "json"];

export type JsonFieldView = "rows" | "json";
const VIEWS: { value: JsonFieldView; label: string }[] = [
  { value: "rows", label: "Table" },
  { value: "json", label: "JSON" },
];
const WORDS: SheetWords = { key: "Name", value: "Value" };

export interface JsonFieldProps extends JsonRules {
  label: string;
  description?: string | undefined;
  words?: SheetWords;
  /** JSON text; only edited parts change. */
  value: string;
  onChange: (value: string) => void;
  /** What is saved, with which a guide compares; undefined for something new. */
  saved?: string | undefined;
  /** A sentence from elsewhere, such as the server. */
  error?: string | undefined;
  readOnly?: boolean | undefined;
  /** The types offered for a row, the first as default; a value of another type keeps it. */
  types?: readonly RowType[] | undefined;
  defaultView?: JsonFieldView | undefined;
  /** What is known of its keys. */
  guide?: SheetGuide | undefined;
  onReport?: ((report: FieldReport) => void) | undefined;
  ref?: Ref<{ focus(): void }> | undefined;
}

/** What a field's text would store, and what keeps it from that. */
export interface FieldReport {
  /** undefined while the text is not valid JSON */
  readable: string | undefined;
  /** as sentences about its rows */
  problems: string[];
}

/** From here on one looks for a row. */
const SEARCHED_FROM = 20;
const NO_ROWS: readonly RowView[] = [];

/** Edits a JSON object as rows or as text, and shows errors while typing. */
export function JsonField({ value, onChange, types = ALL_TYPES, defaultView = "rows", ...props }: JsonFieldProps) {
  const {
    label,
    description,
    words = WORDS,
    error,
    required = false,
    nullable = false,
    readOnly = false,
    maxBytes,
    guide,
    saved,
    onReport,
    ref,
  } = props;
  const id = useId();
  const [view, setView] = useState<JsonFieldView>(defaultView);
  const [start, setStart] = useState<TextSelection>();
  const [withDefaults, setWithDefaults] = useState(true);
  const [query, setQuery] = useState("");
  const box = useRef<HTMLFieldSetElement>(null);
  const editor = useRef<JsonViewHandle>(null);
  const table = useRef<RowsViewHandle>(null);
  const memory = useRef<EditorMemory>(undefined);
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  // Before the connection may be lost.
  useEffect(() => whenIdle(() => void loadCodeEditor().catch(() => undefined)), []);

  const settled = useSettled(value);
  const problems = useMemo(
    () => findProblems(settled, { required, nullable, maxBytes }),
    [settled, required, nullable, maxBytes],
  );
  const guided = useMemo(
    () => (guide && problems.length === 0 && !isBlank(settled) ? guidedProblems(guide, settled, saved) : []),
    [guide, problems, settled, saved],
  );
  const count = useMemo(() => readTable(settled)?.rows.length, [settled]);

  // No value starts as an empty sheet does, and becomes one with what is typed or pasted.
  const text = nullable && !readOnly && value.trim() === "null" ? "{}" : value;
  const [held, setHeld] = useState(() => ({ text, rows: openRows(text) }));
  if (view === "rows" && held.text !== text) setHeld({ text, rows: openRows(text) });
  const changeRows = useCallback(
    (rows: RowsState) => {
      setHeld({ text: rows.text, rows });
      onChange(rows.text);
    },
    [onChange],
  );
  const rows = view === "rows" ? held.rows : undefined;
  const views = useMemo(() => (rows ? viewRows(rows) : NO_ROWS), [rows]);
  const refused = guided.filter(({ isRefused }) => isRefused);
  const message = problems[0] ? capitalize(problems[0].message) : error;
  const report = useMemo((): FieldReport => {
    const broken = problems.slice(0, 1).map((one) => `${label}, ${uncapitalize(describeProblem(one))}`);
    const own = rows ? views.flatMap(({ problem }) => problem ?? []) : broken;
    const asked = guided.filter(({ isRefused }) => isRefused).map(({ message }) => message.replace(/\.$/, ""));
    const readable = rows && text === value ? rows.base : problems.length > 0 ? undefined : settled;
    return { readable, problems: [...own, ...asked] };
  }, [rows, views, problems, guided, settled, label, text, value]);
  useEffect(() => onReport?.(report), [report, onReport]);
  // Rows and the list say the rest in place.
  const isSaid = report.problems.length > 0 && (view === "json" || rows !== undefined || problems[0]?.place);

  const goTo = ({ place }: JsonProblem) => {
    const caret = place ? withLineFeeds(value.slice(0, place.offset)).length : 0;
    const selection = { anchor: caret, head: caret };
    if (view === "json") return editor.current?.select(selection);
    setStart(selection);
    setView("json");
  };
  useImperativeHandle(ref, () => ({
    focus() {
      if (view === "json" && problems[0]) return goTo(problems[0]);
      setQuery("");
      table.current?.reveal();
      // Once it shows.
      setTimeout(() => {
        const fields = "[contenteditable], textarea, input, button";
        const body = box.current?.querySelector<HTMLElement>("[data-body]");
        const wrong = body?.querySelector<HTMLElement>(
          `:is(${fields})[aria-invalid=true], [data-refused] :is(${fields})`,
        );
        (wrong ?? body?.querySelector<HTMLElement>(`:is(${fields})`))?.focus();
      });
    },
  }));
  const show = (next: JsonFieldView) => {
    setStart(undefined);
    setView(next);
    // As it is stored, it would be one long line.
    if (next !== "json" || value.includes("\n") || problems.length > 0) return;
    void formatLater(value).then((formatted) => latest.current === value && onChange(formatted));
  };
  const hasDefaults = useMemo(
    () => guide !== undefined && [...guide.rows.values()].some((row) => row.defaultValue !== undefined),
    [guide],
  );

  return (
    <fieldset
      ref={box}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-description ${id}-message`}
      className="flex min-w-0 flex-col gap-1.5 text-[13px] text-text leading-5"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          <span id={`${id}-label`} className="font-semibold text-base">
            {label}
          </span>{" "}
          {count !== undefined && count > 0 && <span className="text-base text-text-muted tabular-nums">{count}</span>}
        </span>
        {rows && views.length >= SEARCHED_FROM && (
          <Input
            type="search"
            aria-label={`Search ${label.toLowerCase()}`}
            placeholder={`Search ${views.length} ${label.toLowerCase()}`}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            className="w-54! max-sm:order-last max-sm:w-full!"
          />
        )}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
          {rows && hasDefaults && (
            <Switch checked={withDefaults} onChange={setWithDefaults}>
              With defaults
            </Switch>
          )}
          {view === "json" && !readOnly && (
            <Button variant="ghost" size="small" onClick={() => editor.current?.format()}>
              Format
            </Button>
          )}
          <Segmented label={`View of ${label.toLowerCase()}`} value={view} options={VIEWS} onChange={show} />
        </div>
      </div>
      {description && (
        <p id={`${id}-description`} className="text-text-muted text-xs">
          {description}
        </p>
      )}
      <div
        id={`${id}-message`}
        aria-live="polite"
        // Out of the flow while the rows say it in place.
        className={rows && isSaid ? "sr-only" : "text-danger text-xs empty:hidden"}
      >
        {view === "json" && problems.length > 0 && <ProblemList problems={problems} onGoTo={goTo} />}
        {view === "json" && guided.length > 0 && (
          <>
            <ProblemList problems={refused} onGoTo={goTo} />
            <div className="text-warning">
              <ProblemList problems={guided.filter(({ isRefused }) => !isRefused)} onGoTo={goTo} />
            </div>
          </>
        )}
        {!isSaid && message !== undefined && <p>{message}</p>}
        {rows && report.problems.length > 0 && <p>{report.problems.join(". ")}</p>}
      </div>
      <div data-body="" className="flex flex-col gap-1.5">
        {view === "json" ? (
          <JsonText
            ref={editor}
            memory={memory}
            value={value}
            onChange={onChange}
            start={start}
            guide={guide}
            problems={problems.length > 0 ? problems : guided}
            settled={settled}
            readOnly={readOnly}
            required={required}
            invalid={message !== undefined}
            labelledBy={`${id}-label`}
            describedBy={`${id}-description ${id}-message`}
          />
        ) : (
          <RowsView
            ref={table}
            noun={label.toLowerCase()}
            words={words}
            value={value}
            onChange={onChange}
            state={rows}
            onState={changeRows}
            views={views}
            types={types}
            nullable={nullable}
            readOnly={readOnly}
            onGoTo={goTo}
            guide={guide}
            saved={saved}
            withDefaults={withDefaults}
            query={query.trim().toLowerCase()}
          />
        )}
      </div>
    </fieldset>
  );
}

/** The guide's problems at their rows in a text; those with what is not there have no place. */
function guidedProblems(guide: SheetGuide, text: string, saved: string | undefined) {
  const rows = readTable(text)?.rows ?? [];
  return guide.find(text, saved).map(({ key, part, message, isRefused }): JsonProblem & { isRefused: boolean } => {
    const row = rows.find((one) => one.key === key);
    const span = part === "key" ? row?.keySpan : row?.valueSpan;
    return {
      message: `${key} ${uncapitalize(message)}`,
      isRefused,
      ...(span && { place: placeOf(text, span.from, span.to - span.from) }),
    };
  });
}
