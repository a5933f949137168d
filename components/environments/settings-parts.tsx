import { useId, useState } from "react";
import { ChangeList } from "@/components/changes/changed-parts";
import { type Change, plain } from "@/components/changes/changes";
import { ruleInWords } from "@/components/definitions/definition-changes";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { cn } from "@/lib/browser/class-name";
import type { Difference } from "@/lib/json/differences";
import type { SettingsPart } from "@/lib/settings/schema";

/** The parts in their order, by name. */
export const PARTS: Record<SettingsPart, string> = {
  definitions: "Rules",
  viewer_tokens: "Viewer tokens",
  templates: "Claim templates",
  allowed_origins: "Allowed origins",
  embed_template: "Embed template",
  webhooks: "Webhooks",
};

/** How many of a part's differences show at first. */
const MAX_SHOWN = 6;

/** A part of the settings, and how it would change. */
export interface ComparedPart {
  part: SettingsPart;
  changes: Difference[];
  /** what else to know before choosing it */
  note?: string | undefined;
}

interface SettingsPartsProps {
  parts: ComparedPart[];
  chosen: ReadonlySet<SettingsPart>;
  onChoose: (parts: SettingsPart[], isChosen: boolean) => void;
  /** name of the environment to change */
  target: string;
}

/** The differences of two environments' settings, part by part, to choose from. */
export function SettingsParts({ parts, chosen, onChoose, target }: SettingsPartsProps) {
  const id = useId();
  const offered = parts.filter(({ changes }) => changes.length > 0);
  return (
    <div className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <label htmlFor={id} className="flex min-h-6 items-center gap-2.5 pl-3.25 font-medium">
          <Checkbox
            id={id}
            checked={chosen.size === offered.length}
            indeterminate={chosen.size > 0 && chosen.size < offered.length}
            onChange={({ target: { checked } }) =>
              onChoose(
                offered.map(({ part }) => part),
                checked,
              )
            }
          />
          {inDifferences(offered)}
        </label>
        <p className="flex flex-wrap gap-x-4 text-text-secondary text-xs">
          <span>
            <Swatch className="bg-danger/8" sign="−" />
            {target} now
          </span>
          <span>
            <Swatch className="bg-success/8" sign="+" />
            afterwards
          </span>
        </p>
      </div>
      <ul aria-label="Settings" className="overflow-hidden rounded-xl border border-border">
        {parts.map((one) => (
          <Part
            key={one.part}
            {...one}
            isChosen={chosen.has(one.part)}
            onToggle={() => onChoose([one.part], !chosen.has(one.part))}
          />
        ))}
      </ul>
    </div>
  );
}

/** "17 differences in 5 parts" */
export function inDifferences(parts: ComparedPart[]): string {
  const count = parts.reduce((sum, { changes }) => sum + changes.length, 0);
  return `${differences(count)} in ${parts.length === 1 ? "1 part" : `${parts.length} parts`}`;
}

const differences = (count: number) => (count === 1 ? "1 difference" : `${count} differences`);

function Swatch({ sign, className }: { sign: string; className: string }) {
  return (
    <span aria-hidden className={cn("mr-1.5 rounded px-1.5 py-0.5 font-mono", className)}>
      {sign}
    </span>
  );
}

function Part({ part, changes, note, isChosen, onToggle }: ComparedPart & { isChosen: boolean; onToggle: () => void }) {
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? changes : changes.slice(0, MAX_SHOWN);
  const isSame = changes.length === 0;
  return (
    <li className="flex flex-col gap-2 border-border border-b px-3 py-2.5 last:border-b-0">
      <div className="flex min-h-6 items-center justify-between gap-3">
        <label htmlFor={id} className={cn("flex items-center gap-2.5", isSame ? "text-text-muted" : "font-medium")}>
          <Checkbox id={id} checked={isChosen} disabled={isSame} onChange={onToggle} />
          {PARTS[part]}
        </label>
        <span className="text-text-muted text-xs tabular-nums">
          {isSame ? "No differences" : differences(changes.length)}
        </span>
      </div>
      {!isSame && (
        <div className="flex flex-col items-start gap-1.5 pl-6.5 [&>ul]:self-stretch">
          <ChangeList label={differences(changes.length)} changes={shown.map(changeOf)} sides={["Now", "Then"]} />
          {shown.length < changes.length && (
            <Button size="small" variant="ghost" onClick={() => setWhole(true)}>
              {changes.length - shown.length} more
            </Button>
          )}
          {note && <p className="text-text-secondary text-xs">{note}</p>}
        </div>
      )}
    </li>
  );
}

/** Values are exact, except that rules are shortened. */
function changeOf({ path: [part, ...names], before, after }: Difference): Change {
  const isRule = part === "definitions";
  const text = (value: string | undefined) => {
    if (value === undefined || value === "null") return undefined;
    if (part === "embed_template") return JSON.parse(value) as string;
    return (isRule && ruleInWords(value)) || plain(value);
  };
  const shown = isRule && names.length > 1 && names[0] === "properties" ? names.slice(1) : names;
  return { key: shown.length > 0 ? shown.join(": ") : undefined, before: text(before), after: text(after) };
}
