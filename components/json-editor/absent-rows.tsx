import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { cn } from "@/lib/browser/class-name";
import { stringIn } from "@/lib/json/exact-value";
import type { GuideProblem, RowGuide, SheetGuide } from "./guide";
import { columnsOf, Label, Line, PLAIN_SELECT, ROW, TypeMark } from "./json-row";
import type { SheetWords } from "./row-fields";
import type { RowView } from "./row-views";
import { type Member, typeOfLiteral } from "./rows";

/** How many rows show at first. */
const FIRST = 12;

interface AbsentRowsProps {
  guide: SheetGuide;
  present: readonly RowView[];
  problems: readonly GuideProblem[];
  words: SheetWords;
  readOnly: boolean;
  /** Shows all absent keys, not only required ones. */
  withDefaults: boolean;
  query: string;
  /** `isBlank`: the member still needs a value */
  onAdd: (member: Member, isBlank: boolean) => void;
}

/** The keys that an object lacks, in the order of the guide, each with a way to set it. */
export function AbsentRows(props: AbsentRowsProps) {
  const { guide, present, problems, words, readOnly, withDefaults, query, onAdd } = props;
  const [isWhole, setWhole] = useState(false);
  const keys = new Set(present.map(({ memberName }) => memberName));
  const missing = new Map(problems.map((problem) => [problem.key, problem]));
  const absent = [...guide.rows.values()].filter(
    ({ key, label }) =>
      !keys.has(key) && (withDefaults || missing.has(key)) && `${key} ${label}`.toLowerCase().includes(query),
  );
  // Required keys come first.
  const ordered = [...absent.filter(({ key }) => missing.has(key)), ...absent.filter(({ key }) => !missing.has(key))];
  const shown = isWhole ? ordered : ordered.slice(0, FIRST);
  if (absent.length === 0) return null;
  return (
    <>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
      <ul role="list" aria-label="Not set" className={readOnly ? "[&>:last-child]:border-b-0" : undefined}>
        {shown.map((row) => (
          <AbsentRow
            key={row.key}
            row={row}
            words={words}
            readOnly={readOnly}
            onAdd={onAdd}
            problem={missing.get(row.key)}
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

interface AbsentRowProps extends Pick<AbsentRowsProps, "words" | "readOnly" | "onAdd"> {
  row: RowGuide;
  problem: GuideProblem | undefined;
}

function AbsentRow({ row, problem, words, readOnly, onAdd }: AbsentRowProps) {
  const { key, label, hint, options, defaultValue, isRequired, blank } = row;
  const type = typeOfLiteral(defaultValue ?? blank.literal);
  const text =
    defaultValue === undefined ? (isRequired ? "Required" : "Not set") : stringIn(defaultValue) || defaultValue;
  const isRefused = problem?.isRefused === true;
  return (
    <li
      data-refused={isRefused ? "" : undefined}
      data-missing={problem && ""}
      className={cn(ROW, columnsOf(words), "text-text-muted max-sm:pr-3", isRefused && "max-sm:bg-danger/8")}
    >
      <div className="flex min-w-0 items-start border-border sm:border-r">
        <span
          className={cn(
            "break-words max-sm:text-xs sm:px-3 sm:py-2",
            words.isMapping ? "max-w-3/4 shrink-0 font-mono" : "min-w-0",
            label !== undefined && "min-w-14",
          )}
        >
          {key}
        </span>
        <Label text={label} />
      </div>
      <div className={cn("min-w-0", isRefused && "sm:bg-danger/8")}>
        <div
          className={cn(
            "flex min-w-0 items-center max-sm:text-base sm:pr-9",
            problem && (isRefused ? "text-danger" : "text-warning"),
          )}
        >
          <TypeMark type={type} kind={row.type} isMapping={words.isMapping} />
          {options && !readOnly ? (
            <Select
              label={`${words.value} of ${key}`}
              value=""
              placeholder={text}
              options={options.map(({ literal, label }) => ({ value: literal, label }))}
              onChange={(literal) => onAdd({ key, literal }, false)}
              className={cn(PLAIN_SELECT, WHOLE_ROW, "max-sm:text-base!")}
            />
          ) : (
            <span className="min-w-0 flex-1 break-all sm:px-2 sm:py-2">{text}</span>
          )}
          {defaultValue !== undefined && <span className="px-2 text-xs">default</span>}
          {!readOnly && !options && (
            <Button size="small" variant="ghost" className={WHOLE_ROW} onClick={() => onAdd(blank, true)}>
              Set<span className="sr-only"> {key}</span>
            </Button>
          )}
        </div>
        <Line text={hint} look="hint" />
      </div>
    </li>
  );
}

/** On a phone a press anywhere in the row counts. */
const WHOLE_ROW = "max-sm:h-6! max-sm:covers-row";
