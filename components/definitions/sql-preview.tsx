"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CodeBlock } from "@/components/code-block";
import { useRecentQueries } from "@/components/definitions/recent-queries";
import { SOURCE_WORDS, ValueText } from "@/components/definitions/value-text";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { ApiError } from "@/lib/browser/api-client";
import { askToPreview, type PreviewedQuery } from "@/lib/definitions/queries";
import type { Group } from "@/lib/groups/queries";

interface Asked {
  sql: string;
  /** the id of the second group; empty for none */
  other: string;
}

interface Shown {
  name: string;
  query: PreviewedQuery;
}

/** Shows a query with a group's values as parameters, and with another group's. Nothing is run. */
export function SqlPreview({ group }: { group: Group }) {
  const slug = useEnvironmentSlug();
  const recent = useRecentQueries();
  const [asked, setAsked] = useState<Asked>({ sql: "", other: "" });
  const preview = useMutation({
    // One after the other, to report a faulty query only once.
    mutationFn: async ({ sql, other }: Asked): Promise<Shown[]> => {
      const shown = [{ name: group.name, query: await askToPreview(slug, group, sql) }];
      if (other !== "") {
        const query = await askToPreview(slug, { providedId: other }, sql).catch(told(other));
        shown.push({ name: other, query });
      }
      return shown;
    },
    onSuccess: (_, { sql }) => recent.remember(sql),
  });
  const { error } = preview;
  const inQuery = issueOf(error, "sql");
  const inOther = error instanceof NoOther ? error.message : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    preview.mutate({ ...asked, other: asked.other.trim() });
  };
  const show = (sql: string) => {
    setAsked({ ...asked, sql });
    preview.reset();
  };
  return (
    <section aria-label="Query preview" className="flex flex-col gap-4">
      <div>
        <h2 className="font-semibold text-base">Query preview</h2>
        <p className="text-text-muted text-xs">
          Paste a query with placeholders to see the statement and its parameters. Nothing is run.
        </p>
      </div>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Query"
          hint={
            <>
              A placeholder is a property: <code className="font-mono">{"{{user_group.plan}}"}</code>
            </>
          }
          error={inQuery}
        >
          {(control) => (
            <Textarea
              {...control}
              rows={4}
              value={asked.sql}
              onChange={({ target }) => show(target.value)}
              spellCheck={false}
              autoComplete="off"
              className="field-sizing-content max-h-96 min-h-24 font-mono text-xs leading-5"
            />
          )}
        </Field>
        <div className="flex flex-wrap items-start gap-x-3 gap-y-3">
          <div className="w-full sm:w-80">
            <Field label="Second group" hint="Its id, to see both side by side. Optional." error={inOther}>
              {(control) => (
                <Input
                  {...control}
                  value={asked.other}
                  onChange={({ target }) => setAsked({ ...asked, other: target.value })}
                  spellCheck={false}
                  autoComplete="off"
                  className="font-mono"
                />
              )}
            </Field>
          </div>
          <Button type="submit" className="sm:mt-6.5" disabled={preview.isPending || asked.sql.trim() === ""}>
            Preview
          </Button>
        </div>
      </form>
      {error && !inQuery && !inOther && <Failure title="There is no preview" error={error} />}
      {preview.data && <Previews shown={preview.data} />}
      {recent.queries.length > 0 && <Recent queries={recent.queries} onChoose={show} onClear={recent.clear} />}
    </section>
  );
}

class NoOther extends Error {}

/** Says that it is the second group that is not there. */
function told(other: string) {
  return (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== "unknown_user_group") throw error;
    throw new NoOther(`There is no group with the id ${other} in this environment.`);
  };
}

function Previews({ shown }: { shown: Shown[] }) {
  return (
    <div aria-live="polite" className="grid gap-4 md:grid-cols-[repeat(auto-fit,minmax(0,1fr))]">
      {shown.map(({ name, query: { sql, parameters } }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one is on the left, the other on the right
        <section key={index} aria-label={`Statement for ${name}`} className="flex min-w-0 flex-col gap-2">
          <h3 className="break-words font-medium">{name}</h3>
          <CodeBlock what={`statement for ${name}`} text={sql} isPlain />
          {parameters.length === 0 ? (
            <p className="text-text-muted text-xs">No parameters.</p>
          ) : (
            <ol aria-label={`Parameters for ${name}`} className="overflow-hidden rounded-lg border border-border">
              {parameters.map(({ name, value, source }, at) => (
                <li
                  key={name}
                  className="grid grid-cols-[32px_minmax(0,1fr)_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-3 py-2 [&+&]:border-border [&+&]:border-t"
                >
                  <span className="font-mono text-text-muted text-xs leading-5">${at + 1}</span>
                  <span className="min-w-0">
                    <span className="block break-all font-mono text-xs leading-5">{name}</span>
                    <span className="block text-text-muted text-xs">{SOURCE_WORDS[source]}</span>
                  </span>
                  <ValueText text={value.text} />
                </li>
              ))}
            </ol>
          )}
        </section>
      ))}
    </div>
  );
}

interface RecentProps {
  queries: string[];
  onChoose: (query: string) => void;
  onClear: () => void;
}

function Recent({ queries, onChoose, onClear }: RecentProps) {
  return (
    <section aria-label="Recent queries" className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium text-text-muted text-xs">Recent queries, kept in this browser</h3>
        <Button size="small" variant="ghost" onClick={onClear}>
          Clear
        </Button>
      </div>
      <ul className="overflow-hidden rounded-lg border border-border">
        {queries.map((query) => (
          <li key={query} className="[&+&]:border-border [&+&]:border-t">
            <button
              type="button"
              onClick={() => onChoose(query)}
              className="block min-h-9 w-full truncate px-3 text-left font-mono text-text-secondary text-xs -outline-offset-2! hover:bg-hover hover:text-text pointer-coarse:min-h-10"
            >
              {query.replace(/\s+/g, " ")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
