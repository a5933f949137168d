import { useQuery } from "@tanstack/react-query";
import { History, SearchX } from "lucide-react";
import { useState } from "react";
import { ActivityFilterBar } from "@/components/activity/activity-filter-bar";
import {
  ActivityLine,
  type ActivityLineProps,
  ActivityRow,
  likenessOf,
  Subject,
  subjectText,
  Told,
} from "@/components/activity/activity-row";
import { Histogram } from "@/components/activity/histogram";
import { useActivityState } from "@/components/activity/use-activity-state";
import { sentenceOf } from "@/components/activity/words";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { OlderPages } from "@/components/older-pages";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { startOfDay, timeFormat, useZone, zoneAt } from "@/components/ui/time-zone";
import { useEnvironmentSlug } from "@/components/use-environment";
import { type ActivityEntry, activityListQuery } from "@/lib/audit/queries";
import { cn } from "@/lib/browser/class-name";

/** How often the newest entries are read, in milliseconds; less often after an error. */
const [POLL_MS, ERROR_MS] = [3_000, 30_000];

interface ActivityListProps {
  /** limits the history to one user group */
  teamId?: number;
}

/** Who did what and when, newest first, with filters. */
export function ActivityList({ teamId }: ActivityListProps) {
  const slug = useEnvironmentSlug();
  const inUrl = useActivityState(teamId);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...activityListQuery(slug, inUrl.filters),
    refetchInterval: ({ state }) => inUrl.state.older.length === 0 && (state.error ? ERROR_MS : POLL_MS),
  });
  const isEmpty = data?.entries.length === 0 && !isPlaceholderData;
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  const { older } = inUrl.state;
  const groupName = data?.entries.find((entry) => entry.team_id === inUrl.state.group)?.user_group?.name;
  return (
    <>
      <ActivityFilterBar inUrl={inUrl} isOfGroup={teamId !== undefined} groupName={groupName} />
      {teamId === undefined && <Histogram inUrl={inUrl} />}
      {error && !data && !isCursorStale ? (
        <Failure title="The activity could not be loaded" error={error} onRetry={refetch} />
      ) : isEmpty && older.length === 0 ? (
        <Nothing isFiltered={inUrl.isFiltered} onClear={inUrl.clear} />
      ) : (
        <>
          <Entries entries={data?.entries} isStale={isPlaceholderData} isOfGroup={teamId !== undefined} />
          <OlderPages
            label="Activity pages"
            older={older}
            next={isPlaceholderData ? older.at(-1) : data?.nextCursor}
            isStale={isCursorStale}
            onTurn={inUrl.turn}
          />
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
  // Days are in the reader's time zone.
  const zone = useZone();
  // An open entry stays open when it joins a run.
  const [shown, setShown] = useState<string[]>([]);
  const show = (run: ActivityEntry[], isShown: boolean) => {
    const ids = run.map(({ id }) => id);
    setShown(isShown ? [...shown, ...ids] : shown.filter((id) => !ids.includes(id)));
  };
  return (
    <section
      aria-label="Activity"
      aria-busy={!entries || isStale}
      className={cn("-mx-4 sm:-mx-6 transition-opacity", isStale && "opacity-60 delay-150")}
    >
      {entries && zone ? (
        daysOf(entries).map(({ day, key, entries }) => (
          <div key={key}>
            <h2
              className={cn(
                "sticky top-12 z-10 flex justify-between border-border border-b bg-surface px-4 pt-3 pb-1.5",
                "font-medium text-text-muted text-xs sm:px-6 wide:top-14",
              )}
            >
              {dayInWords(day)}
              {isPast(day) && <span className="font-normal"> {zoneAt(entries[0]?.at ?? null, zone)}</span>}
            </h2>
            <ul aria-label={dayInWords(day)}>
              {runsOf(entries).flatMap(({ run, isLong }) => {
                const line = { isOfGroup, isPast: isPast(day) };
                const open = run.some(({ id }) => shown.includes(id));
                return [
                  isLong && (
                    <ActivityFold
                      key={`from ${run.at(-1)?.id}`}
                      {...line}
                      run={run}
                      open={open}
                      onToggle={() => show(run, !open)}
                    />
                  ),
                  ...(isLong && !open
                    ? []
                    : run.map((entry) => (
                        <ActivityRow key={entry.id} {...line} entry={entry} onOpen={() => show([entry], true)} />
                      ))),
                ];
              })}
            </ul>
          </div>
        ))
      ) : (
        <Skeleton className="mx-4 h-96 sm:mx-6" />
      )}
    </section>
  );
}

/** Splits entries by day, keeping their order; `day` is the day's start. */
function daysOf(entries: ActivityEntry[]): { day: number; key: string; entries: ActivityEntry[] }[] {
  const days: ReturnType<typeof daysOf> = [];
  for (const entry of entries) {
    const day = startOfDay(new Date(entry.at)).getTime();
    const last = days.at(-1);
    // Times may be slightly out of order around midnight.
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, key: `${day} ${days.filter((one) => one.day === day).length}`, entries: [entry] });
  }
  return days;
}

const startOfToday = (later = 0) => startOfDay(new Date(), later).getTime();
const isPast = (day: number) => day !== startOfToday();
const dayFormat = timeFormat({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

function dayInWords(day: number): string {
  if (day === startOfToday()) return "Today";
  if (day === startOfToday(-1)) return "Yesterday";
  return dayFormat.format(new Date(day));
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return (
    <EmptyPanel
      icon={isFiltered ? SearchX : History}
      title={isFiltered ? "No activity matches" : "No activity yet"}
      actions={isFiltered && <Button onClick={onClear}>Clear filters</Button>}
    >
      <p>
        {isFiltered
          ? "Nothing matches the filters."
          : "Every change appears here: who made it, when, and the previous value."}
      </p>
    </EmptyPanel>
  );
}

/** Shorter runs are not folded. */
const LEAST = 3;

type Run = [ActivityEntry, ...ActivityEntry[]];

/** Splits entries into runs of neighbours that read alike. */
function runsOf(entries: ActivityEntry[]): { run: Run; isLong: boolean }[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last && likenessOf(last[0]) === likenessOf(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return runs.map((run) => ({ run, isLong: run.length >= LEAST }));
}

interface ActivityFoldProps extends ActivityLineProps {
  run: Run;
  open: boolean;
  onToggle: () => void;
}

/** One line in place of a run, such as "crm created 12 user groups". */
function ActivityFold({ run, isOfGroup, isPast, open, onToggle }: ActivityFoldProps) {
  const slug = useEnvironmentSlug();
  const [entry] = run;
  const { user_group: group, environment } = entry;
  const names = [...new Map(run.map((one) => [one.team_id ?? subjectText(one), subjectText(one)])).values()];
  const kind = group ? "user groups" : sentenceOf(entry).subject.replace(/^the (.*)$/, "$1s");
  const isCounted = names.length > 1 && kind !== "";
  const isNamed = names.length === 1 && names[0] !== "" && !(isOfGroup && group);
  return (
    <li className={cn("border-border border-b", open && "bg-sunken")}>
      <ActivityLine entry={entry} isPast={isPast} open={open} onToggle={onToggle}>
        <span className="sm:flex sm:gap-x-2">
          <span className="min-w-0">
            <Told entry={entry}>
              {isCounted ? (
                <>
                  <b className="font-medium">{`${names.length} ${kind}`}</b>
                  {environment !== null && environment !== slug && ` in ${environment}`}
                </>
              ) : (
                isNamed && <Subject entry={entry} />
              )}
            </Told>
            {!isCounted && ` × ${run.length}`}
          </span>
          {names.length > 1 && (
            <span className="min-w-0 shrink-99 truncate text-text-muted max-sm:hidden">{names.join(", ")}</span>
          )}{" "}
          <span className="shrink-0 text-nowrap text-text-muted underline underline-offset-2">
            {open ? "Hide" : `Show ${run.length}`}
          </span>
        </span>
      </ActivityLine>
    </li>
  );
}
