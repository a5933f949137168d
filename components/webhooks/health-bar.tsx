import { useId } from "react";
import { RelativeTime } from "@/components/relative-time";
import { cn } from "@/lib/browser/class-name";
import type { DeliveryState } from "@/lib/webhooks/facts";
import type { Webhook } from "@/lib/webhooks/schema";

/** The most deliveries that it shows. */
const MOST = 100;
const [STEP, BAR, HEIGHT] = [2, 1.5, 20];

/** Failed ones are the tallest, so that they show without colour too. */
const LOOKS: Record<DeliveryState | "none", { top: number; height: number; className: string }> = {
  none: { top: 19, height: 1, className: "fill-control" },
  delivered: { top: 9, height: 11, className: "fill-success" },
  waiting: { top: 15, height: 5, className: "fill-warning" },
  failed: { top: 0, height: HEIGHT, className: "fill-danger" },
};

/** The last 100 deliveries, as a bar and in words. */
export function DeliveryHealth({ health: { recent, last_delivered_at: lastAt } }: { health: Webhook["health"] }) {
  return (
    <div className="text-xs">
      <HealthBar recent={recent} />
      <p className="pt-1 tabular-nums">{recent.length === 0 ? "None yet" : totalsOf(recent)}</p>
      {lastAt && (
        <p className="text-text-muted">
          Last delivered <RelativeTime at={lastAt} />
        </p>
      )}
    </div>
  );
}

/** The newest at the right. */
function HealthBar({ recent }: Pick<Webhook["health"], "recent">) {
  const id = useId();
  const shown: (DeliveryState | "none")[] = [
    ...Array.from({ length: MOST - recent.length }, () => "none" as const),
    ...recent,
  ];
  return (
    <svg
      role="img"
      aria-labelledby={id}
      viewBox={`0 0 ${MOST * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-5 w-50 max-w-full"
    >
      <title id={id}>
        {recent.length === 0 ? "No deliveries yet" : `${lastOnes(recent.length)}: ${totalsOf(recent)}`}
      </title>
      {Object.entries(LOOKS).map(([state, { top, height, className: look }]) => (
        <path
          key={state}
          d={shown.map((one, at) => (one === state ? `M${at * STEP} ${top}h${BAR}v${height}h-${BAR}z` : "")).join("")}
          className={cn(look, "forced-colors:fill-[CanvasText]")}
        />
      ))}
    </svg>
  );
}

const lastOnes = (count: number) => (count === 1 ? "The last delivery" : `The last ${count} deliveries`);

/** "98 delivered, 2 failed" */
function totalsOf(recent: readonly DeliveryState[]): string {
  const states = ["delivered", "waiting", "failed"] as const;
  return states
    .map((state) => ({ state, count: recent.filter((one) => one === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(", ");
}
