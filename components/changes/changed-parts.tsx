import type { Change, ChangedPart } from "@/components/changes/changes";
import { cn } from "@/lib/browser/class-name";

/** Longer values scroll, as they may not fit. */
const SCROLLS_FROM = 250;

/** Names of a change's two sides, for screen readers. */
type Sides = readonly [minus: string, plus: string];

const SIDES: Sides = ["Before", "After"];

/** Differences, part by part. */
export function ChangedParts({ parts }: { parts: ChangedPart[] }) {
  return parts.map(({ label, changes, isOrderOnly }) => (
    <div key={label} className="flex flex-col gap-1">
      <p className="font-medium text-xs">{label}</p>
      {isOrderOnly && <p className="text-text-muted">Only the order of the keys changed.</p>}
      <ChangeList label={label} changes={changes} />
    </div>
  ));
}

export function ChangeList({ label, changes, sides = SIDES }: { label: string; changes: Change[]; sides?: Sides }) {
  return (
    <ul aria-label={label} className="flex flex-col gap-1">
      {changes.map((change) => (
        <li key={change.key ?? label}>
          <ChangeLine change={change} sides={sides} />
        </li>
      ))}
    </ul>
  );
}

function ChangeLine({ change: { key, before, after }, sides: [minus, plus] }: { change: Change; sides: Sides }) {
  return (
    <div className="grid grid-cols-1 gap-x-3 gap-y-1 md:grid-cols-[minmax(0,1fr)_minmax(0,3fr)]">
      {key !== undefined && (
        <span className="wrap-anywhere font-mono text-xs leading-6">{key === "" ? '""' : key}</span>
      )}
      <div className={cn("flex min-w-0 flex-wrap items-start gap-1.5", key === undefined && "md:col-span-2")}>
        {before !== undefined && <Value sign="−" said={minus} text={before} className="bg-danger/8" />}
        {after === undefined && before !== undefined && (
          <span className="self-center text-text-muted text-xs">removed</span>
        )}
        {after !== undefined && <Value sign="+" said={plus} text={after} className="bg-success/8" />}
      </div>
    </div>
  );
}

function Value({ sign, said, text, className }: { sign: string; said: string; text: string; className: string }) {
  return (
    <span className={cn("flex min-w-0 max-w-full gap-2 rounded px-1.5 py-1 font-mono text-xs", className)}>
      <span aria-hidden className="select-none">
        {sign}
      </span>
      <span className="sr-only">{said}</span>
      <span
        // Scrollable, so reachable by keyboard.
        tabIndex={text.length > SCROLLS_FROM ? 0 : undefined}
        className="max-h-40 min-w-0 overflow-y-auto whitespace-pre-wrap wrap-anywhere"
      >
        {text}
      </span>
    </span>
  );
}
