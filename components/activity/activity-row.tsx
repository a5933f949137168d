"use client";

import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { ActivityDiff } from "@/components/activity/activity-diff";
import { nameIn, subjectOf, timesIn, verbOf } from "@/components/activity/words";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { Skeleton } from "@/components/ui/skeleton";
import type { ActivityEntry } from "@/lib/audit/queries";
import { cn } from "@/lib/browser/class-name";

interface ActivityRowProps {
  entry: ActivityEntry;
  /** in one group's history, which does not name the group again */
  isOfGroup: boolean;
}

const LINE =
  "grid grid-cols-[16px_1fr_auto] gap-x-3 gap-y-0.5 px-3 py-2.5 md:min-h-10 md:items-center md:gap-x-4 md:py-1.5 pointer-coarse:md:min-h-11";

/** An entry that expands to show its changes. */
export function ActivityRow({ entry, isOfGroup }: ActivityRowProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { action, actor, at } = entry;
  return (
    <li className="border-border border-b last:border-b-0">
      <div
        className={cn(
          LINE,
          "relative hover:bg-hover",
          isOfGroup
            ? "md:grid-cols-[16px_minmax(0,2fr)_minmax(0,2fr)_112px]"
            : "md:grid-cols-[16px_minmax(0,3fr)_minmax(0,4fr)_minmax(0,3fr)_112px]",
        )}
      >
        <ChevronRight
          aria-hidden
          className={cn("mt-1 size-4 text-text-muted transition-transform duration-150 md:mt-0", open && "rotate-90")}
        />
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          className="min-h-6 min-w-0 rounded-sm text-left font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2 md:truncate"
        >
          {verbOf(action)}
          {timesIn(entry)}
        </button>
        {!isOfGroup && (
          <div className="min-w-0 truncate max-md:col-span-2 max-md:col-start-2">
            <Subject entry={entry} />
          </div>
        )}
        <div className="min-w-0 truncate text-text-muted max-md:col-span-2 max-md:col-start-2" title={actor.name}>
          <span className="md:hidden">by </span>
          {actor.name}
          {actor.type === "api_token" && " · API token"}
        </div>
        <div className="text-right text-text-muted leading-6 max-md:col-start-3 max-md:row-start-1">
          {/* Above the row's button, so it can be hovered. */}
          <span className="relative">
            <RelativeTime at={at} />
          </span>
        </div>
      </div>
      {open && (
        <div id={id} className="border-border border-t bg-sunken px-3 py-3 md:pl-11">
          <ActivityDiff entry={entry} />
        </div>
      )}
    </li>
  );
}

function Subject({ entry }: { entry: ActivityEntry }) {
  const slug = useEnvironmentSlug();
  const { action, teamId, group, environment } = entry;
  const elsewhere = environment !== null && environment !== slug && ` in ${environment}`;
  if (group && teamId !== null) {
    return (
      <>
        {group.exists ? (
          <PageLink
            href={`/${environment ?? slug}/groups/${teamId}`}
            title={group.providedId ?? undefined}
            className="relative inline-block max-w-full truncate rounded-sm align-top text-accent leading-6 hover:underline"
          >
            {group.name}
          </PageLink>
        ) : (
          <span>
            {group.name} <span className="text-text-muted">(deleted)</span>
          </span>
        )}
        <span className="text-text-muted">{elsewhere}</span>
      </>
    );
  }
  return (
    <>
      <span className="text-text-muted">{subjectOf(action)} </span>
      {nameIn(entry)}
      <span className="text-text-muted">{elsewhere}</span>
    </>
  );
}

export function SkeletonRow() {
  return (
    <li className={cn(LINE, "border-border border-b last:border-b-0 max-md:h-[85px] md:flex")}>
      <Skeleton className="size-4" />
      <Skeleton className="h-3.5 w-28" />
      <Skeleton className="h-3.5 w-40 max-md:col-start-2" />
      <Skeleton className="h-3.5 w-32 max-md:col-start-2" />
    </li>
  );
}
