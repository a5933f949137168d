import { useState } from "react";
import { groupsIn } from "@/components/count";
import { type Draft, nextKey, type PropertyDraft } from "@/components/definitions/draft";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { cn } from "@/lib/browser/class-name";

/** How many ids and values are named. */
const NAMED = 4;

interface TakeSuggestionsProps {
  /** how many groups the suggestions come from */
  groups: number;
  draft: Draft;
  /** rows that the draft lacks */
  found: Pick<Draft, "properties" | "schemas" | "data_sources">;
  onTake: (draft: Draft) => void;
  onClose: () => void;
}

/** Offers suggested rules; all properties are chosen at first. Saves nothing. */
export function TakeSuggestions({ groups, draft, found, onTake, onClose }: TakeSuggestionsProps) {
  const { properties, schemas, data_sources } = found;
  /** properties, and whole lists of ids */
  const [chosen, setChosen] = useState<ReadonlySet<object>>(() => new Set(properties));
  const toggle = (one: object) =>
    setChosen((now) => new Set(now.has(one) ? [...now].filter((other) => other !== one) : [...now, one]));
  const taken = {
    properties: properties.filter((row) => chosen.has(row)),
    schemas: chosen.has(schemas) ? schemas : [],
    data_sources: chosen.has(data_sources) ? data_sources : [],
  };
  const count = Object.values(taken).flat().length;
  return (
    <Dialog
      wide
      onClose={onClose}
      title="Suggested rules"
      description={`Read from ${groupsIn(groups)}. Choose what to add to your draft. Nothing is saved yet.`}
    >
      <form onSubmit={submitted(() => onTake(extend(draft, taken)))} className="flex grow flex-col gap-4">
        {properties.length > 0 && (
          <fieldset className="rounded-lg border border-border">
            <legend className="sr-only">Properties</legend>
            <label htmlFor="take-all" className="flex items-center gap-3 px-3 py-2.5 font-medium">
              <Checkbox
                id="take-all"
                checked={taken.properties.length === properties.length}
                indeterminate={taken.properties.length > 0 && taken.properties.length < properties.length}
                onChange={({ target }) => {
                  const others = [schemas, data_sources].filter((ids) => chosen.has(ids));
                  setChosen(new Set([...others, ...(target.checked ? properties : [])]));
                }}
              />
              <span>
                All properties <span className="font-normal text-text-muted tabular-nums">{properties.length}</span>
              </span>
            </label>
            {properties.map((row) => (
              <SuggestedProperty key={row.key} row={row} isChosen={chosen.has(row)} onToggle={() => toggle(row)} />
            ))}
          </fieldset>
        )}
        <SuggestedIds
          what="schemas"
          ids={schemas.map(({ id }) => id)}
          isChosen={chosen.has(schemas)}
          onToggle={() => toggle(schemas)}
        />
        <SuggestedIds
          what="data sources"
          ids={data_sources.map(({ id }) => id)}
          isChosen={chosen.has(data_sources)}
          onToggle={() => toggle(data_sources)}
        />
        <DialogActions note={`${count.toLocaleString("en")} ${count === 1 ? "rule" : "rules"}`}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={count === 0}>
            Add to draft
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface RowProps {
  isChosen: boolean;
  onToggle: () => void;
}

function SuggestedProperty({ row: { key, name, ...row }, isChosen, onToggle }: RowProps & { row: PropertyDraft }) {
  const id = `take-${key}`;
  return (
    <label
      htmlFor={id}
      className={cn(
        "grid grid-cols-[auto_minmax(0,2fr)_minmax(0,3fr)] gap-x-3 border-border border-t px-3 py-2 hover:bg-hover",
        "max-sm:grid-cols-[auto_minmax(0,1fr)]",
      )}
    >
      <Checkbox id={id} checked={isChosen} onChange={onToggle} className="mt-0.5" />
      <span className="break-all font-mono text-xs leading-5">{name}</span>
      <span className="break-words text-text-secondary text-xs leading-5 max-sm:col-start-2">
        {[row.type, row.required && "required", row.enum !== "" && `one of ${some(row.enum.split("\n"))}`]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </label>
  );
}

/** Ids, to add all or none: if only some were added, groups with any other id would have a problem. */
function SuggestedIds({ what, ids, isChosen, onToggle }: RowProps & { what: string; ids: string[] }) {
  if (ids.length === 0) return null;
  const id = `take-${what.replace(" ", "-")}`;
  return (
    <label htmlFor={id} className="flex gap-3 rounded-lg border border-border px-3 py-2.5 hover:bg-hover">
      <Checkbox id={id} checked={isChosen} onChange={onToggle} aria-describedby={`${id}-hint`} className="mt-0.5" />
      <span className="min-w-0">
        <span className="block font-medium">
          All {what} <span className="font-normal text-text-muted tabular-nums">{ids.length.toLocaleString("en")}</span>
        </span>
        <span id={`${id}-hint`} className="block break-words text-text-muted text-xs">
          {some(ids)}. Groups with any other id then have a problem.
        </span>
      </span>
    </label>
  );
}

function some(texts: string[]): string {
  const more = texts.length - NAMED;
  return texts.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "");
}

/** The draft with the new rows in front. */
function extend(draft: Draft, { properties, schemas, data_sources }: TakeSuggestionsProps["found"]): Draft {
  const all = { ...draft, schemas: keyed(schemas, draft.schemas) };
  const known = new Set(all.schemas.map(({ id }) => id));
  // Once there are schemas, data sources can name only those.
  const sources = data_sources.map((source) =>
    known.size === 0 || source.schemas.split(/[,\s]+/).every((id) => known.has(id))
      ? source
      : { ...source, schemas: "" },
  );
  return { ...all, properties: keyed(properties, draft.properties), data_sources: keyed(sources, draft.data_sources) };
}

function keyed<Row extends { key: number }>(added: Row[], own: Row[]): Row[] {
  const first = nextKey(own);
  return [...added.map((row, at) => ({ ...row, key: first + at })), ...own];
}
