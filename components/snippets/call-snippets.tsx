"use client";

import { useId } from "react";
import { CodeSample } from "@/components/code-sample";
import { CopyButton } from "@/components/copy-button";
import { LANGUAGE_OPTIONS, useSnippet } from "@/components/snippets/use-snippet";
import { Select } from "@/components/ui/select";
import {
  API_TOKEN_VARIABLE,
  CURRENT_TOKEN_VARIABLE,
  type SnippetCall,
  type SnippetGroup,
} from "@/lib/snippets/request";
import { LANGUAGES } from "@/lib/snippets/snippet";

const NAMES: Record<SnippetCall, string> = {
  getOrCreate: "Get or create",
  update: "Update",
  rotate: "Rotate the token",
  mint: "Mint a viewer token",
  ask: "Identify a viewer",
  list: "List user groups",
};

interface CallSnippetsProps {
  call: SnippetCall;
  group: SnippetGroup;
  /** the environment of the API token, by name */
  environment?: string | undefined;
}

/** An API call as code, in the reader's language. */
export function CallSnippets({ call, group, environment }: CallSnippetsProps) {
  const id = useId();
  const { language, setLanguage, text, file } = useSnippet(call, group);
  const { name, command, needs } = LANGUAGES[language];
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Select label="Language" value={language} onChange={setLanguage} options={LANGUAGE_OPTIONS} />
        <CopyButton what="snippet" text={text}>
          Copy
        </CopyButton>
      </div>
      <section aria-label={`${NAMES[call]}, ${name}`} aria-describedby={id}>
        <CodeSample text={text} />
      </section>
      <p id={id} className="text-text-muted text-xs">
        Put an API token{environment && ` of ${environment}`} into the variable <Code>{API_TOKEN_VARIABLE}</Code>
        {(call === "rotate" || call === "ask") && (
          <>
            {" "}
            and {call === "ask" ? "the token that a viewer presents" : "the group’s current token"} into{" "}
            <Code>{CURRENT_TOKEN_VARIABLE}</Code>
          </>
        )}
        , save this as <Code>{file}</Code> and run <Code>{`${command} ${file}`}</Code>. It needs {needs}.
      </p>
    </div>
  );
}

function Code({ children }: { children: string }) {
  return <code className="wrap-anywhere font-mono text-text">{children}</code>;
}
