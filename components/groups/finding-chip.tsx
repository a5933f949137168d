"use client";

import { FilterChip } from "@/components/groups/filter-chip";
import { wordsOfId } from "@/components/health/words";

/** A finding that narrows the list; apart, as few lists have one. */
export function FindingChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  return <FilterChip words={wordsOfId(id)} onRemove={onRemove} />;
}
