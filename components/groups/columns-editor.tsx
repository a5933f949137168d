import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useId, useState } from "react";
import { type Column, FIXED, labelOf, propertyColumn } from "@/components/groups/columns";
import { shareOf } from "@/components/suggestions";
import { announce } from "@/components/ui/announcer";
import { Button, IconButton } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { useEnvironmentSlug } from "@/components/use-environment";
import { summaryQuery } from "@/lib/groups/queries";

interface ColumnsEditorProps {
  columns: Column[];
  isChosen: boolean;
  onChange: (columns: Column[] | undefined) => void;
}

const OFFERED = 30;

/** Chooses the list's columns and their order. */
export function ColumnsEditor({ columns, isChosen, onChange }: ColumnsEditorProps) {
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const [text, setText] = useState("");
  const wanted = text.trim();
  const offered = [
    ...Object.keys(FIXED).map((column) => ({ column, note: undefined })),
    ...(summary?.properties ?? []).map(({ name, groups }) => ({
      column: propertyColumn(name),
      note: shareOf(groups, summary?.sampled ?? 0),
    })),
  ].filter(({ column }) => !columns.includes(column));
  const fitting = offered.filter(({ column }) => labelOf(column).toLowerCase().includes(wanted.toLowerCase()));
  const isNew = wanted !== "" && ![...columns, ...fitting.map(({ column }) => column)].includes(propertyColumn(wanted));
  const others = [
    ...fitting.slice(0, OFFERED),
    ...(isNew ? [{ column: propertyColumn(wanted), note: undefined }] : []),
  ];
  const move = (at: number, by: 1 | -1) => {
    const next = [...columns];
    const [moved] = next.splice(at, 1);
    if (moved === undefined) return;
    next.splice(at + by, 0, moved);
    onChange(next);
    announce(`${labelOf(moved)} is column ${at + by + 2}`);
  };
  return (
    <div className="flex flex-col gap-2">
      <ol aria-label="Columns shown">
        <Line label="Name" isFixed />
        {columns.map((column, at) => (
          <Line
            key={column}
            label={labelOf(column)}
            isShown
            onToggle={() => onChange(columns.filter((one) => one !== column))}
            onUp={at > 0 ? () => move(at, -1) : undefined}
            onDown={at < columns.length - 1 ? () => move(at, 1) : undefined}
          />
        ))}
      </ol>
      <Input
        aria-label="Find a property"
        placeholder="Find a property"
        value={text}
        onChange={({ target }) => setText(target.value)}
        isLiteral
      />
      <ul aria-label="Other columns" className="max-h-48 overflow-y-auto empty:hidden">
        {others.map(({ column, note }) => (
          <Line key={column} label={labelOf(column)} note={note} onToggle={() => onChange([...columns, column])} />
        ))}
      </ul>
      {isChosen && (
        <Button variant="ghost" onClick={() => onChange(undefined)}>
          Reset columns
        </Button>
      )}
    </div>
  );
}

interface LineProps {
  label: string;
  note?: string | undefined;
  isFixed?: boolean;
  isShown?: boolean;
  onToggle?: () => void;
  onUp?: (() => void) | undefined;
  onDown?: (() => void) | undefined;
}

function Line({ label, note, isFixed = false, isShown = isFixed, onToggle, onUp, onDown }: LineProps) {
  const id = useId();
  return (
    <li className="flex min-h-8 items-center gap-1 pointer-coarse:min-h-10">
      <label htmlFor={id} className="flex min-h-6 min-w-0 flex-1 items-center gap-2.5">
        <Checkbox id={id} checked={isShown} disabled={isFixed} onChange={onToggle} readOnly={!onToggle} />
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {note && <span className="text-text-muted text-xs tabular-nums">{note}</span>}
      </label>
      {(onUp || onDown) && (
        <>
          <IconButton icon={ChevronUp} aria-label={`Move ${label} up`} aria-disabled={!onUp} onClick={onUp} />
          <IconButton icon={ChevronDown} aria-label={`Move ${label} down`} aria-disabled={!onDown} onClick={onDown} />
        </>
      )}
    </li>
  );
}
