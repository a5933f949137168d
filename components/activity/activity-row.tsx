import { useId, useState } from "react";
import { nameIn, type Sentence, sentenceOf, timesIn } from "@/components/activity/words";
import { type Change, changedParts, plain } from "@/components/changes/changes";
import { PageLink } from "@/components/page-link";
import { ClockTime, RelativeTime } from "@/components/relative-time";
import { ActorFace } from "@/components/ui/face";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { ActivityEntry } from "@/lib/audit/queries";
import { cn } from "@/lib/browser/class-name";

interface ActivityRowProps {
  entry: ActivityEntry;
  /** in one group's history, which does not name the group again */
  isOfGroup: boolean;
  /** under the heading of its day the time is enough */
  isPast: boolean;
}

const details = onDemand(() => import("@/components/activity/activity-diff"));
const ActivityDiff = details.part("ActivityDiff");

const LINE = "grid min-h-10 grid-cols-[22px_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 sm:px-6";
/** Longer values are left to the details. */
const MAX_SHOWN = 40;

/** An entry as a sentence that expands to show its changes. */
export function ActivityRow({ entry, isOfGroup, isPast }: ActivityRowProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const toggle = async () => {
    if (open) setOpen(false);
    else if (await details.loadOrTell()) setOpen(true);
  };
  const { actor, at } = entry;
  const sentence = sentenceOf(entry);
  const only = theOnlyChange(entry);
  const about = isOfGroup && entry.group ? "" : subjectText(entry, sentence);
  return (
    <li className={cn("border-border border-b", open && "bg-sunken")}>
      <div className={cn(LINE, "relative transition-colors hover:bg-hover")}>
        <ActorFace actor={actor} />
        <p className="min-w-0 break-words">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={() => void toggle()}
            className="inline text-left covers-row"
          >
            {actor.name} {only ? <OneChange change={only} /> : sentence.verb}
            {timesIn(entry)}
            {about && <span className="sr-only">{` ${sentence.preposition ?? ""} ${about}`}</span>}
          </button>{" "}
          {about && (
            <>
              {sentence.preposition} <Subject entry={entry} />
            </>
          )}
          {sentence.reason && <span>: {sentence.reason}</span>}
        </p>
        <div className="text-right text-text-muted tabular-nums">
          {/* Above the row's button, so it can be hovered. */}
          <span className="relative">{isPast ? <ClockTime at={at} /> : <RelativeTime at={at} isShort />}</span>
        </div>
      </div>
      {open && (
        <div id={id} className="px-4 pb-4 sm:pr-6 sm:pl-14.5">
          <ActivityDiff entry={entry} />
        </div>
      )}
    </li>
  );
}

function OneChange({ change: { key, before, after } }: { change: Change }) {
  return (
    <>
      changed <b className="font-medium">{key}</b>{" "}
      <span className="sr-only">from {before === undefined && "nothing "}</span>
      {before !== undefined && <del className="text-text-muted">{plain(before)}</del>}
      {before !== undefined && after !== undefined && <span aria-hidden> → </span>}
      <span className="sr-only"> to {after === undefined && "nothing"}</span>
      {after !== undefined && <ins className="font-medium no-underline">{plain(after)}</ins>}
    </>
  );
}

/** The only difference of a changed group, if it is short enough for its sentence. */
function theOnlyChange({ action, before, after }: ActivityEntry): (Change & { key: string }) | undefined {
  if (action !== "user_group.updated" && action !== "user_group.renamed") return undefined;
  const parts = changedParts(before, after);
  const [part] = parts;
  const [change] = part?.changes ?? [];
  if (!part || !change || parts.length > 1 || part.changes.length > 1) return undefined;
  const isShort = [change.before, change.after].every((value) => (value ?? "").length <= MAX_SHOWN);
  return isShort ? { ...change, key: change.key ?? part.label.toLowerCase() } : undefined;
}

/** What an entry is about: a group's name, or another subject's kind and name. */
function subjectText(entry: ActivityEntry, { subject }: Sentence): string {
  return entry.group?.name ?? [subject, nameIn(entry)].filter(Boolean).join(" ");
}

function Subject({ entry }: { entry: ActivityEntry }) {
  const slug = useEnvironmentSlug();
  const { teamId, group, environment } = entry;
  const elsewhere = environment !== null && environment !== slug && ` in ${environment}`;
  if (group && teamId !== null) {
    return (
      <>
        {group.exists ? (
          <PageLink
            href={`/${environment ?? slug}/groups/${teamId}`}
            title={group.providedId ?? undefined}
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

export function SkeletonRow() {
  return (
    <li className={cn(LINE, "border-border border-b")}>
      <Skeleton className="size-5.5 rounded-full" />
      <Skeleton className="h-3.5 w-64 max-w-full" />
      <Skeleton className="h-3.5 w-16" />
    </li>
  );
}
