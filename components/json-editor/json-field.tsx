import { type Ref, useCallback, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import { Switch } from "@/components/ui/switch";
import { whenIdle } from "@/lib/browser/load";
import { formatJson } from "@/lib/json/format";
import type { EditorMemory } from "./code-editor";
import type { SheetGuide } from "./guide";
import { ProblemList, withLineFeeds } from "./json-text";
import { JsonView, type JsonViewHandle, loadCodeEditor } from "./json-view";
import { describeProblem, findProblems, type JsonProblem, type JsonRules } from "./problems";
import type { SheetWords } from "./row-fields";
import { type RowView, viewRows } from "./row-views";
import type { RowType } from "./rows";
import { openRows, type RowsState } from "./rows-state";
import { RowsView, type RowsViewHandle } from "./rows-view";
import { type FieldReport, useFieldReport } from "./use-field-report";

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
  /** The saved text, which guides compare with; undefined for something new. */
  saved?: string | undefined;
  /** An error found elsewhere, such as by the server. */
  error?: string | undefined;
  readOnly?: boolean | undefined;
  /** The types offered for a row, the first as default; a value of another type keeps it. */
  types?: readonly RowType[] | undefined;
  defaultView?: JsonFieldView | undefined;
  /** What is known about the object's keys. */
  guide?: SheetGuide | undefined;
  onReport?: ((report: FieldReport) => void) | undefined;
  ref?: Ref<{ focus(): void }> | undefined;
}

/** Fields with this many rows or more have a search. */
const SEARCHED_FROM = 20;
const NO_ROWS: readonly RowView[] = [];

/** Edits a JSON object as rows or as text, and shows errors while typing. */
export function JsonField({ types = ALL_TYPES, defaultView = "rows", ...props }: JsonFieldProps) {
  const { value, onChange, label, description, words = WORDS, error, ...rest } = props;
  const { required = false, nullable = false, readOnly = false, guide, saved, ref } = rest;
  const id = useId();
  const [view, setView] = useState<JsonFieldView>(defaultView);
  const [start, setStart] = useState<number>();
  const [withDefaults, setWithDefaults] = useState(true);
  const [query, setQuery] = useState("");
  const box = useRef<HTMLFieldSetElement>(null);
  const editor = useRef<JsonViewHandle>(null);
  const table = useRef<RowsViewHandle>(null);
  const memory = useRef<EditorMemory>(undefined);
  const format = () => onChange(formatJson(value));
  const { rows, views, changeRows } = useRows(props, view === "rows");
  const { settled, problems, found, count = 0, sentences, ...report } = useFieldReport({ ...props, rows, views });
  const message = report.message ?? error;
  // Loaded now, in case the connection is lost.
  useEffect(() => whenIdle(() => void loadCodeEditor().catch(() => undefined)), []);
  // Whether the rows or the list already show the problem.
  const isSaid = sentences.length > 0 && (view === "json" || rows !== undefined || problems[0]?.place);

  const goTo = ({ place }: JsonProblem) => {
    const caret = place ? withLineFeeds(value.slice(0, place.offset)).length : 0;
    if (view === "json") return editor.current?.goTo(caret);
    setStart(caret);
    setView("json");
  };
  useImperativeHandle(ref, () => ({
    focus() {
      if (view === "json" && problems[0]) return goTo(problems[0]);
      setQuery("");
      table.current?.reveal();
      // Once the row shows.
      setTimeout(() => focusWrong(box.current?.querySelector("[data-body]")));
    },
  }));
  const show = (next: JsonFieldView) => {
    setStart(undefined);
    setView(next);
    // Stored text is one long line.
    if (next === "json" && !value.includes("\n") && problems.length === 0) format();
  };
  const hasDefaults = [...(guide?.rows.values() ?? [])].some((row) => row.defaultValue !== undefined);
  // Why there are no rows.
  const [fault] = view === "rows" && !rows ? findProblems(value, { nullable }) : [];
  const noun = label.toLowerCase();
  const missing = view === "rows" ? found.filter(({ place }) => !place).length : 0;
  return (
    <fieldset
      ref={box}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-description ${id}-message`}
      className="flex min-w-0 flex-col gap-1.5 text-[13px] text-text leading-5"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="max-sm:mr-auto">
          <span id={`${id}-label`} className="font-semibold text-base">
            {label}
          </span>{" "}
          {count > 0 && <span className="text-base text-text-muted tabular-nums">{count}</span>}
        </span>
        {view === "rows" && (count >= SEARCHED_FROM || query !== "") && (
          <Input
            type="search"
            aria-label={`Search ${noun}`}
            placeholder={`Search ${count} ${noun}`}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            className="max-sm:order-last max-sm:h-11 max-sm:text-lg sm:w-54"
          />
        )}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-x-3 gap-y-1 max-sm:contents">
          <div className="flex gap-3 empty:hidden max-sm:order-1 max-sm:w-full">
            {rows && missing > 0 && !readOnly && (
              <Button
                variant="ghost"
                size="small"
                className="text-warning! max-sm:-ml-2"
                onClick={() => box.current?.querySelector<HTMLElement>("[data-missing] button")?.focus()}
              >
                {missing} missing
              </Button>
            )}
            {rows && hasDefaults && (
              <Switch checked={withDefaults} onChange={setWithDefaults}>
                With defaults
              </Switch>
            )}
            {view === "json" && !readOnly && (
              <Button variant="ghost" size="small" className="max-sm:-ml-2" onClick={format}>
                Format
              </Button>
            )}
          </div>
          <Segmented label={`View of ${noun}`} value={view} options={VIEWS} onChange={show} />
        </div>
      </div>
      {description && (
        <p id={`${id}-description`} className="text-text-muted text-xs max-sm:sr-only">
          {description}
        </p>
      )}
      <div
        id={`${id}-message`}
        aria-live="polite"
        // For screen readers only, while the rows show it in place.
        className={rows && isSaid ? "sr-only" : "text-danger text-xs empty:hidden"}
      >
        {view === "json" && <ProblemList problems={found} onGoTo={goTo} />}
        {!isSaid && message !== undefined && <p>{message}</p>}
        {rows && sentences.length > 0 && <p>{sentences.join(". ")}</p>}
      </div>
      <div data-body="" className="flex flex-col gap-1.5">
        {view === "json" ? (
          <JsonView
            memory={memory}
            value={withLineFeeds(value)}
            onChange={onChange}
            start={start}
            settled={withLineFeeds(settled)}
            readOnly={readOnly}
            required={required}
            ref={editor}
            problems={found}
            invalid={message !== undefined}
            labelledBy={`${id}-label`}
            describedBy={`${id}-description ${id}-message`}
          />
        ) : rows ? (
          <RowsView
            words={words}
            views={views}
            types={types}
            readOnly={readOnly}
            guide={guide}
            saved={saved}
            withDefaults={withDefaults}
            ref={table}
            state={rows}
            onChange={changeRows}
            query={query.trim().toLowerCase()}
          />
        ) : (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-border bg-sunken px-3 py-2">
            <p className="text-text-muted">
              {fault ? `Fix the JSON to see it as a table. ${describeProblem(fault)}` : "None"}
            </p>
            {fault && <Button onClick={() => goTo(fault)}>Go to the error</Button>}
          </div>
        )}
      </div>
    </fieldset>
  );
}

/** Rows of a text. `asNull` are the rows shown for null; returning to them restores it. */
function hold(text: string, value: string) {
  const rows = openRows(text);
  return { text, rows, asNull: text === value ? undefined : rows };
}

/** Rows of the text while it is an object. A null value shows as an empty sheet, and changes on the first edit. */
function useRows({ value, onChange, nullable, readOnly }: JsonFieldProps, isShown: boolean) {
  const text = nullable && !readOnly && value.trim() === "null" ? "{}" : value;
  const [held, setHeld] = useState(() => hold(text, value));
  if (isShown && held.text !== text) setHeld(hold(text, value));
  const { asNull } = held;
  const changeRows = useCallback(
    (rows: RowsState) => {
      setHeld({ text: rows.text, rows, asNull });
      onChange(rows === asNull ? "null" : rows.text);
    },
    [onChange, asNull],
  );
  const rows = isShown ? held.rows : undefined;
  const views = useMemo(() => (rows ? viewRows(rows) : NO_ROWS), [rows]);
  return { rows, views, changeRows };
}

/** Focuses the first control with a problem, else the first one. */
function focusWrong(body: Element | null | undefined) {
  const controls = [...(body?.querySelectorAll<HTMLElement>("[contenteditable], textarea, input, button") ?? [])];
  const usable = controls.filter((one) => one.checkVisibility() && !one.closest("[inert]"));
  (usable.find((one) => one.matches("[aria-invalid=true], [data-refused] *")) ?? usable[0])?.focus();
}
