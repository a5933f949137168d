import { SquareCheck, Trash2, Upload } from "lucide-react";
import { ExportItems } from "@/components/export-items";
import { PageLink } from "@/components/page-link";
import { MenuItem, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { useExport } from "@/components/use-export";
import { useCanWrite } from "@/components/use-member";

interface MoreItemsProps {
  run: ReturnType<typeof useExport>;
  onSelect: () => void;
}

/** What is seldom done with the list. */
export function MoreItems({ run, onSelect }: MoreItemsProps) {
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
      <ExportItems {...run} />
      <MenuSeparator />
      <MenuLink render={<PageLink href={`/${slug}/groups/deleted`} />}>
        <Trash2 aria-hidden />
        Recently deleted
      </MenuLink>
    </>
  );
}
