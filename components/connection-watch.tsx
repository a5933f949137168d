import { onlineManager } from "@tanstack/react-query";
import { useEffect } from "react";
import { toast } from "@/components/ui/toast";
import { checkConnection, isReachable, onConnectionChange, watchNetwork } from "@/lib/browser/connection";

/** Refetches once the service is back, and keeps the page open when a link fails. */
export function ConnectionWatch() {
  useEffect(() => {
    onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isReachable())));
    return watchNetwork();
  }, []);
  useEffect(keepPage, []);
  return null;
}

/**
 * When a link's page cannot be fetched, Next navigates there anyway, to an error page, and everything typed here is
 * lost (fetchServerResponse in next/src/client/components/router-reducer). With a fetch that never settles, the router
 * stays on this page and still follows the next link.
 */
function keepPage() {
  const { fetch } = window;
  window.fetch = async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      const isLeaving = new Headers(init?.headers).has("RSC") && !init?.signal?.aborted;
      if (!isLeaving) throw error;
      void checkConnection();
      toast({ title: "This page could not be opened", description: explain() });
      return new Promise<never>(() => {});
    }
  };
  return () => {
    window.fetch = fetch;
  };
}

function explain(): string {
  const reason = navigator.onLine ? "The service cannot be reached." : "You are offline.";
  return `${reason} You are still on the same page. Try the link again when the connection is back.`;
}
