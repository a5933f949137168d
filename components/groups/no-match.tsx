"use client";

import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { EmptyPanel } from "@/components/empty-panel";
import { openPalette } from "@/components/open-palette";
import { Button } from "@/components/ui/button";
import { useEnvironment } from "@/components/use-environment";
import { sessionQuery } from "@/lib/members/queries";

/** Replaces a list without matches. */
export function NoMatch({ search, onClear }: { search: string; onClear: () => void }) {
  const environment = useEnvironment();
  const { data: session } = useQuery(sessionQuery);
  const hasOthers = (session?.environments.length ?? 0) > 1;
  return (
    <EmptyPanel
      icon={SearchX}
      title="No user group matches"
      actions={
        <>
          <Button onClick={onClear}>Clear filters</Button>
          {search !== "" && hasOthers && <Button onClick={() => openPalette(search)}>Search all environments</Button>}
        </>
      }
    >
      <p>Nothing in {environment?.name ?? "this environment"} matches the search and filters.</p>
      {/^[!-~]{1,2}$/.test(search) && <p>A search this short matches only the beginning of names and ids.</p>}
    </EmptyPanel>
  );
}
