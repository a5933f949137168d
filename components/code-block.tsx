"use client";

import { CopyButton } from "@/components/copy-button";

interface CodeBlockProps {
  /** names the button that copies it: "curl call" */
  what: string;
  text: string;
  /** in a dialog: the button takes the focus when that opens */
  autoFocus?: boolean;
}

/** Text to copy letter by letter, and the button for it. */
export function CodeBlock({ what, text, autoFocus = false }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-border bg-background">
      <pre className="min-h-9 whitespace-pre-wrap break-all py-2 pr-11 pl-3 font-mono text-xs">{text}</pre>
      <div className="absolute top-1.5 right-1.5 flex pointer-coarse:top-0 pointer-coarse:right-0">
        <CopyButton what={what} text={text} autoFocus={autoFocus} />
      </div>
    </div>
  );
}
