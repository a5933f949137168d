"use client";

import { EmptyPanel } from "@/components/empty-panel";
import { Button } from "@/components/ui/button";

/** Replaces a list without matches. */
export function NoMatch({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <EmptyPanel title="No user group matches">
      <p className="text-text-muted">Nothing in this environment matches the search and filters.</p>
      {/^[!-~]{1,2}$/.test(search) && (
        <p className="text-text-muted">A search this short matches only the beginning of names and ids.</p>
      )}
      <div>
        <Button onClick={onClear}>Clear filters</Button>
      </div>
    </EmptyPanel>
  );
}
