import { useQuery } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import { isOldTokenUsed } from "@/components/groups/group-use";
import { DayAndTime, StrongTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { UseMark } from "@/components/ui/use-mark";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { type Group, groupQuery, type PreviousToken } from "@/lib/groups/queries";

/** How often to read whether an old token still works and when it was last used, in milliseconds. */
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
        {" · "}
        {lastUsedAt ? (
          <>
            last used <StrongTime at={lastUsedAt} />
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
