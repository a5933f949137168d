import { SquareCheck, Trash2, Upload } from "lucide-react";
import { ExportItems } from "@/components/export-items";
import { PageLink } from "@/components/page-link";
import { MenuItems, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { useExport } from "@/components/use-export";
import { useCanWrite } from "@/components/use-member";

/** What is seldom done with the list. */
export function MoreItems({ run, onSelect }: { run: ReturnType<typeof useExport>; onSelect: () => void }) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  return (
    <>
      <div className="contents sm:hidden">
        <MenuItems items={[{ label: "Select groups", icon: SquareCheck, run: onSelect }]} />
        {canWrite && (
          <MenuLink icon={Upload} render={<PageLink href={`/${slug}/groups/import`} />}>
            Import
          </MenuLink>
        )}
        <MenuSeparator />
      </div>
      <ExportItems {...run} />
      <MenuSeparator />
      <MenuLink icon={Trash2} render={<PageLink href={`/${slug}/groups/deleted`} />}>
        Recently deleted
      </MenuLink>
    </>
  );
}
