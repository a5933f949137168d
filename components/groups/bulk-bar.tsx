"use client";

import { Download, ListChecks, LoaderCircle, Trash2, X } from "lucide-react";
import { useEffect, useState } from "react";
import { totalOf } from "@/components/count";
import { download } from "@/components/download";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { useCanWrite } from "@/components/members/use-member";
import { announce } from "@/components/ui/announcer";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { fetchGroupLines, MAX_MATCHES } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";

/** Larger selections are left to the list's export, which is one request. */
const MAX_EXPORTED = 1_000;

interface BulkBarProps {
  selected: GroupReference[];
  /** set when the whole page is selected and more match */
  matches: { count: number; exact: boolean } | undefined;
  onSelectMatches: () => Promise<void>;
  onClear: () => void;
  onDelete: () => void;
}

/** Actions on the selected groups, also those on other pages. */
export function BulkBar({ selected, matches, onSelectMatches, onClear, onDelete }: BulkBarProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const [isSelecting, setIsSelecting] = useState(false);
  const count = selected.length;
  useEffect(() => {
    if (count > 0) announce(`${count.toLocaleString("en")} selected`);
  }, [count]);
  if (count === 0) return null;
  const save = async () => {
    try {
      const lines = await fetchGroupLines(
        slug,
        selected.map(({ teamId }) => teamId),
      );
      download(`user-groups-${slug}.jsonl`, lines.join(""));
      const gone = count - lines.length;
      if (gone > 0) toast({ title: `${gone} of ${count} were left out: they have been deleted` });
    } catch (error) {
      toastFailure("Nothing was exported", error);
    }
  };
  const selectMatches = async () => {
    setIsSelecting(true);
    await onSelectMatches();
    setIsSelecting(false);
  };
  return (
    <section
      aria-label="Selected groups"
      className="sticky bottom-4 z-20 mx-auto mt-4 flex w-fit max-w-full animate-appear flex-wrap items-center gap-2 rounded-md border border-border bg-raised p-2 pl-4 shadow-popup"
    >
      <p className="font-medium tabular-nums">{count.toLocaleString("en")} selected</p>
      {matches &&
        (matches.count > MAX_MATCHES ? (
          <p className="text-text-muted">
            {totalOf(matches)} match: you can select up to {MAX_MATCHES.toLocaleString("en")}
          </p>
        ) : (
          <Button onClick={() => void selectMatches()} disabled={isSelecting}>
            {isSelecting ? <LoaderCircle aria-hidden className="animate-spin" /> : <ListChecks aria-hidden />}
            Select all {totalOf(matches)} that match
          </Button>
        ))}
      <Button
        onClick={() => void save()}
        disabled={count > MAX_EXPORTED}
        aria-describedby={count > MAX_EXPORTED ? "too-many-to-export" : undefined}
      >
        <Download aria-hidden />
        Export
      </Button>
      {canWrite && (
        <Button onClick={onDelete} className="text-danger">
          <Trash2 aria-hidden />
          Delete…
        </Button>
      )}
      {count > MAX_EXPORTED && (
        <p id="too-many-to-export" className="text-text-muted">
          Up to {MAX_EXPORTED.toLocaleString("en")} can be exported here. Export above the list saves all matches.
        </p>
      )}
      <Button variant="ghost" size="icon" aria-label="Clear selection" onClick={onClear}>
        <X aria-hidden />
      </Button>
    </section>
  );
}
