import { RelativeTime } from "@/components/relative-time";
import type { DeliveryState } from "@/lib/webhooks/facts";
import type { Webhook } from "@/lib/webhooks/schema";

/** Counts of the last 100 deliveries. */
export function DeliveryHealth({ health: { recent, last_delivered_at: lastAt } }: { health: Webhook["health"] }) {
  return (
    <div className="text-xs">
      <p className="tabular-nums">{recent.length === 0 ? "None yet" : totalsOf(recent)}</p>
      {lastAt && (
        <p className="text-text-muted">
          Last delivered <RelativeTime at={lastAt} />
        </p>
      )}
    </div>
  );
}

/** "98 delivered, 2 failed" */
function totalsOf(recent: readonly DeliveryState[]): string {
  const states = ["delivered", "waiting", "failed"] as const;
  return states
    .map((state) => ({ state, count: recent.filter((one) => one === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(", ");
}
