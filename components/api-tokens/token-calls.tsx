"use client";

import { daysUnused } from "@/components/api-tokens/unused";
import { ChartNumbers, numbersOfDays } from "@/components/chart-numbers";
import { RelativeTime } from "@/components/relative-time";
import { Bars } from "@/components/ui/bars";
import { UseMark } from "@/components/ui/use-mark";
import type { ListedApiToken } from "@/lib/api-tokens/schema";
import { cn } from "@/lib/browser/class-name";

/** How much a token is used: its calls of 30 days, those of today, and the last one. */
export function TokenCalls({ token }: { token: ListedApiToken }) {
  const { calls, name, state, lastUsedAt, askedAt, polledAt } = token;
  const { from, days } = calls;
  const today = days.at(-1) ?? 0;
  const sum = days.reduce((total, one) => total + one, 0);
  const unused = daysUnused(token);
  return (
    <div className={cn("flex flex-col items-start gap-0.5 text-xs", state !== "valid" && "text-text-muted")}>
      <ChartNumbers
        title={`Calls of ${name}`}
        columns={["Day (UTC)", "Calls"]}
        rows={() => numbersOfDays(from, days)}
        className="-m-1 h-auto! p-1!"
      >
        <Bars
          values={days}
          label={`${sum.toLocaleString("en")} ${sum === 1 ? "call" : "calls"} in 30 days`}
          width={84}
          height={20}
          className="h-5! w-21!"
        />
      </ChartNumbers>
      {unused === undefined ? (
        <>
          <span className="tabular-nums">
            {today.toLocaleString("en")} {today === 1 ? "call" : "calls"} today
          </span>
          <span>
            {lastUsedAt ? (
              <>
                Last used <RelativeTime at={lastUsedAt} />
              </>
            ) : (
              "Never used"
            )}
          </span>
          {askedAt && (
            <span>
              Last asked <RelativeTime at={askedAt} />
            </span>
          )}
          {polledAt && (
            <span>
              Last polled <RelativeTime at={polledAt} />
            </span>
          )}
        </>
      ) : (
        <span className="inline-flex items-center gap-1.5 text-text">
          <UseMark use={lastUsedAt ? "idle" : "never"} />
          {lastUsedAt ? `Unused for ${unused} days` : `Never used in ${unused} days`}
        </span>
      )}
    </div>
  );
}
