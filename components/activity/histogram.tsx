import { useQuery } from "@tanstack/react-query";
import { Table2 } from "lucide-react";
import { type PointerEvent, useId, useState } from "react";
import type { ActivityStateInUrl } from "@/components/activity/use-activity-state";
import { ChartNumbers } from "@/components/chart-numbers";
import { durationBetween } from "@/components/relative-time";
import { startOfDay, timeFormat, useZone } from "@/components/ui/time-zone";
import { useEnvironmentSlug } from "@/components/use-environment";
import { activityCountsQuery } from "@/lib/audit/queries";
import type { HistoryCounts } from "@/lib/audit/schema";

const HOUR_MS = 3_600_000;
const DAYS = 30;
/** A shorter span is shown by hours. */
const BY_HOURS_MS = 48 * HOUR_MS;
const MAX_BARS = 120;
/** How often the numbers are read, in milliseconds. */
const POLL_MS = 30_000;
const [WIDTH, HEIGHT] = [960, 56];
const dayFormat = timeFormat({ day: "numeric", month: "short" });
const hourFormat = timeFormat({
  day: "numeric",
  month: "short",
  hour: "2-digit",
  hourCycle: "h23",
  minute: "2-digit",
});

interface Bar {
  from: Date;
  /** exclusive */
  to: Date;
  count: number;
}

/** The number of changes over time, where dragging chooses a time. The filter bar does the same by keyboard. */
export function Histogram({ inUrl: { filters, state, narrow } }: { inUrl: ActivityStateInUrl }) {
  const slug = useEnvironmentSlug();
  const zone = useZone();
  // Rounded to the day, so that the query key stays the same.
  const [month] = useState(() => startOfDay(new Date(), 1 - DAYS));
  const from = state.from ?? month;
  const { data } = useQuery({
    ...activityCountsQuery(slug, { ...filters, from: from.toISOString() }),
    enabled: zone !== undefined,
    refetchInterval: POLL_MS,
  });
  if (!zone || !data) return <div className="h-32" />;
  // A month with changes on its last day only would be a single bar.
  const lastDay = new Date(Date.now() - 23 * HOUR_MS);
  const isOneDay = !state.from && data.hours.length > 0 && data.hours.every(({ at }) => Date.parse(at) > +lastDay);
  const bars = barsOf(data, isOneDay ? lastDay : from, state.to ?? new Date());
  return <Chart bars={bars} since={data.since} onChoose={(from, to) => void narrow({ from, to })} />;
}

interface ChartProps {
  bars: Bar[];
  since: string | null;
  onChoose: (from: Date, to: Date) => void;
}

function Chart({ bars, since, onChoose }: ChartProps) {
  const id = useId();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / bars.length;
  const barAt = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * bars.length)));
  };
  const choose = () => {
    if (!drag) return;
    setDrag(undefined);
    const [first, last] = [bars[Math.min(drag.from, drag.to)], bars[Math.max(drag.from, drag.to)]];
    if (first && last) onChoose(first.from, new Date(last.to.getTime() - 1));
  };
  const format = isByHours(bars) ? hourFormat : dayFormat;
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return null;
  const noun = total === 1 ? "change" : "changes";
  const span = durationBetween(first.from.toISOString(), last.to.toISOString());
  const summary = `${total.toLocaleString("en")} ${noun} in ${span}`;
  return (
    <figure aria-labelledby={id} className="mb-3 rounded-xl border border-border px-4 pt-3 pb-2.5">
      <figcaption className="flex items-center justify-between gap-4 pb-2">
        <span id={id} className="text-text-secondary tabular-nums">
          {summary}
          {since && ", the newest 50,000 counted"}
        </span>
        <span className="flex items-center gap-2 text-text-muted text-xs">
          <span className="max-sm:hidden">Drag to choose a time</span>
          <ChartNumbers
            title={summary}
            columns={["Time", "Changes"]}
            align="end"
            rows={() =>
              bars.map(({ from, count }) => ({ shown: format.format(from), copied: from.toISOString(), value: count }))
            }
          >
            <Table2 aria-hidden />
            <span className="max-sm:hidden">Numbers</span>
          </ChartNumbers>
        </span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: barAt(event), to: barAt(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: barAt(event) })}
        onPointerUp={choose}
        onPointerCancel={() => setDrag(undefined)}
        className="h-14 w-full cursor-crosshair touch-pan-y text-spark forced-colors:text-[CanvasText]"
      >
        {drag && (
          <rect
            x={Math.min(drag.from, drag.to) * step}
            width={(Math.abs(drag.to - drag.from) + 1) * step}
            height={HEIGHT}
            className="fill-accent/15"
          />
        )}
        {bars.map(({ from, count }, at) => {
          const tall = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
          return (
            <rect
              key={from.getTime()}
              x={at * step + 0.5}
              y={HEIGHT - tall}
              width={Math.max(1, step - 1.5)}
              height={tall}
              fill="currentColor"
              opacity={count === 0 ? 0.25 : 0.4 + (0.6 * (at + 1)) / bars.length}
            >
              <title>{`${format.format(from)}: ${count.toLocaleString("en")}`}</title>
            </rect>
          );
        })}
      </svg>
      <div aria-hidden className="flex justify-between pt-1.5 text-2xs text-text-muted tabular-nums">
        <span>{format.format(first.from)}</span>
        <span>{format.format(new Date(last.to.getTime() - 1))}</span>
      </div>
    </figure>
  );
}

/** Bars of days, or of hours for a short span, from the first to the last one. */
function barsOf({ hours }: HistoryCounts, from: Date, to: Date): Bar[] {
  const isShort = to.getTime() - from.getTime() <= BY_HOURS_MS;
  const bars: Bar[] = [];
  let start = isShort ? new Date(Math.floor(from.getTime() / HOUR_MS) * HOUR_MS) : startOfDay(from);
  // A longer span has wider bars.
  const days = Math.max(1, Math.ceil((to.getTime() - start.getTime()) / (24 * HOUR_MS * MAX_BARS)));
  while (start <= to && bars.length <= MAX_BARS) {
    const end = isShort ? new Date(start.getTime() + HOUR_MS) : startOfDay(start, days);
    bars.push({ from: start, to: end, count: 0 });
    start = end;
  }
  for (const { at, entries } of hours) {
    const time = new Date(at);
    const bar = bars.findLast((one) => one.from <= time);
    if (bar) bar.count += entries;
  }
  return bars;
}

function isByHours([bar]: Bar[]): boolean {
  return bar !== undefined && bar.to.getTime() - bar.from.getTime() === HOUR_MS;
}
