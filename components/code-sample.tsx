import { useState } from "react";
import { CodeText } from "@/components/code-text";
import { cn } from "@/lib/browser/class-name";

interface CodeSampleProps {
  text: string;
  /** the text to tint, such as the token or its mask */
  secret?: string;
  /** shows the first lines of a long text until it is unfolded */
  isFolding?: boolean;
}

const FOLDED = { lines: 5, look: "max-h-22.5 overflow-hidden" };

/** Code in colours, whose lines wrap between words. Its text is exactly `text`. */
export function CodeSample({ text, secret, isFolding = false }: CodeSampleProps) {
  const [isUnfolded, setUnfolded] = useState(false);
  const count = text.trimEnd().split("\n").length;
  const isFolded = isFolding && !isUnfolded && count > FOLDED.lines;
  return (
    <div className="rounded-lg border border-border bg-sunken">
      <pre className={cn("px-3.5 font-mono text-xs leading-4.5", isFolded ? "pt-2.5 pb-1" : "py-2.5")}>
        <span className={cn("wrap-anywhere block whitespace-pre-wrap", isFolded && FOLDED.look)}>
          <CodeText text={text}>{(part) => (secret ? withSecret(part, secret) : part)}</CodeText>
        </span>
      </pre>
      {isFolded && (
        <button
          type="button"
          onClick={() => setUnfolded(true)}
          className={cn(
            "h-6 w-full rounded-b-lg border-border border-t px-3.5 text-left text-text-muted text-xs",
            "hover:bg-hover hover:text-text pointer-coarse:h-10",
          )}
        >
          Show all {count} lines
        </button>
      )}
    </div>
  );
}

function withSecret(part: string, secret: string) {
  return part.split(secret).flatMap((rest, at) => [
    ...(at > 0
      ? [
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other key than its place
            key={at}
            className="rounded-sm bg-hue-3 px-0.5 text-hue-3-text forced-colors:outline"
          >
            {secret}
          </mark>,
        ]
      : []),
    rest,
  ]);
}
