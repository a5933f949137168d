import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { type ToastOptions, toast } from "@/components/ui/toast";
import { ApiError } from "@/lib/browser/api-client";

interface FailureProps {
  /** such as "The list could not be loaded" */
  title: string;
  error: Error;
  onRetry?: () => unknown;
}

/** An error, what to do, and the request id to quote. */
export function Failure({ title, error, onRetry }: FailureProps) {
  const { requestId = "", code = "" } = error instanceof ApiError ? error : {};
  const isFinal = code === "invalid_json" || code === "invalid_fields";
  return (
    <Notice tone="danger" role="alert" title={titleOf(title, error)}>
      <p>{error.message.replace(/^Nothing was changed: ./, (start) => start.slice(-1).toUpperCase())}</p>
      {requestId && !isFinal && <p className="break-all text-text-muted text-xs">Request id {requestId}</p>}
      {onRetry && !isFinal && (
        <Button onClick={() => void onRetry()} className="mt-1">
          Try again
        </Button>
      )}
    </Notice>
  );
}

/** {@link Failure} as a toast. */
export function toastFailure(title: string, error: unknown, options: Partial<ToastOptions> = {}) {
  toast({ title: titleOf(title, error), description: error instanceof Error ? error.message : "", ...options });
}

/** Does something at a click; its failure shows as a toast. */
export async function withFailureToast(title: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    toastFailure(title, error);
  }
}

/** Without a response, the change may have been made after all. */
function titleOf(title: string, error: unknown): string {
  return error instanceof ApiError && error.code === "lost" ? "The response was lost" : title;
}
