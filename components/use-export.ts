import { useEffect, useRef, useState } from "react";
import { download } from "@/components/download";
import { toastFailure } from "@/components/failure";
import { usePageActions } from "@/components/page-actions";
import type { ExportFormat } from "@/lib/groups/queries";

type Fetch = (options: { format: ExportFormat; signal: AbortSignal }) => Promise<{ name: string; content: Blob }>;

/** Downloads a file that the service generates, from a menu or the palette. */
export function useExport(fetch: Fetch) {
  const [isBusy, setIsBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (format: ExportFormat) => {
    const controller = new AbortController();
    running.current = controller;
    setIsBusy(true);
    try {
      const { name, content } = await fetch({ format, signal: controller.signal });
      download(name, content);
    } catch (error) {
      if (controller.signal.aborted) return;
      toastFailure("Nothing was exported", error);
    } finally {
      setIsBusy(false);
    }
  };
  usePageActions([
    { label: "Export as CSV", run: () => void save("csv") },
    { label: "Export as JSON lines", run: () => void save("jsonl") },
  ]);
  return { isBusy, save, stop: () => running.current?.abort() };
}
