"use client";

import { CopyButton } from "@/components/copy-button";
import { useOrigin } from "@/components/use-in-browser";

/** The API has the page's own origin. */
export function BaseUrl() {
  const origin = useOrigin();
  return (
    <span className="flex min-h-6 items-center gap-1">
      <code className="break-all font-mono text-xs">{origin}</code>
      {origin && <CopyButton what="base URL" text={origin} />}
    </span>
  );
}
