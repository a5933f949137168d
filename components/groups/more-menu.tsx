"use client";

import { Ellipsis, LoaderCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { download } from "@/components/download";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { usePageActions } from "@/components/shell/page-actions";
import { Menu } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { type ExportFormat, exportList, type ListState } from "@/lib/groups/queries";

const parts = onDemand(() => import("@/components/groups/more-items"));
const MoreItems = parts.part("MoreItems");

interface MoreMenuProps {
  list: ListState;
  /** shows boxes to select groups where there are none */
  onSelect: () => void;
}

/** What is seldom done with the list. */
export function MoreMenu({ list, onSelect }: MoreMenuProps) {
  const run = useExport(list);
  const { isBusy, save } = run;
  usePageActions([
    { label: "Export as CSV", run: () => void save("csv") },
    { label: "Export as JSON lines", run: () => void save("jsonl") },
  ]);
  return (
    <Menu
      align="end"
      needs={parts}
      button={{
        ...{ variant: "ghost", size: "icon", "aria-label": isBusy ? "More, exporting" : "More" },
        children: isBusy ? <LoaderCircle aria-hidden className="animate-spin" /> : <Ellipsis aria-hidden />,
      }}
    >
      <MoreItems {...run} onSelect={onSelect} />
    </Menu>
  );
}

/** Downloads all groups in the list, from every page. */
function useExport(list: ListState) {
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
  return { isBusy, save, stop: () => running.current?.abort() };
}
