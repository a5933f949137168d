"use client";

import { useId, useState } from "react";
import { CodeText } from "@/components/code-text";
import { CopyButton } from "@/components/copy-button";
import { useSnippetLanguage } from "@/components/snippets/use-snippet-language";
import { Select } from "@/components/ui/select";
import { useOrigin } from "@/components/use-in-browser";
import {
  API_TOKEN_VARIABLE,
  CALLS,
  CURRENT_TOKEN_VARIABLE,
  type SnippetCall,
  type SnippetGroup,
} from "@/lib/snippets/request";
import { LANGUAGE_IDS, LANGUAGES, snippet } from "@/lib/snippets/snippet";

const NAMES: Record<SnippetCall, string> = {
  ...{ getOrCreate: "Get or create", update: "Update", rotate: "Rotate the token" },
  mint: "Ask for a viewer token",
};
const LANGUAGE_OPTIONS = LANGUAGE_IDS.map((value) => ({ value, label: LANGUAGES[value].name }));

interface CallSnippetsProps {
  group: SnippetGroup;
  calls?: readonly [SnippetCall, ...SnippetCall[]];
  /** the environment of the API token, by name */
  environment?: string | undefined;
}

/** API calls as code, in the reader's language. */
export function CallSnippets({ group, calls = CALLS, environment }: CallSnippetsProps) {
  const id = useId();
  const [language, setLanguage] = useSnippetLanguage();
  const [chosen, setChosen] = useState<SnippetCall>(calls[0]);
  const call = calls.includes(chosen) ? chosen : calls[0];
  const { name, command, needs } = LANGUAGES[language];
  const { text, file } = snippet(language, call, { baseUrl: useOrigin(), group });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {calls.length > 1 && (
          <Select
            label="Call"
            value={call}
            onChange={setChosen}
            options={calls.map((value) => ({ value, label: NAMES[value] }))}
          />
        )}
        <Select label="Language" value={language} onChange={setLanguage} options={LANGUAGE_OPTIONS} />
        <span className="ml-auto">
          <CopyButton what="snippet" text={text}>
            Copy
          </CopyButton>
        </span>
      </div>
      <section
        aria-label={`${NAMES[call]}, ${name}`}
        aria-describedby={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard as well
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-border bg-sunken px-3 py-2.5"
      >
        <pre className="w-fit font-mono text-xs leading-4.5">
          <CodeText text={text} />
        </pre>
      </section>
      <p id={id} className="text-text-muted text-xs">
        Put an API token{environment && ` of ${environment}`} into the variable <Code>{API_TOKEN_VARIABLE}</Code>
        {call === "rotate" && (
          <>
            {" "}
            and the group’s current token into <Code>{CURRENT_TOKEN_VARIABLE}</Code>
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
