import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { download } from "@/components/download";
import { toastFailure } from "@/components/failure";
import { usePageActions } from "@/components/page-actions";
import type { ExportFormat } from "@/lib/groups/bulk-queries";

type Fetch = (options: { format: ExportFormat; signal: AbortSignal }) => Promise<{ name: string; content: Blob }>;

/** Downloads a file that the service generates, from a menu or the palette. */
export function useExport(fetch: Fetch) {
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const { mutate: save, isPending: isBusy } = useMutation({
    mutationFn: (format: ExportFormat) => {
      running.current = new AbortController();
      return fetch({ format, signal: running.current.signal });
    },
    onSuccess: ({ name, content }) => download(name, content),
    onError: (error) => running.current?.signal.aborted || toastFailure("Nothing was exported", error),
  });
  usePageActions([
    { label: "Export as CSV", run: () => save("csv") },
    { label: "Export as JSON lines", run: () => save("jsonl") },
  ]);
  return { isBusy, save, stop };
}
