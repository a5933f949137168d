import { useId, useMemo, useRef } from "react";
import { placed, problemsIn } from "@/components/definitions/problems";
import type { EditorMemory } from "@/components/json-editor/code-editor";
import { JsonText, ProblemList, useSettled } from "@/components/json-editor/json-text";
import type { JsonViewHandle } from "@/components/json-editor/json-view";
import type { JsonProblem } from "@/components/json-editor/problems";
import { Button } from "@/components/ui/button";
import type { FieldIssue } from "@/lib/errors";

interface DefinitionsJsonProps {
  value: string;
  onChange: (text: string) => void;
  /** of the service */
  issues: FieldIssue[];
  readOnly: boolean;
}

/** Rules as JSON; all problems are listed, and lead to their places. */
export function DefinitionsJson({ value, onChange, issues, readOnly }: DefinitionsJsonProps) {
  const id = useId();
  const editor = useRef<JsonViewHandle>(null);
  const memory = useRef<EditorMemory>(undefined);
  const settled = useSettled(value);
  const problems = useMemo(() => {
    const found = problemsIn(settled);
    return found.length > 0 ? found : placed(settled, issues);
  }, [settled, issues]);
  const goTo = ({ place }: JsonProblem) => {
    if (place) editor.current?.select({ anchor: place.offset, head: place.offset });
  };
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between">
        <h2 id={`${id}-label`} className="font-semibold text-base">
          Rules as JSON
        </h2>
        {!readOnly && (
          <Button variant="ghost" size="small" onClick={() => editor.current?.format()}>
            Format
          </Button>
        )}
      </div>
      <JsonText
        ref={editor}
        memory={memory}
        value={value}
        onChange={onChange}
        problems={problems}
        settled={settled}
        readOnly={readOnly}
        start={undefined}
        required
        invalid={problems.length > 0}
        labelledBy={`${id}-label`}
        describedBy={`${id}-problems`}
      />
      <div id={`${id}-problems`} aria-live="polite" className="min-h-4 text-danger text-xs">
        <ProblemList problems={problems} onGoTo={goTo} />
      </div>
    </div>
  );
}
