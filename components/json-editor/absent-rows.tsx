"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { cn } from "@/lib/browser/class-name";
import type { GuideProblem, RowGuide, SheetGuide } from "./guide";
import { COLUMNS, PLAIN_SELECT, type SheetWords } from "./json-row";
import type { Member } from "./rows";
import type { RowView } from "./rows-state";

/** How many rows there are before the others are asked for. */
const FIRST = 12;

interface AbsentRowsProps {
  guide: SheetGuide;
  present: readonly RowView[];
  problems: readonly GuideProblem[];
  words: SheetWords;
  readOnly: boolean;
  onAdd: (member: Member) => void;
}

/** The keys that an object lacks, in the order of the guide: each is set in its row. */
export function AbsentRows({ guide, present, problems, words, readOnly, onAdd }: AbsentRowsProps) {
  const [isWhole, setWhole] = useState(false);
  const keys = new Set(present.map(({ memberName }) => memberName));
  const missing = new Map(problems.map((problem) => [problem.key, problem]));
  const absent = [...guide.rows.values()].filter(({ key }) => !keys.has(key));
  // What is required comes first: it is what one looks for.
  const ordered = [...absent.filter(({ key }) => missing.has(key)), ...absent.filter(({ key }) => !missing.has(key))];
  const shown = isWhole ? ordered : ordered.slice(0, FIRST);
  if (absent.length === 0) return null;
  return (
    <>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
      <ul role="list" aria-label="Not set">
        {shown.map((row) => (
          <AbsentRow
            key={row.key}
            row={row}
            problem={missing.get(row.key)}
            words={words}
            readOnly={readOnly}
            onAdd={onAdd}
          />
        ))}
      </ul>
      {ordered.length > shown.length && (
        <div className="border-border border-b px-2 py-1.5">
          <Button size="small" variant="ghost" onClick={() => setWhole(true)}>
            Show {ordered.length - shown.length} more that are not set
          </Button>
        </div>
      )}
    </>
  );
}

interface AbsentRowProps {
  row: RowGuide;
  problem: GuideProblem | undefined;
  words: SheetWords;
  readOnly: boolean;
  onAdd: (member: Member) => void;
}

function AbsentRow({ row, problem, words, readOnly, onAdd }: AbsentRowProps) {
  const { key, label, hint, options, absent, blank } = row;
  const told = [label, hint].filter(Boolean).join(": ");
  return (
    <li
      data-refused={problem?.isRefused ? "" : undefined}
      className={cn(COLUMNS, "border-border border-b bg-sunken/60 text-text-muted")}
    >
      <span className={cn("min-w-0 break-all border-border px-3 py-2", words.isMapping && "font-mono")}>{key}</span>
      <span
        className={cn(
          "flex min-w-0 border-border max-sm:col-span-full max-sm:row-start-2",
          problem && (problem.isRefused ? "text-danger" : "text-warning"),
        )}
      >
        {options && !readOnly ? (
          <Select
            label={`${words.value} of ${key}`}
            value=""
            options={[
              { value: "", label: absent ?? "Choose…" },
              ...options.map(({ literal, label }) => ({ value: literal, label })),
            ]}
            onChange={(literal) => literal !== "" && onAdd({ key, literal })}
            className={PLAIN_SELECT}
          />
        ) : (
          <span className="min-w-0 break-all px-3 py-2">{absent ?? "Not set"}</span>
        )}
      </span>
      <span className="flex items-center border-border px-2 max-sm:col-start-2 max-sm:row-start-1">
        {!readOnly && !options && (
          <Button size="small" variant="ghost" onClick={() => onAdd(blank)}>
            Set<span className="sr-only"> {key}</span>
          </Button>
        )}
      </span>
      <span className="border-r-0! max-sm:hidden" />
      {told !== "" && <p className="col-span-full border-0! px-3 pb-1.5 text-xs">{told}</p>}
    </li>
  );
}
