import { CodeText } from "@/components/code-text";
import type { Variable } from "@/lib/definitions/schema";

/** Where a value comes from. */
export const SOURCE_WORDS: Record<Variable["source"], string> = {
  property: "The group",
  default: "The default",
  missing: "Missing",
};

/** A JSON value as it is spelled. */
export function ValueText({ text }: { text: string }) {
  return (
    <code className="block max-h-40 overflow-y-auto whitespace-pre-wrap break-all font-mono text-xs leading-5">
      <CodeText text={text} />
    </code>
  );
}
