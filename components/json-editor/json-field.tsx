"use client";

import { type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Segmented } from "@/components/ui/segmented";
import { whenIdle } from "@/lib/browser/load";
import type { EditorMemory, TextSelection } from "./code-editor";
import type { SheetGuide } from "./guide";
import type { SheetWords } from "./json-row";
import { JsonText, ProblemList, useSettled, withLineFeeds } from "./json-text";
import { type JsonViewHandle, loadCodeEditor } from "./json-view";
import { capitalize, findProblems, isBlank, type JsonProblem, type JsonRules, placeOf } from "./problems";
import { type RowType, readTable } from "./rows";
import { RowsView } from "./rows-view";

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
  ref?: Ref<{ focus(): void }> | undefined;
}

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
    ref,
  } = props;
  const id = useId();
  const [view, setView] = useState<JsonFieldView>(defaultView);
  const [start, setStart] = useState<TextSelection>();
  const box = useRef<HTMLFieldSetElement>(null);
  const editor = useRef<JsonViewHandle>(null);
  const memory = useRef<EditorMemory>(undefined);
  // Before the connection may be lost.
  useEffect(() => whenIdle(() => void loadCodeEditor().catch(() => undefined)), []);

  const settled = useSettled(value);
  const problems = useMemo(
    () => findProblems(settled, { required, nullable, maxBytes }),
    [settled, required, nullable, maxBytes],
  );
  const [problem] = problems;
  const guided = useMemo(
    () => (guide && problems.length === 0 && !isBlank(settled) ? guidedProblems(guide, settled, saved) : []),
    [guide, problems, settled, saved],
  );
  const message = problem ? capitalize(problem.message) : error;
  const count = useMemo(() => readTable(settled)?.rows.length, [settled]);

  useImperativeHandle(
    ref,
    () => ({
      focus() {
        const fields = "[contenteditable], textarea, input:not([type=radio]), button";
        const wrong = box.current?.querySelector<HTMLElement>(
          `:is(${fields})[aria-invalid=true], [data-refused] :is(${fields})`,
        );
        (wrong ?? box.current?.querySelector<HTMLElement>(`[data-body] :is(${fields})`))?.focus();
      },
    }),
    [],
  );

  const goTo = ({ place }: JsonProblem) => {
    const caret = place ? withLineFeeds(value.slice(0, place.offset)).length : 0;
    const selection = { anchor: caret, head: caret };
    if (view === "json") return editor.current?.select(selection);
    setStart(selection);
    setView("json");
  };

  return (
    <fieldset
      ref={box}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-description ${id}-message`}
      className="flex min-w-0 flex-col gap-1.5 text-[13px] text-text leading-5"
    >
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span>
          <span id={`${id}-label`} className="font-semibold text-base">
            {label}
          </span>{" "}
          {count !== undefined && count > 0 && <span className="text-base text-text-muted tabular-nums">{count}</span>}
        </span>
        <div className="flex items-center gap-2">
          {view === "json" && !readOnly && (
            <Button variant="ghost" size="small" onClick={() => editor.current?.format()}>
              Format
            </Button>
          )}
          <Segmented
            label={`View of ${label.toLowerCase()}`}
            value={view}
            options={VIEWS}
            onChange={(next) => {
              setStart(undefined);
              setView(next);
            }}
          />
        </div>
      </div>
      {description && (
        <p id={`${id}-description`} className="text-text-muted text-xs">
          {description}
        </p>
      )}
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
            noun={label.toLowerCase()}
            words={words}
            value={value}
            onChange={onChange}
            types={types}
            nullable={nullable}
            readOnly={readOnly}
            onGoTo={goTo}
            guide={guide}
            saved={saved}
          />
        )}
      </div>
      <div id={`${id}-message`} aria-live="polite" className="min-h-4 text-danger text-xs">
        {view === "json" && problems.length > 0 ? (
          <ProblemList problems={problems} onGoTo={goTo} />
        ) : (
          // Rows show it in place.
          <p className={view === "rows" && problem?.place ? "sr-only" : ""}>{message}</p>
        )}
        {view === "json" && guided.length > 0 && (
          <>
            <ProblemList problems={guided.filter(({ isRefused }) => isRefused)} onGoTo={goTo} />
            <div className="text-warning">
              <ProblemList problems={guided.filter(({ isRefused }) => !isRefused)} onGoTo={goTo} />
            </div>
          </>
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
      message: `${key} ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
      isRefused,
      ...(span && { place: placeOf(text, span.from, span.to - span.from) }),
    };
  });
}
