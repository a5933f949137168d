"use client";

import { type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from "react";
import type { EditorMemory, TextSelection } from "./code-editor";
import { JsonView, type JsonViewHandle } from "./json-view";
import { capitalize, describeProblem, findProblems, type JsonProblem, type JsonRules } from "./problems";
import type { RowType } from "./rows";
import { RowsView } from "./rows-view";

const ALL_TYPES: readonly RowType[] = ["string", "number", "boolean", "null", "json"];
/** Pause in typing before the text is checked, in milliseconds. */
const PAUSE = 300;

export type JsonFieldView = "rows" | "json";

export interface JsonFieldProps extends JsonRules {
  label: string;
  description?: string | undefined;
  /** JSON text; only edited parts change. */
  value: string;
  onChange: (value: string) => void;
  /** An error from elsewhere, such as the server. */
  error?: string | undefined;
  readOnly?: boolean | undefined;
  /** The types offered for a row, the first as default; a value of another type keeps it. */
  types?: readonly RowType[] | undefined;
  defaultView?: JsonFieldView | undefined;
  ref?: Ref<{ focus(): void }> | undefined;
}

/** Edits a JSON object as rows or as text, and shows errors while typing. */
export function JsonField({ value, onChange, types = ALL_TYPES, defaultView = "rows", ...props }: JsonFieldProps) {
  const { label, description, error, required = false, nullable = false, readOnly = false, maxBytes, ref } = props;
  const id = useId();
  const [view, setView] = useState<JsonFieldView>(defaultView);
  const [start, setStart] = useState<TextSelection>();
  const box = useRef<HTMLFieldSetElement>(null);
  const editor = useRef<JsonViewHandle>(null);
  const memory = useRef<EditorMemory>(undefined);

  const settled = useSettled(value);
  const problems = useMemo(
    () => findProblems(settled, { required, nullable, maxBytes }),
    [settled, required, nullable, maxBytes],
  );
  const [problem] = problems;
  const message = problem ? tellProblem(problem, view) : error && capitalize(error);

  useImperativeHandle(
    ref,
    () => ({
      focus() {
        const fields = "[contenteditable], textarea, input:not([type=radio]), button";
        const wrong = box.current?.querySelector<HTMLElement>(`:is(${fields})[aria-invalid=true]`);
        (wrong ?? box.current?.querySelector<HTMLElement>(`[data-body] :is(${fields})`))?.focus();
      },
    }),
    [],
  );

  const goTo = ({ place }: JsonProblem) => {
    const caret = place ? withLineFeeds(value.slice(0, place.offset)).length : 0;
    setStart({ anchor: caret, head: caret });
    setView("json");
  };

  return (
    <fieldset
      ref={box}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-description ${id}-message`}
      className="flex min-w-0 flex-col gap-1.5 text-[13px] text-text leading-5"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span id={`${id}-label`} className="font-medium">
          {label}
        </span>
        <div className="flex items-center gap-2">
          {view === "json" && !readOnly && (
            <button
              type="button"
              onClick={() => editor.current?.format()}
              className="h-[var(--control-height,32px)] rounded-md px-2 font-medium text-text-muted hover:bg-hover hover:text-text"
            >
              Format
            </button>
          )}
          <ViewSwitch
            name={`${id}-view`}
            label={`View of ${label.toLowerCase()}`}
            view={view}
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
            problems={problems}
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
            value={value}
            onChange={onChange}
            types={types}
            nullable={nullable}
            readOnly={readOnly}
            onGoTo={goTo}
          />
        )}
      </div>
      <p id={`${id}-message`} aria-live="polite" className="min-h-4 text-danger text-xs">
        {/* Rows show it in place. */}
        <span className={view === "rows" && problem?.place ? "sr-only" : ""}>{message}</span>
      </p>
    </fieldset>
  );
}

function JsonText({ value, onChange, settled, ...props }: Parameters<typeof JsonView>[0]) {
  const ends = value.includes("\r\n") && !/(^|[^\r])\n/.test(value) ? "\r\n" : "\n";
  const latest = useRef({ onChange, ends });
  useEffect(() => {
    latest.current = { onChange, ends };
  });
  const [changeText] = useState(() => (text: string) => {
    const { onChange, ends } = latest.current;
    onChange(ends === "\n" ? text : text.replaceAll("\n", ends));
  });
  return <JsonView {...props} value={withLineFeeds(value)} settled={withLineFeeds(settled)} onChange={changeText} />;
}

interface ViewSwitchProps {
  name: string;
  label: string;
  view: JsonFieldView;
  onChange: (view: JsonFieldView) => void;
}

function ViewSwitch({ name, label, view, onChange }: ViewSwitchProps) {
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="flex h-[var(--control-height,32px)] rounded-md border border-control p-px"
    >
      {(["rows", "json"] as const).map((option) => (
        <label
          key={option}
          className="relative flex cursor-pointer items-center rounded-[4px] px-2.5 text-text-muted hover:text-text has-checked:bg-hover has-checked:shadow-[inset_0_0_0_1px_var(--control)] has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
        >
          <input
            type="radio"
            name={name}
            checked={view === option}
            onChange={() => onChange(option)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {option === "rows" ? "Rows" : "JSON"}
        </label>
      ))}
    </div>
  );
}

/** The value after a pause, so that checking it never slows typing down. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function tellProblem(problem: JsonProblem, view: JsonFieldView): string {
  return view === "json" ? describeProblem(problem) : capitalize(problem.message);
}

/** Browsers use only line feeds in text fields. */
function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
