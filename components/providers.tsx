"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { ConnectionWatch } from "@/components/connection-watch";
import { Toasts } from "@/components/ui/toast";
import { ApiError, isPassing } from "@/lib/api-client";

interface ProvidersProps {
  /** of this page's Content-Security-Policy */
  nonce: string | undefined;
  children: ReactNode;
}

/** What every screen stands on: its data, its theme, its address, its toasts. */
export function Providers({ nonce, children }: ProvidersProps) {
  const [client] = useState(makeClient);
  return (
    <ThemeProvider attribute="data-theme" disableTransitionOnChange={false} {...(nonce && { nonce })}>
      <CSPProvider nonce={nonce}>
        <QueryClientProvider client={client}>
          <NuqsAdapter>
            {children}
            <ConnectionWatch />
            <Toasts />
          </NuqsAdapter>
        </QueryClientProvider>
      </CSPProvider>
    </ThemeProvider>
  );
}

function makeClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
    defaultOptions: {
      // Offline a request fails there and then: paused, it would be sent later, whatever was cancelled meanwhile.
      queries: { networkMode: "always", refetchOnReconnect: "always", staleTime: 5_000, retry: isWorthRetrying },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

/** Trying again helps against what passes, not against what was refused. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 2 && isPassing(error);
}

/** A session may end while its pages are open: by its time, by an owner, in another tab. */
function leaveWhenSignedOut(error: Error) {
  if (!(error instanceof ApiError) || error.code !== "unauthorized") return;
  const { pathname, search } = window.location;
  window.location.replace(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
