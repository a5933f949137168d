"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Failure } from "@/components/failure";
import { Skeleton } from "@/components/ui/skeleton";

export interface LatePanelProps {
  /** components loaded on demand; the same object each time */
  of: { load: () => Promise<void>; isLoaded: () => boolean };
  children: ReactNode;
}

/** A panel whose code loads once it is shown, if it has not yet. */
export function LatePanel({ of, children }: LatePanelProps) {
  const [attempt, setAttempt] = useState(0);
  const [isLoaded, setLoaded] = useState(of.isLoaded);
  const [error, setError] = useState<Error>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    let isGone = false;
    setError(undefined);
    of.load().then(
      () => !isGone && setLoaded(true),
      () => !isGone && setError(new Error("Check the connection, then try again.")),
    );
    return () => {
      isGone = true;
    };
  }, [of, attempt]);
  if (isLoaded) return children;
  if (error) return <Failure title="This could not be loaded" error={error} onRetry={() => setAttempt(attempt + 1)} />;
  return <Skeleton className="h-52 rounded-lg" />;
}
