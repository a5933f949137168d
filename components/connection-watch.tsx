"use client";

import { onlineManager } from "@tanstack/react-query";
import { useEffect } from "react";
import { toast } from "@/components/ui/toast";
import { checkConnection, isReachable, onConnectionChange, watchNetwork } from "@/lib/browser/connection";

/** Has data read again once the service answers again, and keeps a page whose links lead nowhere meanwhile. */
export function ConnectionWatch() {
  useEffect(() => {
    onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isReachable())));
    return watchNetwork();
  }, []);
  useEffect(keepPage, []);
  return null;
}

/**
 * Where the page that a link leads to cannot be fetched, Next has the browser go there, to an error page of its own that
 * takes everything typed here with it (fetchServerResponse in next/src/client/components/router-reducer). Never answered,
 * the router stays where it is, and follows the next link.
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
