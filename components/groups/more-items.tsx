"use client";

import { CircleStop, FileJson, SquareCheck, Table2, Trash2, Upload } from "lucide-react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { useCanWrite } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { MenuItem, MenuLink, MenuSeparator } from "@/components/ui/menu";
import type { ExportFormat } from "@/lib/groups/queries";

interface MoreItemsProps {
  isBusy: boolean;
  save: (format: ExportFormat) => Promise<void>;
  stop: () => void;
  onSelect: () => void;
}

/** What is seldom done with the list. */
export function MoreItems({ isBusy, save, stop, onSelect }: MoreItemsProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  return (
    <>
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
    </>
  );
}
