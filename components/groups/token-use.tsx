import { useQuery } from "@tanstack/react-query";
import { ChartNumbers, numbersOfDays } from "@/components/chart-numbers";
import { checksIn } from "@/components/count";
import { isViewed } from "@/components/groups/group-use";
import { RotationLine } from "@/components/groups/rotation-line";
import { part } from "@/components/part";
import { durationBetween, StrongTime } from "@/components/relative-time";
import { Bars } from "@/components/ui/bars";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { tokenGiverQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";
import { groupChecksQuery } from "@/lib/groups/use-queries";

const AskedSince = part(async () => (await import("@/components/groups/asked-since")).AskedSince);
const DAY_MS = 86_400_000;

/** How the token has been used, and how its last rotation went. */
export function UseLine({ group }: { group: Group }) {
  const { data: checks } = useQuery(groupChecksQuery(useEnvironmentSlug(), group));
  const { lastUsedAt, rotatedAt, createdAt, previousToken, state } = group;
  const hasJustEnded = rotatedAt !== createdAt && !previousToken && Date.now() - Date.parse(rotatedAt) < DAY_MS;
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-x-4.5 gap-y-1 text-text-secondary",
        "sm:min-h-11.5 sm:border-border sm:border-t sm:bg-sunken sm:px-4 sm:py-2.5",
      )}
    >
      <span>
        {lastUsedAt ? (
          <>
            Last used <StrongTime at={lastUsedAt} />
          </>
        ) : (
          "Never used"
        )}
      </span>
      {lastUsedAt && <Checks checks={checks} />}
      <span className="flex-1 max-sm:hidden" />
      <Rotation group={group} />
      {hasJustEnded && state === "active" && <AskedSince at={rotatedAt} />}
    </div>
  );
}

const NO_CHECKS = Array.from({ length: 30 }, () => 0);

/** The checks of 30 days, with space reserved while they load. */
function Checks({ checks }: { checks: { from: string; days: number[] } | undefined }) {
  const days = checks?.days ?? NO_CHECKS;
  const today = days.at(-1) ?? 0;
  return (
    <div
      className={cn(
        "flex items-center gap-4.5 transition-opacity",
        "max-sm:w-full max-sm:flex-wrap max-sm:justify-between max-sm:gap-y-1",
        !checks && "opacity-0",
      )}
      inert={!checks}
    >
      <ChartNumbers
        title={checksIn(days)}
        columns={["Day (UTC)", "Checks"]}
        rows={() => (checks ? numbersOfDays(checks.from, checks.days) : [])}
        className="-m-1 h-auto! p-1! max-sm:w-full"
      >
        <Bars
          values={days}
          label={checksIn(days)}
          width={168}
          height={24}
          className="h-6! w-42! max-sm:h-10! max-sm:w-full!"
        />
      </ChartNumbers>
      <span aria-hidden className="text-text-muted text-xs sm:hidden">
        30 days
      </span>
      <span className="tabular-nums">
        <span className="font-medium text-text">{today.toLocaleString("en")}</span> {today === 1 ? "check" : "checks"}{" "}
        today
      </span>
    </div>
  );
}

/** When and by whom the token was created or rotated, and whether the new one has been seen. */
function Rotation({ group }: { group: Group }) {
  const { data: giver } = useQuery(tokenGiverQuery(useEnvironmentSlug(), group));
  const { rotatedAt, createdAt, firstUsedAt } = group;
  if (rotatedAt === createdAt) {
    return (
      <span className="min-w-0 break-words">
        Created <StrongTime at={createdAt} />
        {giver && ` by ${giver.name}`}
      </span>
    );
  }
  if (giver === undefined) return null;
  const isSeen = isViewed(group);
  return (
    <span className="flex min-w-0 animate-appear flex-wrap items-center gap-x-4.5 gap-y-1">
      <RotationLine isSeen={isSeen} isOverlapping={group.previousToken !== null} className="max-lg:hidden" />
      <span className="min-w-0 break-words">
        Rotated <StrongTime at={rotatedAt} />
        {giver && <span className="max-sm:hidden"> by {giver.name}</span>}
        {" · "}
        {firstUsedAt ? (
          <>
            new one seen{" "}
            <b className="whitespace-nowrap font-medium text-text">{durationBetween(rotatedAt, firstUsedAt)}</b> later
          </>
        ) : isSeen ? (
          "viewed since, by a viewer token"
        ) : (
          "new one not seen yet"
        )}
      </span>
    </span>
  );
}
