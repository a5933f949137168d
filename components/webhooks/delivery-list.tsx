"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect } from "react";
import { Failure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { DeliveryRow } from "@/components/webhooks/delivery-row";
import { STATE_WORDS } from "@/components/webhooks/webhook-words";
import { cn } from "@/lib/browser/class-name";
import { DELIVERY_STATES } from "@/lib/webhooks/facts";
import { deliveriesQuery } from "@/lib/webhooks/queries";
import type { Webhook } from "@/lib/webhooks/schema";

const PARSERS = {
  state: parseAsStringLiteral(["all", ...DELIVERY_STATES]).withDefault("all"),
  /** the cursors of every page up to this one, for Newer: the server only links forward */
  older: parseAsArrayOf(parseAsString).withDefault([]),
};
const OPTIONS = [
  { value: "all" as const, label: "All" },
  ...DELIVERY_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
];

/** A webhook's deliveries, newest first. */
export function DeliveryList({ webhook }: { webhook: Webhook }) {
  const slug = useEnvironmentSlug();
  const [{ state, older }, set] = useQueryStates(PARSERS, { history: "push" });
  const filters = { webhookId: webhook.id, state: state === "all" ? undefined : state, cursor: older.at(-1) };
  const { data, error, isPlaceholderData, refetch } = useQuery(deliveriesQuery(slug, filters));
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  useEffect(() => {
    if (isCursorStale) void set({ older: null }, { history: "replace" });
  });
  const next = data?.next_cursor;
  return (
    <section aria-labelledby="deliveries" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="deliveries" className="font-semibold text-base">
          Deliveries
        </h2>
        <Segmented
          label="State of the deliveries"
          value={state}
          onChange={(value) => void set({ state: value, older: null })}
          options={OPTIONS}
        />
      </div>
      {error && !data && !isCursorStale ? (
        <Failure title="The deliveries could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-40 rounded-xl" />
      ) : data.deliveries.length === 0 ? (
        <p className="rounded-xl border border-border px-4 py-8 text-center text-text-muted">
          {state === "all"
            ? "No deliveries yet. Each is kept for 14 days."
            : `No ${state} deliveries in the last 14 days.`}
        </p>
      ) : (
        <ul
          aria-label="Deliveries"
          aria-busy={isPlaceholderData}
          className={cn(
            "overflow-hidden rounded-xl border border-border transition-opacity duration-120",
            isPlaceholderData && "opacity-60 delay-150",
          )}
        >
          {data.deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} webhook={webhook} />
          ))}
        </ul>
      )}
      {(older.length > 0 || next) && (
        <nav aria-label="Delivery pages" className="flex justify-end gap-2">
          <Button
            disabled={older.length === 0}
            onClick={() => void set({ older: older.length > 1 ? older.slice(0, -1) : null })}
          >
            <ChevronLeft aria-hidden />
            Newer
          </Button>
          <Button disabled={!next} onClick={() => next && void set({ older: [...older, next] })}>
            Older
            <ChevronRight aria-hidden />
          </Button>
        </nav>
      )}
    </section>
  );
}
