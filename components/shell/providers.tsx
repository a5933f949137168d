"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { Alive } from "@/components/alive";
import { ConnectionWatch } from "@/components/connection-watch";
import { SessionEnd } from "@/components/members/session-end";
import { Toasts } from "@/components/ui/toast";
import { isTransient } from "@/lib/browser/api-client";

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
      // Offline requests fail immediately: paused, they would be sent later, even if cancelled by then.
      queries: { networkMode: "always", refetchOnReconnect: "always", staleTime: 5_000, retry: isWorthRetrying },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

/** Retrying helps with transient errors only. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 2 && isTransient(error);
}
