"use client";

import { CodeText } from "@/components/code-text";
import { CopyButton } from "@/components/copy-button";

interface CodeBlockProps {
  /** names the copy button: "curl call" */
  what: string;
  text: string;
  /** without colours, for a token */
  isPlain?: boolean;
  /** focuses the copy button when its dialog opens */
  autoFocus?: boolean;
}

/** Preformatted text with a copy button. */
export function CodeBlock({ what, text, isPlain = false, autoFocus = false }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-border bg-sunken">
      <pre className="min-h-9 wrap-anywhere whitespace-pre-wrap py-2 pr-11 pl-3 font-mono text-xs leading-4.5">
        <code>{isPlain ? text : <CodeText text={text} />}</code>
      </pre>
      <div className="absolute top-1.5 right-1.5 flex pointer-coarse:top-0 pointer-coarse:right-0">
        <CopyButton what={what} text={text} autoFocus={autoFocus} />
      </div>
    </div>
  );
}
