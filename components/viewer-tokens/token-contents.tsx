import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useMemo, useState } from "react";
import { Failure } from "@/components/failure";
import { submitted } from "@/components/submitted";
import { Chip } from "@/components/ui/chip";
import { Input } from "@/components/ui/input";
import { Skeleton } from "@/components/ui/skeleton";
import { Switch } from "@/components/ui/switch";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { GroupChoice } from "@/components/viewer-tokens/group-choice";
import { TokenClaims } from "@/components/viewer-tokens/token-claims";
import type { VisibleDraft } from "@/components/viewer-tokens/use-visible-draft";
import { type ValueName, type VisibleValue, valuesOf } from "@/components/viewer-tokens/visible-values";
import { definitionsQuery, parseDefinitions } from "@/lib/definitions/queries";
import { ALL_GROUPS, type Group, groupListQuery, summaryQuery } from "@/lib/groups/queries";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

/** Other rows are found by search. */
const MAX_ROWS = 8;

interface TokenContentsProps {
  /** id of the form, for the save bar */
  form: string;
  settings: ViewerSettings;
  draft: VisibleDraft;
  /** name of the token's claim template */
  template: string;
  onTemplate: (name: string) => void;
}

/** A preview of a group's viewer token, updated as values are made visible. */
export function TokenContents({ form, settings, draft, template, onTemplate }: TokenContentsProps) {
  const slug = useEnvironmentSlug();
  const [chosen, setChosen] = useState<Group>();
  const groups = useQuery(groupListQuery(slug, ALL_GROUPS));
  const stored = useQuery(definitionsQuery(slug));
  const { data: summary } = useQuery(summaryQuery(slug));
  const definitions = useMemo(() => stored.data && parseDefinitions(stored.data.text), [stored.data]);
  const failed = [groups, stored].find(({ isError, data }) => isError && !data);
  const group = chosen ?? groups.data?.groups[0];
  const { visible } = settings;
  const values = useMemo(() => {
    if (!definitions) return [];
    const others = {
      properties: [
        ...visible.properties,
        ...Object.keys(definitions.properties),
        ...(summary?.properties ?? []).map(({ name }) => name),
      ],
      mapping: [...visible.mapping, ...Object.keys(definitions.schemas)],
    };
    return valuesOf(group ?? { properties: null, mapping: "{}" }, { visible, definitions, others });
  }, [group, visible, definitions, summary]);
  const own = values.filter(({ value }) => value !== undefined);
  const seen = own.filter((value) => isVisibleIn(value, draft));
  return (
    <form
      id={form}
      onSubmit={submitted(draft.save)}
      aria-labelledby={`${form}-title`}
      className="flex min-w-0 flex-col gap-2"
    >
      <div className="flex min-h-9 items-center justify-between gap-3">
        <h2 id={`${form}-title`} className="font-semibold text-base">
          What a token contains
        </h2>
        {group && <GroupChoice group={group} onChoose={setChosen} />}
      </div>
      <div className="overflow-hidden rounded-xl border border-border">
        {definitions && groups.data ? (
          <>
            {group ? (
              <TokenClaims
                group={group}
                settings={settings}
                definitions={definitions}
                draft={draft}
                chosen={template}
                onChoose={onTemplate}
                share={`${seen.length} of ${own.length} visible`}
              />
            ) : (
              <p className="border-border border-b bg-sunken px-4 py-3.5 text-text-secondary">
                Create a user group to see what its tokens contain.
              </p>
            )}
            <Values values={values} draft={draft} />
          </>
        ) : failed?.error ? (
          <Failure title="This could not be loaded" error={failed.error} onRetry={failed.refetch} />
        ) : (
          <Skeleton className="h-120 rounded-none" />
        )}
      </div>
      <p className="text-text-muted text-xs">
        Anyone with the page can read a token. Hidden properties reach only your renderer, when it calls{" "}
        <code className="whitespace-nowrap font-mono">POST /api/viewer</code>, and claim templates that name them.
      </p>
    </form>
  );
}

function Values({ values, draft }: { values: VisibleValue[]; draft: VisibleDraft }) {
  const canWrite = useCanWrite();
  const [text, setText] = useState("");
  const query = text.trim();
  const matches = values.filter(({ name, label }) => `${name}\n${label}`.toLowerCase().includes(query.toLowerCase()));
  // Changed rows always show.
  const rows = matches.filter((value, at) => at < MAX_ROWS || isVisibleIn(value, draft) !== value.isVisible);
  const unlisted = canWrite && query !== "" && !values.some(({ name }) => name === query) ? unlistedNames(query) : [];
  return (
    <>
      <ul aria-label="Properties and mapping" className="flex flex-col">
        {rows.map((value) => (
          <ValueRow key={`${value.part} ${value.name}`} value={value} draft={draft} />
        ))}
        {unlisted.map((one) => (
          <ValueRow
            key={`${one.part} ${one.name}`}
            value={{ ...one, value: undefined, isVisible: false, isRuled: false }}
            draft={draft}
          />
        ))}
      </ul>
      <div className="relative flex items-center">
        <Search aria-hidden className="pointer-events-none absolute left-4 size-4 text-text-muted" />
        <Input
          type="search"
          aria-label="Find a property or schema"
          placeholder={canWrite ? "Find or add a property…" : "Find a property…"}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
          // Enter in the search must not save the form.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          className="rounded-none! border-0! bg-transparent! pl-10! focus-visible:-outline-offset-2!"
        />
      </div>
    </>
  );
}

/** What a name that no group has yet can mean, likeliest first: a number is rather a schema's id. */
function unlistedNames(name: string): ValueName[] {
  const schema = { part: "mapping", name, label: `Schema ${name}` } as const;
  const property = { part: "properties", name, label: name } as const;
  return /^\d+$/.test(name) ? [schema, property] : [property, schema];
}

function ValueRow({ value: shown, draft }: { value: VisibleValue; draft: VisibleDraft }) {
  const canWrite = useCanWrite();
  const { label, value, isVisible, isRuled } = shown;
  const isVisibleNow = isVisibleIn(shown, draft);
  return (
    <li className="flex min-h-9 flex-col justify-center border-border border-b px-4">
      <Switch checked={isVisibleNow} disabled={!canWrite || isRuled} onChange={(next) => draft.set(shown, next)}>
        <span className="flex min-w-0 grow items-center gap-2.5">
          <span title={label} className="min-w-0 max-w-1/2 shrink-0 truncate font-medium text-text">
            {label}
          </span>
          <span title={value} className="min-w-0 truncate">
            {value ?? "no value"}
          </span>
          {(isVisibleNow !== isVisible || isRuled) && (
            <Chip className="shrink-0">{isRuled ? "by a rule" : "changed"}</Chip>
          )}
        </span>
      </Switch>
    </li>
  );
}

/** Whether a value is visible, including unsaved changes. */
function isVisibleIn({ part, name, isVisible }: VisibleValue, { changes }: VisibleDraft): boolean {
  return changes.find((one) => one.part === part && one.name === name)?.isVisible ?? isVisible;
}
