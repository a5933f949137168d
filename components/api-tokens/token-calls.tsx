import { ChartNumbers, numbersOfDays } from "@/components/chart-numbers";
import { RelativeTime } from "@/components/relative-time";
import { Bars } from "@/components/ui/bars";
import { UseMark } from "@/components/ui/use-mark";
import type { ApiToken, ListedApiToken } from "@/lib/api-tokens/schema";
import { cn } from "@/lib/browser/class-name";

/** How much a token is used: its calls in 30 days, today's, and the last one. */
export function TokenCalls({ token }: { token: ListedApiToken }) {
  const { calls, name, state, lastUsedAt, askedAt, polledAt } = token;
  const { from, days } = calls;
  const today = days.at(-1) ?? 0;
  const sum = days.reduce((total, one) => total + one, 0);
  const unused = daysUnused(token);
  return (
    <div className={cn("flex flex-col items-start gap-0.5 text-xs", state !== "valid" && "text-text-muted")}>
      {sum > 0 && (
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
      )}
      {unused !== undefined ? (
        <span className="inline-flex items-center gap-1.5 text-text">
          <UseMark use={lastUsedAt ? "idle" : "never"} />
          {lastUsedAt ? `Unused for ${unused} days` : `Never used in ${unused} days`}
        </span>
      ) : sum === 0 && !lastUsedAt ? (
        "Never used"
      ) : (
        <>
          <span className="tabular-nums">
            {today.toLocaleString("en")} {today === 1 ? "call" : "calls"} today
          </span>
          {Object.entries({ used: lastUsedAt, asked: askedAt, polled: polledAt }).map(
            ([verb, at]) =>
              at && (
                <span key={verb}>
                  Last {verb} <RelativeTime at={at} />
                </span>
              ),
          )}
        </>
      )}
    </div>
  );
}

const DAY_MS = 86_400_000;
/** Days without a call after which a token is marked. */
const LONG_UNUSED = 90;

/** For how many days nothing has used a valid token, if long enough to ask whether anything still needs it. */
export function daysUnused({ state, lastUsedAt, createdAt }: ApiToken): number | undefined {
  const days = Math.floor((Date.now() - Date.parse(lastUsedAt ?? createdAt)) / DAY_MS);
  return state === "valid" && days >= LONG_UNUSED ? days : undefined;
}
