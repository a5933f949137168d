import { SearchX } from "lucide-react";
import { EmptyPanel } from "@/components/empty-panel";
import { openPalette } from "@/components/open-palette";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import type { ListState } from "@/lib/groups/queries";

/** Replaces a list without matches. */
export function NoMatch({ list, onClear }: { list: ListState; onClear: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironmentName();
  const canWrite = useCanWrite();
  const search = list.search.trim();
  const isFiltered = list.filters.length > 0 || list.state !== "" || list.used !== "";
  return (
    <EmptyPanel
      icon={SearchX}
      title={`No group in ${environment} matches ${search ? `“${search}”` : "these filters"}`}
      actions={
        <>
          <Button onClick={onClear}>Clear {!isFiltered ? "search" : search ? "search and filters" : "filters"}</Button>
          {search && canWrite && (
            <PageLink
              href={`/${slug}/groups/new?id=${encodeURIComponent(search)}`}
              className={cn(buttonLook(), "max-w-full")}
            >
              <span className="truncate">Create “{search}”</span>
            </PageLink>
          )}
          {search && <Button onClick={() => openPalette(search)}>Search all environments</Button>}
        </>
      }
    >
      {isFiltered && search && <p>The search covers only groups that match the filters.</p>}
      {/^[!-~]{1,2}$/.test(search) && <p>A search this short matches only the beginning of names and ids.</p>}
    </EmptyPanel>
  );
}
