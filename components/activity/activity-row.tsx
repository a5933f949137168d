import { type ReactNode, useId, useState } from "react";
import { nameIn, partsOf, sentenceOf, timesIn } from "@/components/activity/words";
import { type Change, plain, wordsOfSides } from "@/components/changes/changes";
import { PageLink } from "@/components/page-link";
import { ClockTime, RelativeTime } from "@/components/relative-time";
import { ActorFace } from "@/components/ui/face";
import { onDemand } from "@/components/ui/on-demand";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { ActivityEntry } from "@/lib/audit/queries";
import { cn } from "@/lib/browser/class-name";

export interface ActivityLineProps {
  /** shown in one group's history, which does not repeat the group's name */
  isOfGroup: boolean;
  /** under the heading of its day, where the time is enough */
  isPast: boolean;
}

interface ActivityRowProps extends ActivityLineProps {
  entry: ActivityEntry;
  onOpen: () => void;
}

const details = onDemand(() => import("@/components/activity/activity-diff"));
const ActivityDiff = details.part("ActivityDiff");

const LINE = "grid min-h-10 grid-cols-[22px_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 sm:px-6";
/** Longer names and values are left to the details. */
const MAX_SHOWN = 40;

/** An entry as a sentence that expands to show its changes. */
export function ActivityRow({ entry, isOfGroup, isPast, onOpen }: ActivityRowProps) {
  const [open, setOpen] = useState(false);
  const toggle = async () => {
    if (open) return setOpen(false);
    if (!(await details.loadOrTell())) return;
    setOpen(true);
    onOpen();
  };
  const isNamed = !(isOfGroup && entry.user_group) && subjectText(entry) !== "";
  return (
    <li className={cn("border-border border-b", open && "bg-sunken")}>
      <ActivityLine entry={entry} isPast={isPast} open={open} onToggle={() => void toggle()}>
        <Told entry={entry}>{isNamed && <Subject entry={entry} />}</Told>
      </ActivityLine>
      {open && (
        <div className="px-4 pt-1 pb-4 sm:pr-6 sm:pl-14.5">
          <ActivityDiff entry={entry} />
        </div>
      )}
    </li>
  );
}

interface LineProps extends Pick<ActivityLineProps, "isPast"> {
  /** gives the author and the time */
  entry: ActivityEntry;
  open: boolean;
  onToggle: () => void;
  /** the entry's sentence, which labels the button over it: a button around it would break its lines */
  children: ReactNode;
}

export function ActivityLine({ entry: { actor, at }, isPast, open, onToggle, children }: LineProps) {
  const id = useId();
  return (
    <div className={cn(LINE, "relative transition-colors hover:bg-hover")}>
      <button
        type="button"
        aria-labelledby={id}
        aria-expanded={open}
        onClick={onToggle}
        className="absolute inset-0 focus-visible:-outline-offset-2"
      />
      <ActorFace actor={actor} />
      <p id={id} className="min-w-0 break-words">
        {children}
      </p>
      <div className="text-right text-text-muted tabular-nums">
        {/* Above the line's button, so it can be hovered. */}
        <span className="relative">{isPast ? <ClockTime at={at} /> : <RelativeTime at={at} isShort />}</span>
      </div>
    </div>
  );
}

/** Who did what, to what, and why. */
export function Told({ entry, children: about }: { entry: ActivityEntry; children: ReactNode }) {
  const { verb, preposition, reason } = sentenceOf(entry);
  const only = theOnlyChange(entry);
  return (
    <>
      {entry.actor.name} {only ? <OneChange change={only} /> : verb}
      {timesIn(entry)}
      {about && (
        <>
          {preposition && ` ${preposition}`} {about}
        </>
      )}
      {reason && `: ${reason}`}
    </>
  );
}

/** Equal for entries that read alike except for their subject. */
export function likenessOf(entry: ActivityEntry): string {
  return JSON.stringify([entry.actor, entry.environment, sentenceOf(entry), theOnlyChange(entry), timesIn(entry)]);
}

function OneChange({ change: { key, ...change } }: { change: Change }) {
  const [before, after] = wordsOfSides(plain, change.before, change.after);
  return (
    <>
      changed <b className="font-medium">{key}</b>{" "}
      <span className="sr-only">from {before === undefined && "nothing "}</span>
      {before !== undefined && <del className="text-text-muted">{before}</del>}
      {before !== undefined && after !== undefined && <span aria-hidden> → </span>}
      <span className="sr-only"> to {after === undefined && "nothing"}</span>
      {after !== undefined && <ins className="font-medium no-underline">{after}</ins>}
    </>
  );
}

/** The only difference of an updated group, if it is short enough for its sentence. */
function theOnlyChange(entry: ActivityEntry): (Change & { key: string }) | undefined {
  if (entry.action !== "user_group.updated" && entry.action !== "user_group.renamed") return undefined;
  const parts = partsOf(entry);
  const [part] = parts;
  const [change] = part?.changes ?? [];
  if (!part || !change || parts.length > 1 || part.changes.length > 1) return undefined;
  const isShort = [change.key, change.before, change.after].every((text) => (text ?? "").length <= MAX_SHOWN);
  return isShort ? { ...change, key: change.key ?? part.label.toLowerCase() } : undefined;
}

/** What an entry is about: a group's name, or another subject's kind and name. */
export function subjectText(entry: ActivityEntry): string {
  return entry.user_group?.name ?? [sentenceOf(entry).subject, nameIn(entry)].filter(Boolean).join(" ");
}

export function Subject({ entry }: { entry: ActivityEntry }) {
  const slug = useEnvironmentSlug();
  const { team_id: teamId, user_group: group, environment } = entry;
  const elsewhere = environment !== null && environment !== slug && ` in ${environment}`;
  if (group && teamId !== null) {
    return (
      <>
        {group.exists ? (
          <PageLink
            href={`/${environment ?? slug}/groups/${teamId}`}
            title={group.provided_id ?? undefined}
            className="relative rounded-sm font-medium hover:underline"
          >
            {group.name}
          </PageLink>
        ) : (
          <span>
            <span className="font-medium">{group.name}</span> <span className="text-text-muted">(deleted)</span>
          </span>
        )}
        <span className="text-text-muted">{elsewhere}</span>
      </>
    );
  }
  const { subject } = sentenceOf(entry);
  return (
    <>
      {subject} <span className="font-medium">{nameIn(entry)}</span>
      <span className="text-text-muted">{elsewhere}</span>
    </>
  );
}
