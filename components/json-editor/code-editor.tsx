import { defaultKeymap, history, historyField, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { linter, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import CodeMirror, { ExternalChange, type Text } from "@uiw/react-codemirror";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useState } from "react";
import type { JsonPlace } from "@/lib/json/json";
import { codeTheme } from "./code-theme";
import type { JsonViewProps } from "./json-view";
import { capitalize } from "./problems";
import { scrollMargins } from "./scroll-margins";

/** Kept while the rows are shown, so that undo still works afterwards. */
export interface EditorMemory {
  text: string;
  state: unknown;
}

const REMEMBERED = { history: historyField };

interface CodeEditorProps extends JsonViewProps {
  /** The initial caret, brought into view; the editor then takes the focus. */
  start: number | undefined;
}

// Chrome would keep the replaced text's look in a style attribute, which the page's policy blocks.
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state } = view;
    if (inputType !== "insertText" || !data || view.composing || state.readOnly || state.selection.main.empty)
      return false;
    view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const COMMON = [
  typeOverSelection,
  lineNumbers(),
  codeFolding({ placeholderText: "…" }),
  foldGutter({ openText: "⌄", closedText: "›" }),
  history(),
  json(),
  indentUnit.of("  "),
  bracketMatching(),
  drawSelection(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  search({ top: true }),
  linter(null),
  lintGutter(),
  EditorView.lineWrapping,
  scrollMargins,
  keymap.of([...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, ...defaultKeymap]),
  codeTheme,
];

/** A CodeMirror editor for JSON. Load it lazily: it is many times the size of everything else here. */
export function CodeEditor({ ref, value, onChange, start, memory, problems, settled, ...rest }: CodeEditorProps) {
  const { readOnly, required, labelledBy, describedBy, invalid } = rest;
  const [view, setView] = useState<EditorView>();
  const [remembered] = useState(() => (memory.current?.text === value ? memory.current.state : undefined));

  useLayoutEffect(() => {
    if (!view) return;
    return () => {
      memory.current = { text: view.state.doc.toString(), state: view.state.toJSON(REMEMBERED) };
    };
  }, [view, memory]);

  const extensions = useMemo(
    () => [
      ...COMMON,
      EditorView.cspNonce.of(nonceOfDocument()),
      EditorView.contentAttributes.of({
        "aria-labelledby": labelledBy,
        "aria-describedby": describedBy,
        "aria-invalid": String(invalid),
        "aria-required": String(required),
        "aria-readonly": String(readOnly),
        spellcheck: "false",
      }),
    ],
    [labelledBy, describedBy, invalid, required, readOnly],
  );

  // CodeMirror's wrapper would apply a value from outside only after a pause in typing, over what was typed until then.
  useLayoutEffect(() => {
    const { doc } = view?.state ?? {};
    if (!doc || doc.toString() === value) return;
    view?.dispatch({ changes: { from: 0, to: doc.length, insert: value }, annotations: ExternalChange.of(true) });
  }, [view, value]);

  // The problems may belong to an older text; those of this text follow.
  useEffect(() => {
    if (!view || view.state.doc.toString() !== settled) return;
    const diagnostics = problems.flatMap(({ message, place }) =>
      place ? [{ ...rangeOf(view.state.doc, place), severity: "error" as const, message: capitalize(message) }] : [],
    );
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }, [view, problems, settled]);

  useImperativeHandle(
    ref,
    () => ({
      goTo(offset) {
        if (!view) return;
        showCaret(view, offset);
        view.focus();
      },
    }),
    [view],
  );

  return (
    <CodeMirror
      value={value}
      onChange={onChange}
      readOnly={readOnly}
      basicSetup={false}
      indentWithTab={false}
      theme="none"
      extensions={extensions}
      {...(remembered !== undefined && { initialState: { json: remembered, fields: REMEMBERED } })}
      autoFocus={start !== undefined}
      onCreateEditor={(created) => {
        setView(created);
        if (start === undefined) return;
        showCaret(created, start);
        // Heights are estimates until the first lines are drawn.
        requestAnimationFrame(() =>
          created.dispatch({ effects: EditorView.scrollIntoView(created.state.selection.main.head) }),
        );
      }}
    />
  );
}

/** Read from the document: a later response has another nonce, which this page's policy rejects. */
function nonceOfDocument(): string {
  return document.querySelector<HTMLElement>("script[nonce]")?.nonce ?? "";
}

function showCaret(view: EditorView, offset: number) {
  // Text may have been deleted since the place was found.
  const anchor = Math.min(offset, view.state.doc.length);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
}

function rangeOf(text: Text, { line, column, length }: JsonPlace): { from: number; to: number } {
  const from = Math.min(text.line(Math.min(line, text.lines)).from + column - 1, text.length);
  return { from, to: Math.min(from + length, text.length) };
}
