"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { oas31 } from "zod-openapi";
import { CodeBlock } from "@/components/code-block";
import { useApiToken } from "@/components/docs/api-token";
import { type ShownAnswer, send } from "@/components/docs/send";
import { SecretField } from "@/components/secret-input";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import { Notice } from "@/components/ui/notice";
import { TextAreaField, TextField } from "@/components/ui/text-field";
import { formatJson } from "@/lib/json/format";

/** The most characters of a file to show. */
const MAX_SHOWN = 20_000;

interface TryCallProps {
  /** names the form */
  what: string;
  method: string;
  path: string;
  /** the initial body; undefined for none */
  example: string | undefined;
  /** of the path and the query */
  parameters: oas31.ParameterObject[];
  /** an optional header */
  header?: { name: string; hint: string } | undefined;
}

/** For text that is sent exactly as typed. */
const LITERAL = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;

/** A form that sends a real call and shows the raw response. */
export function TryCall({ what, method, path, example, parameters, header }: TryCallProps) {
  const [token, setToken] = useApiToken();
  const [body, setBody] = useState(example);
  const [value, setValue] = useState("");
  const [texts, setTexts] = useState(() => initialTexts(parameters));
  const [problem, setProblem] = useState<string>();
  const call = useMutation({ mutationFn: send, gcTime: 0 });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = problemOf(token);
    setProblem(wrong);
    if (wrong) return call.reset();
    call.mutate({
      method,
      path: addressOf(path, parameters, texts),
      token,
      body,
      headers: header && value !== "" ? { [header.name]: value } : {},
    });
  };
  return (
    <form aria-label={`Try it: ${what}`} onSubmit={submit} className="flex flex-col gap-4 pt-3">
      <SecretField
        label="API token"
        hint="Kept only in this page’s memory."
        error={problem}
        autoComplete="off"
        value={token}
        onChange={(event) => {
          setToken(event.target.value.trim());
          setProblem(undefined);
        }}
      />
      {token.startsWith("uga_live_") && (
        <Notice tone="warning">
          <p>This token belongs to a Customer environment: calls from here change real groups.</p>
        </Notice>
      )}
      {parameters.map(({ name, schema }) => (
        <Field
          key={name}
          label={<code className="font-mono text-xs">{name}</code>}
          hint={isList(schema) ? "One per line." : undefined}
        >
          {(control) => (
            <Textarea
              {...control}
              {...LITERAL}
              rows={isList(schema) ? 2 : 1}
              className="font-mono text-xs"
              value={texts[name] ?? ""}
              onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      {header && (
        <TextField
          label={header.name}
          hint={header.hint}
          isLiteral
          className="font-mono text-xs"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      )}
      {body !== undefined && (
        <TextAreaField
          label="Body"
          {...LITERAL}
          rows={body.split("\n").length}
          className="font-mono text-xs"
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      <Button type="submit" variant="primary" className="self-start" disabled={call.isPending}>
        Send {method}
      </Button>
      {call.error && (
        <Notice tone="danger" role="alert" title="No response">
          <p>{call.error.message}</p>
        </Notice>
      )}
      {call.data && <Answer what={what} answer={call.data} />}
    </form>
  );
}

function Answer({ what, answer }: { what: string; answer: ShownAnswer }) {
  const { status, headers } = answer;
  return (
    <section aria-label={`Response to ${what}`} className="flex flex-col gap-2">
      <p role="status" className="font-medium">
        Responded with <span className={status < 400 ? "text-success" : "text-danger"}>{status}</span>
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 font-mono text-xs">
        {headers.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-text-muted">{name}</dt>
            <dd className="break-all">{text}</dd>
          </div>
        ))}
      </dl>
      <CodeBlock what="response" text={shown(answer)} />
    </section>
  );
}

/** Required parameters begin with their example, others empty: those are not sent. */
function initialTexts(parameters: oas31.ParameterObject[]): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, required, schema }) => {
      const [example] = (required && schema && "examples" in schema && schema.examples) || [];
      return [name, example === undefined ? "" : String(example)];
    }),
  );
}

function isList(schema: oas31.ParameterObject["schema"]): boolean {
  return schema !== undefined && "type" in schema && schema.type === "array";
}

function addressOf(path: string, parameters: oas31.ParameterObject[], texts: Record<string, string>): string {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, schema } of parameters) {
    const text = texts[name] ?? "";
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(text.trim()));
    else for (const value of isList(schema) ? text.split("\n") : [text]) if (value !== "") query.append(name, value);
  }
  return query.size > 0 ? `${address}?${query}` : address;
}

/** A response as text: JSON indented, and of a long file the beginning. */
function shown({ isJson, text }: ShownAnswer): string {
  if (isJson) return formatJson(text).trim();
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text.trim();
}

function problemOf(token: string): string | undefined {
  if (token === "") return "Enter an API token. An owner or admin creates one under API tokens.";
  // Browsers refuse to send it, with an unclear error.
  return /^[\x21-\x7e]+$/.test(token) ? undefined : "API tokens have only letters, digits and underscores.";
}
