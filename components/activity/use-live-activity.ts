import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type ActivityFilters, activityKey } from "@/lib/audit/queries";
import { ApiError, isTransient } from "@/lib/browser/api-client";
import { whenReachable } from "@/lib/browser/connection";
import { fetchEvents, isShown } from "@/lib/events/queries";

/** Between two questions: many changes are read together. */
const PAUSE_MS = 2_000;
/** After a refusal, such as for too many waiting calls. */
const REFUSED_MS = 30_000;

interface Live {
  environment: string;
  filters: ActivityFilters;
  /** whether the list has the newest entries */
  isNewest: boolean;
}

/**
 * Reads the list again once the feed has an event that it shows, while the page is visible. Entries that the feed of
 * the environment does not have, such as members' and other environments', follow when a wait ends, after 10 s.
 */
export function useLiveActivity({ environment, filters, isNewest }: Live) {
  const queries = useQueryClient();
  const asked = JSON.stringify(filters);
  useEffect(() => {
    if (!isNewest) return;
    let running: AbortController | undefined;
    const turn = () => {
      running?.abort();
      running = document.hidden ? undefined : new AbortController();
      if (running) void follow(queries, { environment, filters: JSON.parse(asked) }, running.signal);
    };
    turn();
    document.addEventListener("visibilitychange", turn);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      running?.abort();
    };
  }, [queries, environment, asked, isNewest]);
}

async function follow(
  queries: QueryClient,
  { environment, filters }: Omit<Live, "isNewest">,
  signal: AbortSignal,
): Promise<void> {
  for (let after = "latest"; !signal.aborted; ) {
    try {
      const { events, next_cursor, caught_up } = await fetchEvents(environment, { after, filters, signal });
      const hasWaited = after !== "latest";
      // What is beyond the page is read with the list.
      after = caught_up ? next_cursor : "latest";
      if (!hasWaited) continue;
      const isNews = events.some((event) => isShown(event, filters));
      const parts = isNews ? ["list", "counts"] : events.length === 0 ? ["list"] : [];
      for (const part of parts) void queries.invalidateQueries({ queryKey: [...activityKey(environment), part] });
      await pause(PAUSE_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === "cursor_gone") after = "latest";
      if (isTransient(error)) await whenReachable();
      await pause(isTransient(error) ? PAUSE_MS : REFUSED_MS, signal);
    }
  }
}

/** Waits, at most until the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
