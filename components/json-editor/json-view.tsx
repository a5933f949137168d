import { type ComponentType, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { cn } from "@/lib/browser/class-name";
import { load } from "@/lib/browser/load";
import type { CodeEditor, EditorMemory } from "./code-editor";
import type { JsonProblem } from "./problems";

export interface JsonViewHandle {
  /** Brings the caret to an offset in UTF-16 units, and takes the focus. */
  goTo(offset: number): void;
}

/** Shared by the code editor and its fallback. */
export interface JsonViewProps {
  ref: Ref<JsonViewHandle>;
  /** JSON text with \n line ends. */
  value: string;
  onChange: (value: string) => void;
  /** Problems with `settled`, the text at the last pause in typing. */
  problems: JsonProblem[];
  settled: string;
  readOnly: boolean;
  required: boolean;
  invalid: boolean;
  labelledBy: string;
  describedBy: string;
  /** Outlives the editor. */
  memory: { current: EditorMemory | undefined };
}

type LoadedEditor = ComponentType<Parameters<typeof CodeEditor>[0]>;

let loadedEditor: LoadedEditor | undefined;

export async function loadCodeEditor(): Promise<LoadedEditor> {
  loadedEditor ??= (await load(() => import("./code-editor"))).CodeEditor;
  return loadedEditor;
}

/** JSON as text: in a plain field until the code editor loads, and for good if it cannot. */
export function JsonView({ start, ...props }: JsonViewProps & { start: number | undefined }) {
  const plain = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<{ Component: LoadedEditor; start: number | undefined } | undefined>(
    () => loadedEditor && { Component: loadedEditor, start },
  );
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    if (loadedEditor) return;
    loadCodeEditor().then(
      // The editor takes over the caret and the focus.
      (Component) => setEditor({ Component, start: plain.current ? caretOf(plain.current) : undefined }),
      () => setFailed(true),
    );
  }, []);

  return (
    <>
      <div
        className={cn(
          "overflow-hidden rounded-lg border border-control bg-surface outline-offset-2",
          "has-[.cm-focused,textarea:focus]:outline-2 has-[.cm-focused,textarea:focus]:outline-accent",
        )}
      >
        {editor ? (
          <editor.Component {...props} start={editor.start} />
        ) : (
          <PlainEditor {...props} element={plain} start={start} />
        )}
      </div>
      {failed && (
        <p className="text-text-muted text-xs" role="status">
          The code editor did not load. Use this plain field instead.
        </p>
      )}
    </>
  );
}

interface PlainEditorProps extends JsonViewProps {
  element: { current: HTMLTextAreaElement | null };
  start: number | undefined;
}

function PlainEditor({ ref, value, onChange, element, start, ...rest }: PlainEditorProps) {
  useImperativeHandle(
    ref,
    () => ({
      goTo(offset) {
        element.current?.focus();
        element.current?.setSelectionRange(offset, offset);
      },
    }),
    [element],
  );

  const atFirst = useRef(start);
  useEffect(() => {
    const { current: field } = element;
    const { current: start } = atFirst;
    if (!field || start === undefined) return;
    field.focus();
    field.setSelectionRange(start, start);
  }, [element]);

  return (
    <textarea
      ref={element}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      readOnly={rest.readOnly}
      required={rest.required}
      aria-labelledby={rest.labelledBy}
      aria-describedby={rest.describedBy}
      aria-invalid={rest.invalid}
      rows={value.split("\n").length}
      spellCheck={false}
      autoComplete="off"
      className={cn(
        "block min-h-[var(--editor-height,max(240px,100dvh-580px))] w-full resize-none bg-transparent py-[7px] pr-2",
        "pl-12 font-mono text-[13px] leading-5 outline-none",
      )}
    />
  );
}

function caretOf(field: HTMLTextAreaElement): number | undefined {
  return document.activeElement === field ? field.selectionEnd : undefined;
}
