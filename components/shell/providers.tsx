"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { onlineManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect, useState } from "react";
import { Alive } from "@/components/alive";
import { SessionEnd } from "@/components/members/session-end";
import { Toasts, toast } from "@/components/ui/toast";
import { isTransient } from "@/lib/browser/api-client";
import { checkConnection, isReachable, onConnectionChange, watchNetwork } from "@/lib/browser/connection";

interface ProvidersProps {
  /** of this page's Content-Security-Policy */
  nonce: string | undefined;
  children: ReactNode;
}

export function Providers({ nonce, children }: ProvidersProps) {
  const [client] = useState(makeClient);
  return (
    <ThemeProvider attribute="data-theme" disableTransitionOnChange={false} {...(nonce && { nonce })}>
      <CSPProvider nonce={nonce}>
        <QueryClientProvider client={client}>
          <NuqsAdapter>
            <Alive>
              {children}
              <SessionEnd />
              <ConnectionWatch />
              <Toasts />
            </Alive>
          </NuqsAdapter>
        </QueryClientProvider>
      </CSPProvider>
    </ThemeProvider>
  );
}

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Offline requests fail immediately. Paused ones would be sent later, even if cancelled by then.
      queries: { networkMode: "always", refetchOnReconnect: "always", staleTime: 5_000, retry: isWorthRetrying },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

/** Only transient errors are worth retrying. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 2 && isTransient(error);
}

/** Refetches once the service is back, and keeps the page open when a link fails. */
function ConnectionWatch() {
  useEffect(() => {
    onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isReachable())));
    return watchNetwork();
  }, []);
  useEffect(keepPage, []);
  return null;
}

/**
 * If a link's page cannot be fetched, Next navigates to it anyway and shows an error page, losing everything typed
 * here (fetchServerResponse in next/src/client/components/router-reducer). With a fetch that never settles, the router
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
