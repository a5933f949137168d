"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CodeBlock } from "@/components/code-block";
import { useApiToken } from "@/components/docs/api-token";
import { send } from "@/components/docs/send";
import { formatJson } from "@/components/json-editor/format";
import { SecretInput } from "@/components/secret-input";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { Notice } from "@/components/ui/notice";

interface TryCallProps {
  /** names the form */
  what: string;
  method: string;
  path: string;
  /** the initial body */
  example: string;
  /** an optional header */
  header?: { name: string; hint: string } | undefined;
}

/** A form that sends a real call and shows the raw response. */
export function TryCall({ what, method, path, example, header }: TryCallProps) {
  const [token, setToken] = useApiToken();
  const [body, setBody] = useState(example);
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState<string>();
  const call = useMutation({ mutationFn: send, gcTime: 0 });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = problemOf(token);
    setProblem(wrong);
    if (wrong) return call.reset();
    call.mutate({ method, path, token, body, headers: header && value !== "" ? { [header.name]: value } : {} });
  };
  return (
    <form aria-label={`Try it: ${what}`} onSubmit={submit} className="flex flex-col gap-4 pt-3">
      <Field label="API token" hint="Kept only in this page’s memory." error={problem}>
        {(control) => (
          <SecretInput
            {...control}
            autoComplete="off"
            value={token}
            onChange={(event) => {
              setToken(event.target.value.trim());
              setProblem(undefined);
            }}
          />
        )}
      </Field>
      {token.startsWith("uga_live_") && (
        <Notice tone="warning">
          <p>This token belongs to a Customer environment: calls from here change real groups.</p>
        </Notice>
      )}
      {header && (
        <Field label={header.name} hint={header.hint}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="Body">
        {(control) => (
          <Textarea
            {...control}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            rows={body.split("\n").length}
            className="font-mono text-xs"
            value={body}
            onChange={(event) => setBody(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" disabled={call.isPending}>
        Send {method}
      </Button>
      {call.error && (
        <Notice tone="danger" role="alert" title="No response">
          <p>{call.error.message}</p>
        </Notice>
      )}
      {call.data && (
        <section aria-label={`Response to ${what}`} className="flex flex-col gap-2">
          <p role="status" className="font-medium">
            Responded with{" "}
            <span className={call.data.status < 400 ? "text-success" : "text-danger"}>{call.data.status}</span>
          </p>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 font-mono text-xs">
            {call.data.headers.map(([name, text]) => (
              <div key={name} className="contents">
                <dt className="text-text-muted">{name}</dt>
                <dd className="break-all">{text}</dd>
              </div>
            ))}
          </dl>
          <CodeBlock what="response" text={formatJson(call.data.text).trim()} />
        </section>
      )}
    </form>
  );
}

function problemOf(token: string): string | undefined {
  if (token === "") return "Enter an API token. An owner or admin creates one under Settings, API tokens.";
  // Browsers refuse to send it, with an unclear error.
  return /^[\x21-\x7e]+$/.test(token) ? undefined : "API tokens have only letters, digits and underscores.";
}
