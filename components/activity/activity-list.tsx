"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect } from "react";
import { ActivityFilterBar } from "@/components/activity/activity-filter-bar";
import { ActivityRow, SkeletonRow } from "@/components/activity/activity-row";
import { useActivityState } from "@/components/activity/use-activity-state";
import { EmptyPanel } from "@/components/empty-panel";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import type { ActivityEntry } from "@/lib/audit/queries";
import { activityListQuery } from "@/lib/audit/queries";
import { cn } from "@/lib/browser/class-name";

const SKELETON_ROWS = 10;

interface ActivityListProps {
  /** limits the history to one user group */
  teamId?: number;
}

/** Who did what and when, newest first, with filters. */
export function ActivityList({ teamId }: ActivityListProps) {
  const slug = useEnvironmentSlug();
  const inUrl = useActivityState(teamId);
  const { data, error, isPlaceholderData, refetch } = useQuery(activityListQuery(slug, inUrl.filters));
  const isEmpty = data?.entries.length === 0 && !isPlaceholderData;
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  const { showNewest } = inUrl;
  useEffect(() => {
    if (isCursorStale) void showNewest();
  });
  const turn = (go: () => unknown) => {
    void go();
    window.scrollTo({ top: 0 });
  };
  const { nextCursor } = data ?? {};
  const { showNewer } = inUrl;
  return (
    <>
      <ActivityFilterBar inUrl={inUrl} isOfGroup={teamId !== undefined} />
      {error && !data && !isCursorStale ? (
        <Failure title="The activity could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : isEmpty && !showNewer ? (
        <Nothing isFiltered={inUrl.isFiltered} onClear={inUrl.clear} />
      ) : (
        <>
          <Entries entries={data?.entries} isStale={isPlaceholderData} isOfGroup={teamId !== undefined} />
          {(showNewer || nextCursor) && (
            <nav aria-label="Activity pages" className="flex justify-end gap-2 pt-3">
              <Button disabled={!showNewer} onClick={() => showNewer && turn(showNewer)}>
                <ChevronLeft aria-hidden />
                Newer
              </Button>
              <Button disabled={!nextCursor} onClick={() => nextCursor && turn(() => inUrl.showOlder(nextCursor))}>
                Older
                <ChevronRight aria-hidden />
              </Button>
            </nav>
          )}
        </>
      )}
    </>
  );
}

interface EntriesProps {
  entries: ActivityEntry[] | undefined;
  isStale: boolean;
  isOfGroup: boolean;
}

function Entries({ entries, isStale, isOfGroup }: EntriesProps) {
  return (
    <ul
      aria-label="Activity"
      aria-busy={!entries || isStale}
      className={cn(
        "overflow-hidden rounded-md border border-border bg-surface transition-opacity duration-150",
        isStale && "opacity-60",
      )}
    >
      {entries
        ? entries.map((entry) => <ActivityRow key={entry.id} entry={entry} isOfGroup={isOfGroup} />)
        : Array.from({ length: SKELETON_ROWS }, (_, index) => <SkeletonRow key={String(index)} />)}
    </ul>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <EmptyPanel title="No activity yet">
        <p className="text-text-muted">Every change appears here: who made it, when, and the previous value.</p>
      </EmptyPanel>
    );
  }
  return (
    <EmptyPanel title="No activity matches">
      <p className="text-text-muted">Nothing matches the filters.</p>
      <div>
        <Button onClick={onClear}>Clear filters</Button>
      </div>
    </EmptyPanel>
  );
}
