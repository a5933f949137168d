import { useQuery } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import { useEffect, useState } from "react";
import { isOldTokenUsed } from "@/components/groups/group-use";
import { DayAndTime, RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { UseMark } from "@/components/ui/use-mark";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { cn } from "@/lib/browser/class-name";
import { type Group, groupQuery, type PreviousToken } from "@/lib/groups/queries";

/** How often the last use of an old token is read, in milliseconds. */
const POLL_MS = 30_000;

/** The old token during an overlap: until when it works, and whether it is still used. */
export function OldToken({ group, previous, onEnd }: { group: Group; previous: PreviousToken; onEnd: () => void }) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  useQuery({ ...groupQuery(slug, String(group.teamId)), refetchInterval: POLL_MS });
  const { validUntil, lastUsedAt } = previous;
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-x-2.5 gap-y-2 border-border py-2.5 text-text-secondary",
        "max-sm:mb-2 max-sm:border-b sm:border-t sm:bg-warning/8 sm:px-4",
      )}
    >
      {isOldTokenUsed(group) ? (
        <UseMark use="old token" className="size-2.5" />
      ) : (
        <Hourglass aria-hidden className="size-3.5 shrink-0" />
      )}
      <span className="min-w-0 flex-1 basis-52">
        <span className="font-medium text-text">
          Old token works until <DayAndTime at={validUntil} />
        </span>
        <TimeLeft until={validUntil} />
        {" · "}
        {lastUsedAt ? (
          <>
            last used{" "}
            <span className="font-medium text-text">
              <RelativeTime at={lastUsedAt} />
            </span>
            {lastUsedAt < group.rotatedAt && ", before the rotation"}
          </>
        ) : (
          "never used"
        )}
      </span>
      {canWrite && (
        <Button size="small" onClick={onEnd} aria-label="End now: old token…">
          End now…
        </Button>
      )}
    </div>
  );
}

/** " · 23 h 59 min left", counted down; at the end the group is read again. */
function TimeLeft({ until }: { until: string }) {
  const readAgain = useReadGroups();
  // Unknown on the server.
  const [left, setLeft] = useState<number>();
  useEffect(() => {
    const tick = () => setLeft(Math.ceil((Date.parse(until) - Date.now()) / 1_000));
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [until]);
  // A second later: the service's clock decides.
  const isOver = left !== undefined && left < 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once
  useEffect(() => {
    if (isOver) void readAgain();
  }, [isOver]);
  if (left === undefined) return null;
  return <span className="whitespace-nowrap tabular-nums"> · {left > 0 ? `${inUnits(left)} left` : "ending"}</span>;
}

/** The two largest units of a time in seconds, such as "6 days 4 h" or "4 min 59 s". */
function inUnits(seconds: number): string {
  const units = [
    { count: Math.floor(seconds / 86_400), name: seconds < 2 * 86_400 ? " day" : " days" },
    { count: Math.floor(seconds / 3_600) % 24, name: " h" },
    { count: Math.floor(seconds / 60) % 60, name: " min" },
    { count: seconds % 60, name: " s" },
  ];
  const first = units.findIndex(({ count }) => count > 0);
  const shown = units.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, name }) => `${count}${name}`).join(" ");
}
