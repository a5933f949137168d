"use client";

import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { type ToastOptions, toast } from "@/components/ui/toast";
import { ApiError } from "@/lib/browser/api-client";

interface FailureProps {
  /** what did not work: "The list could not be loaded" */
  title: string;
  error: Error;
  onRetry?: () => void;
}

/** Something that went wrong, what to do, and the id to quote. */
export function Failure({ title, error, onRetry }: FailureProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Notice tone="danger" role="alert" title={titleOf(title, error)}>
      <p>{error.message}</p>
      {requestId && <p className="break-all text-text-muted text-xs">Request id {requestId}</p>}
      {onRetry && (
        <Button onClick={onRetry} className="mt-1">
          Try again
        </Button>
      )}
    </Notice>
  );
}

/** As {@link Failure}, in passing. */
export function toastFailure(title: string, error: unknown, options: Partial<ToastOptions> = {}) {
  toast({ title: titleOf(title, error), description: error instanceof Error ? error.message : "", ...options });
}

/** Of a change whose answer was lost nobody may say that it was not made. */
function titleOf(title: string, error: unknown): string {
  return error instanceof ApiError && error.code === "lost" ? "The answer was lost" : title;
}
