"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Failure } from "@/components/failure";
import { Skeleton } from "@/components/ui/skeleton";

interface LatePanelProps {
  /** loads what the panel shows; the same function each time */
  load: () => Promise<void>;
  children: ReactNode;
}

/** A panel whose code loads once it is shown. */
export function LatePanel({ load, children }: LatePanelProps) {
  const [attempt, setAttempt] = useState(0);
  const [isLoaded, setLoaded] = useState(false);
  const [error, setError] = useState<Error>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    let isGone = false;
    setError(undefined);
    load().then(
      () => !isGone && setLoaded(true),
      () => !isGone && setError(new Error("Check the connection, then try again.")),
    );
    return () => {
      isGone = true;
    };
  }, [load, attempt]);
  if (isLoaded) return children;
  if (error) return <Failure title="This could not be loaded" error={error} onRetry={() => setAttempt(attempt + 1)} />;
  return <Skeleton className="h-52 rounded-lg" />;
}
