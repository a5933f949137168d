"use client";

import { CircleStop, Ellipsis, FileJson, LoaderCircle, SquareCheck, Table2, Trash2, Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { download } from "@/components/download";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { useCanWrite } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { type ExportFormat, exportList, type ListState } from "@/lib/groups/queries";

interface MoreMenuProps {
  list: ListState;
  /** shows boxes to select groups where there are none */
  onSelect: () => void;
}

/** What is seldom done with the list. */
export function MoreMenu({ list, onSelect }: MoreMenuProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { isBusy, save, stop } = useExport(list);
  return (
    <Menu
      align="end"
      button={{
        ...{ variant: "ghost", size: "icon", "aria-label": isBusy ? "More, exporting" : "More" },
        children: isBusy ? <LoaderCircle aria-hidden className="animate-spin" /> : <Ellipsis aria-hidden />,
      }}
    >
      <div className="contents sm:hidden">
        <MenuItem onClick={onSelect}>
          <SquareCheck aria-hidden />
          Select groups
        </MenuItem>
        {canWrite && (
          <MenuLink render={<PageLink href={`/${slug}/groups/import`} />}>
            <Upload aria-hidden />
            Import
          </MenuLink>
        )}
        <MenuSeparator />
      </div>
      {isBusy ? (
        <MenuItem onClick={stop}>
          <CircleStop aria-hidden />
          Stop the export
        </MenuItem>
      ) : (
        <>
          <MenuItem onClick={() => void save("csv")}>
            <Table2 aria-hidden />
            Export as CSV
          </MenuItem>
          <MenuItem onClick={() => void save("jsonl")}>
            <FileJson aria-hidden />
            Export as JSON lines
          </MenuItem>
        </>
      )}
      <MenuSeparator />
      <MenuLink render={<PageLink href={`/${slug}/groups/deleted`} />}>
        <Trash2 aria-hidden />
        Recently deleted
      </MenuLink>
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
