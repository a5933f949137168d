"use client";

import { Download, LoaderCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { download } from "@/components/download";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { Menu, MenuItem } from "@/components/ui/menu";
import { type ExportFormat, exportList, type ListState } from "@/lib/groups/queries";

/** Downloads all groups in the list, from every page. */
export function ExportMenu({ list }: { list: ListState }) {
  const slug = useEnvironmentSlug();
  const [isBusy, setIsBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (format: ExportFormat) => {
    const controller = new AbortController();
    running.current = controller;
    setIsBusy(true);
    try {
      const { name, content } = await exportList(slug, list, { format, signal: controller.signal });
      download(name, content);
    } catch (error) {
      if (controller.signal.aborted) return;
      toastFailure("Nothing was exported", error);
    } finally {
      setIsBusy(false);
    }
  };
  const label = (
    <>
      {isBusy ? (
        <LoaderCircle aria-hidden className="animate-spin text-text-muted" />
      ) : (
        <Download aria-hidden className="text-text-muted" />
      )}
      {isBusy ? "Exporting…" : "Export"}
    </>
  );
  return (
    <Menu align="end" button={{ children: label }}>
      {isBusy ? (
        <MenuItem onClick={() => running.current?.abort()}>Stop the export</MenuItem>
      ) : (
        <>
          <MenuItem onClick={() => void save("csv")}>CSV, for spreadsheets</MenuItem>
          <MenuItem onClick={() => void save("jsonl")}>JSON lines, for programs</MenuItem>
        </>
      )}
    </Menu>
  );
}
